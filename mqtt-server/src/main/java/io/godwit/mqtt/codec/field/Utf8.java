package io.godwit.mqtt.codec.field;

import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/**
 * UTF-8 as MQTT allows it: well formed, no surrogates [MQTT5-1.5.4-1], no U+0000 [MQTT5-1.5.4-2]. Control characters
 * and noncharacters are allowed, and U+FEFF is kept [MQTT5-1.5.4-3].
 */
final class Utf8 {
    private Utf8() {}

    /** The text of {@code length} bytes; null when MQTT does not allow them. */
    static @Nullable String decode(byte[] bytes, int offset, int length) {
        int end = offset + length;
        for (int i = offset; i < end; i++) {
            if (bytes[i] <= 0) {
                return isValid(bytes, i, end) ? new String(bytes, offset, length, StandardCharsets.UTF_8) : null;
            }
        }
        return new String(bytes, offset, length, StandardCharsets.ISO_8859_1); // ASCII: one copy, no decoding
    }

    private static boolean isValid(byte[] bytes, int from, int end) {
        int i = from;
        while (i < end) {
            int first = bytes[i++];
            if (first > 0) {
                continue;
            }
            int more = continuationBytes(first & 0xFF);
            if (more == 0 || end - i < more) {
                return false;
            }
            int codePoint = first & (0x3F >> more);
            for (int k = 0; k < more; k++) {
                int next = bytes[i++];
                if ((next & 0xC0) != 0x80) {
                    return false;
                }
                codePoint = codePoint << 6 | next & 0x3F;
            }
            if (codePoint < smallest(more)
                    || codePoint > Character.MAX_CODE_POINT
                    || codePoint >= Character.MIN_SURROGATE && codePoint <= Character.MAX_SURROGATE) {
                return false;
            }
        }
        return true;
    }

    /** Number of bytes after a first byte that is 0, or 0x80 and above; 0 when the first byte is not valid. */
    private static int continuationBytes(int first) {
        if (first >= 0xC2 && first <= 0xDF) {
            return 1;
        }
        if (first >= 0xE0 && first <= 0xEF) {
            return 2;
        }
        return first >= 0xF0 && first <= 0xF4 ? 3 : 0;
    }

    /** The smallest code point that needs this many continuation bytes; a smaller one is an overlong form. */
    private static int smallest(int continuationBytes) {
        return switch (continuationBytes) {
            case 1 -> 0x80;
            case 2 -> 0x800;
            default -> 0x10000;
        };
    }
}
