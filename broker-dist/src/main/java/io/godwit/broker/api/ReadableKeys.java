package io.godwit.broker.api;

import java.util.HexFormat;

/** Keys of the stores, for people. */
final class ReadableKeys {
    private static final HexFormat HEX = HexFormat.of();

    private ReadableKeys() {}

    /** Printable ASCII is unchanged, except for the backslash; other bytes become {@code \xNN}. */
    static String of(byte[] key) {
        StringBuilder text = new StringBuilder(key.length);
        for (byte each : key) {
            if (each >= ' ' && each <= '~' && each != '\\') {
                text.append((char) each);
            } else {
                text.append("\\x").append(HEX.toHexDigits(each));
            }
        }
        return text.toString();
    }
}
