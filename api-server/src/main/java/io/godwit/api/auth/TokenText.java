package io.godwit.api.auth;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.security.SecureRandom;
import java.util.Base64;
import java.util.HexFormat;

/**
 * The text of a token, which its owner keeps: {@code gdw_} and 256 random bits in base64url. The broker stores only its
 * hash.
 */
public final class TokenText {
    /** Lets scanners for leaked secrets recognize a token. */
    private static final String PREFIX = "gdw_";

    private static final int RANDOM_BYTES = 32;
    /** Of a hash, in logs. */
    private static final int SHOWN_DIGITS = 8;

    private TokenText() {}

    public static String make(SecureRandom random) {
        byte[] secret = new byte[RANDOM_BYTES];
        random.nextBytes(secret);
        return PREFIX + Base64.getUrlEncoder().withoutPadding().encodeToString(secret);
    }

    /**
     * A name for a token or a certificate that its name alone does not identify.
     *
     * @param from {@code file} or {@code api}
     * @param hash of a token, in hexadecimal
     */
    static String source(String from, String hash) {
        return from + ":" + hash.substring(0, Math.min(SHOWN_DIGITS, hash.length()));
    }

    /** SHA-256 of the text in hexadecimal. */
    static String hex(String text) {
        return HexFormat.of().formatHex(hash(text));
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
