package io.godwit.it.wire;

import java.nio.charset.StandardCharsets;
import java.util.HexFormat;

/** Bytes as tests write them down. */
public final class Hex {
    private Hex() {}

    /** Bytes of hexadecimal digits; blanks are for the reader, and text in apostrophes stands for its UTF-8 bytes. */
    public static byte[] bytes(String hex) {
        StringBuilder digits = new StringBuilder();
        String[] parts = hex.split("'", -1);
        for (int i = 0; i < parts.length; i++) {
            digits.append(
                    i % 2 == 0
                            ? parts[i].replace(" ", "")
                            : HexFormat.of().formatHex(parts[i].getBytes(StandardCharsets.UTF_8)));
        }
        return HexFormat.of().parseHex(digits);
    }

    /** {@link #bytes} with the remaining length filled in behind the first byte; at most 128 bytes. */
    public static byte[] frame(String hex) {
        byte[] whole = bytes(hex);
        if (whole.length > 128) {
            throw new IllegalArgumentException(whole.length + " bytes need a longer length");
        }
        byte[] frame = new byte[whole.length + 1];
        frame[0] = whole[0];
        frame[1] = (byte) (whole.length - 1);
        System.arraycopy(whole, 1, frame, 2, whole.length - 1);
        return frame;
    }
}
