package io.godwit.api.auth;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.security.SecureRandom;
import java.util.Base64;

/**
 * The text of a token, which its owner keeps: {@code gdw_} and 256 random bits in base64url. The broker stores only its
 * hash.
 */
public final class TokenText {
    /** Lets scanners for leaked secrets recognize a token. */
    private static final String PREFIX = "gdw_";

    private static final int RANDOM_BYTES = 32;

    private TokenText() {}

    public static String make(SecureRandom random) {
        byte[] secret = new byte[RANDOM_BYTES];
        random.nextBytes(secret);
        return PREFIX + Base64.getUrlEncoder().withoutPadding().encodeToString(secret);
    }

    /**
     * SHA-256 of the whole text. A slow hash would add nothing: nobody guesses 256 bits, and each request would pay for
     * it.
     */
    public static byte[] hash(String token) {
        try {
            return MessageDigest.getInstance("SHA-256").digest(token.getBytes(StandardCharsets.UTF_8));
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every JDK has SHA-256", e);
        }
    }
}
