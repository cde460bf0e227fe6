package io.godwit.kv;

import io.godwit.kv.coprocessor.RangeBounds;
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
 * What the node's register says of a range that lives on it.
 *
 * <pre>
 * byte version = 1 | utf store | long id | long epoch | bytes start | boolean hasEnd [bytes end] | int voters, each utf
 * </pre>
 *
 * @param store name of the store
 * @param id unique in the store, never given again
 * @param epoch rises with every split, merge and voter change
 * @param voters store ids
 */
record RangeDescriptor(String store, long id, long epoch, RangeBounds bounds, List<String> voters) {
    private static final int VERSION = 1;
    private static final int MAX_KEY_BYTES = 1 << 20;

    RangeDescriptor {
        voters = List.copyOf(voters);
    }

    /** Name of its Raft group, and of nothing else on this node. */
    String groupId() {
        return store + "-" + id;
    }

    String directoryName() {
        return "range-" + id;
    }

    byte[] encode() {
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
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return bytes.toByteArray();
    }

    /** @throws IOException if it is not a descriptor of this version */
    static RangeDescriptor decode(byte[] encoded) throws IOException {
        try (DataInputStream in = new DataInputStream(new ByteArrayInputStream(encoded))) {
            int version = in.readUnsignedByte();
            if (version != VERSION) {
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
            return new RangeDescriptor(store, id, epoch, new RangeBounds(start, end), voters);
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
