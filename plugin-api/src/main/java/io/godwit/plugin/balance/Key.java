package io.godwit.plugin.balance;

import java.io.ByteArrayOutputStream;
import java.util.Arrays;
import java.util.HexFormat;
import org.jspecify.annotations.Nullable;

/** A key of a key space, as a value; ordered as unsigned bytes. Immutable. */
public final class Key implements Comparable<Key> {
    /** The empty key, the lowest of all. */
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

    /**
     * Readable by people and by {@link #parse}: printable ASCII as it is, a backslash as two, other bytes as {@code \x}
     * and two hexadecimal digits.
     */
    @Override
    public String toString() {
        StringBuilder text = new StringBuilder();
        for (byte each : bytes) {
            if (each == '\\') {
                text.append("\\\\");
            } else if (each > ' ' && each < 0x7f) {
                text.append((char) each);
            } else {
                text.append("\\x").append(HexFormat.of().toHexDigits(each));
            }
        }
        return text.toString();
    }

    /**
     * Reads the output of {@link #toString}.
     *
     * @throws IllegalArgumentException naming the part that is not valid
     */
    public static Key parse(String text) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        int at = 0;
        while (at < text.length()) {
            char each = text.charAt(at);
            if (each <= ' ' || each >= 0x7f) {
                throw new IllegalArgumentException("a key must have \\x and two digits instead of \"" + each + "\"");
            } else if (each != '\\') {
                bytes.write(each);
                at++;
            } else if (text.startsWith("\\\\", at)) {
                bytes.write(each);
                at += 2;
            } else if (text.startsWith("\\x", at) && at + 4 <= text.length()) {
                bytes.write(HexFormat.fromHexDigits(text, at + 2, at + 4));
                at += 4;
            } else {
                throw new IllegalArgumentException("after a backslash a key must have another, or x and two "
                        + "hexadecimal digits, was \"" + text.substring(at) + "\"");
            }
        }
        return new Key(bytes.toByteArray());
    }
}
