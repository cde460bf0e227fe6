package io.godwit.kv.range.state;

import java.nio.ByteBuffer;

/** Unsigned numbers below 2^31 in groups of seven bits, lowest first. */
public final class Varint {
    private Varint() {}

    public static int size(int value) {
        int size = 1;
        for (int rest = value >>> 7; rest != 0; rest >>>= 7) {
            size++;
        }
        return size;
    }

    /** Writes {@code value}; returns the position after it. */
    public static int write(byte[] target, int position, int value) {
        int at = position;
        int rest = value;
        while ((rest & ~0x7f) != 0) {
            target[at++] = (byte) (rest | 0x80);
            rest >>>= 7;
        }
        target[at++] = (byte) rest;
        return at;
    }

    /** @throws IllegalArgumentException if the number does not end in time or is negative */
    public static int read(ByteBuffer in) {
        int value = 0;
        for (int shift = 0; shift < 35 && in.hasRemaining(); shift += 7) {
            byte next = in.get();
            value |= (next & 0x7f) << shift;
            if (next >= 0) {
                if (value < 0) {
                    break;
                }
                return value;
            }
        }
        throw new IllegalArgumentException("bad number");
    }
}
