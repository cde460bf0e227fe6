package io.godwit.broker.auth.password;

import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.text.Normalizer;
import java.util.Optional;

/**
 * Prepares user names and passwords for comparison as SCRAM requires (RFC 4013): all kinds of space become one,
 * invisible characters are removed, compatibility forms are normalized; control characters, private use and unassigned
 * characters are refused. ASCII text without control characters is unchanged. Its rule against mixed writing directions
 * is left out: it protects readers, not comparisons.
 */
final class SaslPrep {
    /** Longer text is refused: normalization takes time quadratic in the length (64 KB of combining marks: 0.6 s). */
    static final int MAX_CHARS = 1024;

    private SaslPrep() {}

    /** Empty if {@code text} has a prohibited character or more than {@link #MAX_CHARS}. */
    static Optional<String> prepare(String text) {
        if (text.length() > MAX_CHARS) {
            return Optional.empty();
        }
        StringBuilder mapped = new StringBuilder(text.length());
        text.codePoints().forEach(c -> {
            if (Character.getType(c) == Character.SPACE_SEPARATOR) {
                mapped.append(' ');
            } else if (!isMappedToNothing(c)) {
                mapped.appendCodePoint(c);
            }
        });
        String normal = Normalizer.normalize(mapped, Normalizer.Form.NFKC);
        return normal.codePoints().anyMatch(SaslPrep::isProhibited) ? Optional.empty() : Optional.of(normal);
    }

    /** As above, for UTF-8 bytes; empty if they are no UTF-8. */
    static Optional<byte[]> prepare(byte[] utf8) {
        try {
            String text = StandardCharsets.UTF_8
                    .newDecoder()
                    .decode(ByteBuffer.wrap(utf8))
                    .toString();
            return prepare(text).map(prepared -> prepared.getBytes(StandardCharsets.UTF_8));
        } catch (CharacterCodingException e) {
            return Optional.empty();
        }
    }

    /** RFC 3454, table B.1. */
    private static boolean isMappedToNothing(int c) {
        return c == 0x00AD
                || c == 0x034F
                || c == 0x1806
                || c >= 0x180B && c <= 0x180D
                || c >= 0x200B && c <= 0x200D
                || c == 0x2060
                || c >= 0xFE00 && c <= 0xFE0F
                || c == 0xFEFF;
    }

    private static boolean isProhibited(int c) {
        return switch (Character.getType(c)) {
            case Character.CONTROL,
                    Character.FORMAT,
                    Character.PRIVATE_USE,
                    Character.SURROGATE,
                    Character.UNASSIGNED,
                    Character.LINE_SEPARATOR,
                    Character.PARAGRAPH_SEPARATOR -> true;
            default -> c >= 0xFFF9 && c <= 0xFFFD || c >= 0x2FF0 && c <= 0x2FFB;
        };
    }
}
