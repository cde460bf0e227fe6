package io.godwit.plugin.balance;

import java.util.Arrays;
import java.util.HexFormat;
import org.jspecify.annotations.Nullable;

/** A key of a key space, as a value; ordered as unsigned bytes. Immutable. */
public final class Key implements Comparable<Key> {
    /** The empty key, before which there is none. */
    public static final Key FIRST = new Key(new byte[0]);

    private final byte[] bytes;

    private Key(byte[] bytes) {
        this.bytes = bytes;
    }

    /** Copies {@code bytes}. */
    public static Key of(byte[] bytes) {
        return new Key(bytes.clone());
    }

    /** A copy. */
    public byte[] bytes() {
        return bytes.clone();
    }

    /** Whether it is {@link #FIRST}. */
    public boolean isEmpty() {
        return bytes.length == 0;
    }

    @Override
    public int compareTo(Key other) {
        return Arrays.compareUnsigned(bytes, other.bytes);
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof Key key && Arrays.equals(bytes, key.bytes);
    }

    @Override
    public int hashCode() {
        return Arrays.hashCode(bytes);
    }

    /** In hexadecimal. */
    @Override
    public String toString() {
        return HexFormat.of().formatHex(bytes);
    }
}
