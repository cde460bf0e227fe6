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
 * What the node's register says of a range that lives on it: what it was when it came. Its database says what has
 * become of it ({@link RangeState}).
 *
 * <pre>
 * byte version = 2 | utf store | long id | long epoch | bytes start | boolean hasEnd [bytes end] | int voters, each utf
 *                  | long joinedEpoch, not in version 1
 * </pre>
 *
 * @param store name of the store
 * @param id unique in the store, never given again
 * @param epoch rises with every split, merge and voter change
 * @param voters store ids
 * @param joinedEpoch 0 for a replica that came into being with its range. Otherwise the epoch that the range had when
 *     this node was asked to have a replica, which began blank, while the rest still says what the range was when it
 *     came into being: its log, if that is all there, begins there
 */
public record RangeDescriptor(
        String store, long id, long epoch, RangeBounds bounds, List<String> voters, long joinedEpoch) {
    static final int VERSION = 2;
    private static final int WITHOUT_JOINED_EPOCH = 1;
    private static final int MAX_KEY_BYTES = 1 << 20;

    public RangeDescriptor {
        voters = List.copyOf(voters);
    }

    /** Name of its Raft group, and of nothing else on this node. */
    public String groupId() {
        return groupId(store, id);
    }

    public static String groupId(String store, long id) {
        return store + "-" + id;
    }

    String directoryName() {
        return "range-" + id;
    }

    /** One that came into being with its range. */
    public RangeDescriptor(String store, long id, long epoch, RangeBounds bounds, List<String> voters) {
        this(store, id, epoch, bounds, voters, 0);
    }

    /** Of the same range for a replica that is made blank now. */
    public RangeDescriptor joinedAt(long currentEpoch) {
        return new RangeDescriptor(store, id, epoch, bounds, voters, currentEpoch);
    }

    /**
     * Who votes as long as the replica has neither log nor snapshot: nobody that it knows of, if it is to be given
     * these.
     */
    List<String> firstVoters() {
        return joinedEpoch > 0 ? List.of() : voters;
    }

    /** As it came. */
    public RangeState born() {
        return RangeState.settled(id, epoch, bounds, new RaftGroup.Membership(voters, List.of()));
    }

    /** Of a range that comes as {@code state}. */
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

    /** @throws IOException if it is not a descriptor of this version */
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
