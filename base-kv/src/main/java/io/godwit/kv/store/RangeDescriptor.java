package io.godwit.kv.store;

import io.godwit.kv.coprocessor.RangeBounds;
import io.godwit.kv.raft.RaftGroup;
import io.godwit.kv.range.state.RangeState;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The entry of the node's register for a replica: the range as it was when the replica was made. The replica's database
 * has the present state ({@link RangeState}).
 *
 * <pre>
 * byte version = 2 | utf store | long id | long epoch | bytes start | boolean hasEnd [bytes end] | int voters, each utf
 *                  | long joinedEpoch, not in version 1
 * </pre>
 *
 * @param store name of the store
 * @param id unique in the store, never reused
 * @param epoch rises with every split, merge and voter change
 * @param voters store ids
 * @param joinedEpoch 0 for a replica that was made with its range. Otherwise the epoch of the range when this node was
 *     asked to make an empty replica. The other fields still describe the range as it was created, because its log
 *     begins there if it is still complete
 */
public record RangeDescriptor(
        String store, long id, long epoch, RangeBounds bounds, List<String> voters, long joinedEpoch) {
    static final int VERSION = 2;
    private static final int WITHOUT_JOINED_EPOCH = 1;
    private static final int MAX_KEY_BYTES = 1 << 20;

    public RangeDescriptor {
        voters = List.copyOf(voters);
    }

    /** The id of its Raft group, unique on this node. */
    public String groupId() {
        return groupId(store, id);
    }

    public static String groupId(String store, long id) {
        return store + "-" + id;
    }

    String directoryName() {
        return "range-" + id;
    }

    /** For a replica that is made with its range. */
    public RangeDescriptor(String store, long id, long epoch, RangeBounds bounds, List<String> voters) {
        this(store, id, epoch, bounds, voters, 0);
    }

    /** For an empty replica of the same range that is made now. */
    public RangeDescriptor joinedAt(long currentEpoch) {
        return new RangeDescriptor(store, id, epoch, bounds, voters, currentEpoch);
    }

    /** The voters as long as the replica has neither log nor snapshot; none if it waits to get these. */
    List<String> firstVoters() {
        return joinedEpoch > 0 ? List.of() : voters;
    }

    /** The state in which the replica was made. */
    public RangeState born() {
        return RangeState.settled(id, epoch, bounds, new RaftGroup.Membership(voters, List.of()));
    }

    /** The descriptor of a range with the state {@code state}. */
    public static RangeDescriptor of(String store, RangeState state) {
        return new RangeDescriptor(
                store,
                state.id(),
                state.epoch(),
                state.bounds(),
                state.members().voters());
    }

    public byte[] encode() {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (DataOutputStream out = new DataOutputStream(bytes)) {
            out.writeByte(VERSION);
            out.writeUTF(store);
            out.writeLong(id);
            out.writeLong(epoch);
            writeBytes(out, bounds.start());
            byte @Nullable [] end = bounds.end();
            out.writeBoolean(end != null);
            if (end != null) {
                writeBytes(out, end);
            }
            out.writeInt(voters.size());
            for (String voter : voters) {
                out.writeUTF(voter);
            }
            out.writeLong(joinedEpoch);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return bytes.toByteArray();
    }

    /** @throws IOException if it is not a descriptor of a known version */
    public static RangeDescriptor decode(byte[] encoded) throws IOException {
        try (DataInputStream in = new DataInputStream(new ByteArrayInputStream(encoded))) {
            int version = in.readUnsignedByte();
            if (version != VERSION && version != WITHOUT_JOINED_EPOCH) {
                throw new IOException("range descriptor of version " + version + ", expected " + VERSION);
            }
            String store = in.readUTF();
            long id = in.readLong();
            long epoch = in.readLong();
            byte[] start = readBytes(in);
            byte @Nullable [] end = in.readBoolean() ? readBytes(in) : null;
            int count = in.readInt();
            List<String> voters = new ArrayList<>();
            for (int i = 0; i < count; i++) {
                voters.add(in.readUTF());
            }
            long joinedEpoch = version == WITHOUT_JOINED_EPOCH ? 0 : in.readLong();
            return new RangeDescriptor(store, id, epoch, new RangeBounds(start, end), voters, joinedEpoch);
        }
    }

    private static void writeBytes(DataOutputStream out, byte[] bytes) throws IOException {
        out.writeInt(bytes.length);
        out.write(bytes);
    }

    private static byte[] readBytes(DataInputStream in) throws IOException {
        int length = in.readInt();
        if (length < 0 || length > MAX_KEY_BYTES) {
            throw new IOException("key of " + length + " bytes");
        }
        return in.readNBytes(length);
    }
}
