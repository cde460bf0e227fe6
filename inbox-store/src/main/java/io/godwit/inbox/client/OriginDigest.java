package io.godwit.inbox.client;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;

/** A digest of the origin of a delivery token, because a client chooses the origin and may make it long. */
public final class OriginDigest {
    private OriginDigest() {}

    /** SHA-256 of the origin's UTF-8, 64 lower case hexadecimal digits. */
    public static String of(String origin) {
        try {
            MessageDigest digest = MessageDigest.getInstance("SHA-256");
            return HexFormat.of().formatHex(digest.digest(origin.getBytes(StandardCharsets.UTF_8)));
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every JVM has SHA-256", e);
        }
    }
}
