package io.godwit.kv.range.state;

import io.godwit.common.bytes.Varint;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;

/**
 * The content of a log entry: one byte for the format version, one for the kind; {@link #MUTATIONS} are followed by
 * their number, and each mutation is preceded by its length. Numbers are unsigned varints. The other kinds are
 * {@link RangeCommand}s.
 */
public final class RangeEntry {
    static final byte VERSION = 1;
    static final byte MUTATIONS = 1;
    static final byte SPLIT = 2;
    public static final byte REPLICAS = 3;
    static final byte ABSORB = 4;
    public static final byte COPY = 5;
    static final byte JOIN = 6;
    public static final byte REFRAIN = 7;
    static final byte YIELD = 8;
    public static final byte RESUME = 9;
    static final byte RETIRE = 10;
    static final byte FORGET = 11;

    private RangeEntry() {}

    public static byte[] encode(List<byte[]> mutations) {
        int size = 2 + Varint.size(mutations.size());
        for (byte[] mutation : mutations) {
            size += Varint.size(mutation.length) + mutation.length;
        }
        byte[] entry = new byte[size];
        entry[0] = VERSION;
        entry[1] = MUTATIONS;
        int at = Varint.write(entry, 2, mutations.size());
        for (byte[] mutation : mutations) {
            at = Varint.write(entry, at, mutation.length);
            System.arraycopy(mutation, 0, entry, at, mutation.length);
            at += mutation.length;
        }
        return entry;
    }

    /** Whether the entry has mutations and not a command. Borrows {@code data}. */
    public static boolean isMutations(ByteBuffer data) {
        return data.remaining() < 2 || data.get(data.position() + 1) == MUTATIONS;
    }

    /**
     * Decodes the mutations of an entry. Borrows {@code data}: its position stays.
     *
     * @throws IllegalArgumentException if it is not an entry of mutations in this version
     */
    public static List<byte[]> decode(ByteBuffer data) {
        ByteBuffer in = data.duplicate();
        if (in.remaining() < 3) {
            throw new IllegalArgumentException("log entry of " + in.remaining() + " bytes");
        }
        byte version = in.get();
        byte kind = in.get();
        if (version != VERSION || kind != MUTATIONS) {
            throw new IllegalArgumentException("log entry version=" + version + " kind=" + kind);
        }
        int count = Varint.readInt(in);
        List<byte[]> mutations = new ArrayList<>(Math.min(count, in.remaining()));
        for (int i = 0; i < count; i++) {
            int length = Varint.readInt(in);
            if (length > in.remaining()) {
                throw new IllegalArgumentException("mutation of " + length + " bytes, " + in.remaining() + " left");
            }
            byte[] mutation = new byte[length];
            in.get(mutation);
            mutations.add(mutation);
        }
        if (in.hasRemaining()) {
            throw new IllegalArgumentException(in.remaining() + " bytes behind the last mutation");
        }
        return mutations;
    }
}
