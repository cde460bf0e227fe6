package io.godwit.it.kv.history;

import org.jspecify.annotations.Nullable;

/**
 * How a request ended, as far as its client knows.
 *
 * @param value read, or found instead of the expected one; null when the register was empty, and for the other kinds
 * @param detail why it failed or is in doubt; empty otherwise
 */
public record Reply(Kind kind, @Nullable String value, String detail) {
    /** How an empty register is written in text. No value looks like it. */
    static final String NONE = "-";

    public enum Kind {
        /** Written. */
        OK,
        /** Read. */
        VALUE,
        /** Compared, and not set. */
        MISMATCH,
        /** Not done, and never will be. */
        FAIL,
        /** May have been done, may be done at any time from the request on, or never. */
        UNKNOWN
    }

    public static Reply ok() {
        return new Reply(Kind.OK, null, "");
    }

    public static Reply value(@Nullable String value) {
        return new Reply(Kind.VALUE, value, "");
    }

    public static Reply mismatch(@Nullable String found) {
        return new Reply(Kind.MISMATCH, found, "");
    }

    public static Reply fail(String detail) {
        return new Reply(Kind.FAIL, null, detail);
    }

    public static Reply unknown(String detail) {
        return new Reply(Kind.UNKNOWN, null, detail);
    }

    static String orNone(@Nullable String value) {
        return value == null ? NONE : value;
    }

    /** As {@link #parse} reads it. */
    @Override
    public String toString() {
        return switch (kind) {
            case OK -> "ok";
            case VALUE -> "value " + orNone(value);
            case MISMATCH -> "mismatch " + orNone(value);
            case FAIL -> "fail " + detail;
            case UNKNOWN -> "unknown " + detail;
        };
    }

    /** @throws IllegalArgumentException if it is no reply */
    public static Reply parse(String text) {
        int cut = text.indexOf(' ');
        String word = cut < 0 ? text : text.substring(0, cut);
        String rest = cut < 0 ? "" : text.substring(cut + 1);
        @Nullable String value = rest.equals(NONE) ? null : rest;
        return switch (word) {
            case "ok" -> ok();
            case "value" -> value(value);
            case "mismatch" -> mismatch(value);
            case "fail" -> fail(rest);
            case "unknown" -> unknown(rest);
            default -> throw new IllegalArgumentException("no reply: " + text);
        };
    }
}
