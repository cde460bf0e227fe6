package io.godwit.common.bytes;

import java.nio.ByteBuffer;

/**
 * Numbers in groups of seven bits, lowest first; the high bit of a byte is set if another byte follows. A number has at
 * most ten bytes, and fewer than ten unless it is negative. The log entries of base-kv, RocksDB's write batches and the
 * records of inbox-store have numbers in this form. MQTT's variable byte integer, of at most four bytes, has its own
 * codec in mqtt-server ({@code VarInt}).
 */
public final class Varint {
    /** The longest number. */
    public static final int MAX_BYTES = 10;

    private static final int MAX_INT_BYTES = 5;

    private Varint() {}

    /** Encoded size of {@code value} in bytes. */
    public static int size(long value) {
        int size = 1;
        for (long rest = value >>> 7; rest != 0; rest >>>= 7) {
            size++;
        }
        return size;
    }

    /** Writes {@code value}; returns the position after it. */
    public static int write(byte[] target, int position, long value) {
        int at = position;
        long rest = value;
        while ((rest & ~0x7FL) != 0) {
            target[at++] = (byte) (rest | 0x80);
            rest >>>= 7;
        }
        target[at++] = (byte) rest;
        return at;
    }

    /**
     * The position after the number at {@code position}.
     *
     * @throws IllegalArgumentException if the number goes beyond {@code limit} or has more than {@link #MAX_BYTES}
     */
    public static int end(byte[] bytes, int position, int limit) {
        int most = Math.min(limit - position, MAX_BYTES);
        for (int i = 0; i < most; i++) {
            if (bytes[position + i] >= 0) {
                return position + i + 1;
            }
        }
        throw new IllegalArgumentException("number at " + position + " has no end within " + most + " bytes");
    }

    /** The number at {@code position}, which ends before {@code end}: the result of {@link #end}. */
    public static long read(byte[] bytes, int position, int end) {
        long value = 0;
        for (int at = end - 1; at >= position; at--) {
            value = value << 7 | bytes[at] & 0x7F;
        }
        return value;
    }

    /**
     * Reads a number from 0 to 2^31 - 1.
     *
     * @throws IllegalArgumentException if the number goes beyond the end of {@code in} or is another one
     */
    public static int readInt(ByteBuffer in) {
        long value = 0;
        for (int i = 0; i < MAX_INT_BYTES && in.hasRemaining(); i++) {
            byte next = in.get();
            value |= (long) (next & 0x7F) << 7 * i;
            if (next >= 0) {
                if (value > Integer.MAX_VALUE) {
                    break;
                }
                return (int) value;
            }
        }
        throw new IllegalArgumentException("bad number");
    }
}
