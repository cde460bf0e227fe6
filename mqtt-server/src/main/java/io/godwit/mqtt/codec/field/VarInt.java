package io.godwit.mqtt.codec.field;

import io.netty.buffer.ByteBuf;

/** The variable byte integer: seven bits a byte, the lowest first, four bytes at most (MQTT 5.0, 1.5.5). */
public final class VarInt {
    public static final int MAX = 268_435_455;

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
}
