package io.godwit.it.kv.history;

import org.jspecify.annotations.Nullable;

/**
 * What a client asks of one register. Nobody writes a value twice, so that a value tells which request wrote it.
 *
 * @param value to write; null for a read
 * @param expected of a compare-and-set: what must be there, null for nothing; null for the others
 */
public record Request(
        Kind kind,
        String key,
        @Nullable String value,
        @Nullable String expected) {
    public enum Kind {
        READ,
        WRITE,
        /** Writes if the register holds what is expected. */
        CAS
    }

    public static Request read(String key) {
        return new Request(Kind.READ, key, null, null);
    }

    public static Request write(String key, String value) {
        return new Request(Kind.WRITE, key, value, null);
    }

    public static Request cas(String key, @Nullable String expected, String value) {
        return new Request(Kind.CAS, key, value, expected);
    }

    /** As {@link #parse} reads it. */
    @Override
    public String toString() {
        return switch (kind) {
            case READ -> "read " + key;
            case WRITE -> "write " + key + ' ' + value;
            case CAS -> "cas " + key + ' ' + Reply.orNone(expected) + ' ' + value;
        };
    }

    /** @throws IllegalArgumentException if it is no request */
    public static Request parse(String text) {
        String[] words = text.split(" ", -1);
        String form = words[0] + words.length;
        return switch (form) {
            case "read2" -> read(words[1]);
            case "write3" -> write(words[1], words[2]);
            case "cas4" -> cas(words[1], words[2].equals(Reply.NONE) ? null : words[2], words[3]);
            default -> throw new IllegalArgumentException("no request: " + text);
        };
    }
}
