package io.godwit.mqtt.codec.field;

import io.netty.buffer.ByteBuf;

/**
 * The variable byte integer: seven bits a byte, the lowest first, four bytes at most (MQTT 5.0, 1.5.5). The numbers of
 * stored formats, of up to ten bytes, have their codec in base-common ({@code Varint}, docs/adr/0017).
 *
 * <p>Every packet has some of them. So {@link #read} goes over the bytes once and creates no object: it returns the
 * number and its size together in a long.
 */
public final class VarInt {
    public static final int MAX = 268_435_455;

    /** The result of {@link #read} if the number goes on behind the readable bytes. */
    public static final long INCOMPLETE = -1;

    /** The result of {@link #read} if the number has more than four bytes. */
    public static final long TOO_LONG = -2;

    private static final int MAX_BYTES = 4;

    private VarInt() {}

    /** Encoded size in bytes of {@code value}, 0 to {@link #MAX}. */
    public static int length(int value) {
        if (value < 0x80) {
            return 1;
        }
        if (value < 0x4000) {
            return 2;
        }
        return value < 0x20_0000 ? 3 : 4;
    }

    /** Appends {@code value}, 0 to {@link #MAX}; borrows {@code out}. */
    public static void write(ByteBuf out, int value) {
        int rest = value;
        while (rest >= 0x80) {
            out.writeByte(rest & 0x7F | 0x80);
            rest >>>= 7;
        }
        out.writeByte(rest);
    }

    /**
     * Reads the number at {@code at}, which may be longer than needed; borrows {@code in} and does not move its reader
     * index.
     *
     * @param end end of the readable bytes
     * @return for {@link #value} and {@link #bytes}; or {@link #INCOMPLETE} or {@link #TOO_LONG}, which are negative
     */
    public static long read(ByteBuf in, int at, int end) {
        int value = 0;
        for (int i = 0; i < MAX_BYTES; i++) {
            if (at + i >= end) {
                return INCOMPLETE;
            }
            int next = in.getByte(at + i);
            value |= (next & 0x7F) << 7 * i;
            if (next >= 0) {
                return (long) (i + 1) << 32 | value;
            }
        }
        return TOO_LONG;
    }

    /** The number that was read. */
    public static int value(long read) {
        return (int) read;
    }

    /** The size in bytes of the number that was read. */
    public static int bytes(long read) {
        return (int) (read >>> 32);
    }
}
