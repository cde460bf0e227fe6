package io.godwit.broker.auth.password;

import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/**
 * Keyed hashes, and PBKDF2 over bytes: the JDK's PBKDF2 accepts only characters, but an MQTT password may be any bytes.
 */
public final class Hmac {
    static final String SHA_256 = "HmacSHA256";

    private static final byte[] FIRST_BLOCK = {0, 0, 0, 1};

    private Hmac() {}

    public static byte[] sha256(byte[] key, byte[] text) {
        return mac(SHA_256, key).doFinal(text);
    }

    public static byte[] sha256(byte[] key, String text) {
        return sha256(key, text.getBytes(StandardCharsets.UTF_8));
    }

    /** SHA-256 without a key. */
    static byte[] digest(byte[] text) {
        try {
            return MessageDigest.getInstance("SHA-256").digest(text);
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every JDK has SHA-256", e);
        }
    }

    /**
     * The first block of PBKDF2 (RFC 8018, 5.2), which is {@code Hi} of RFC 5802; as long as a value of
     * {@code algorithm}.
     */
    static byte[] pbkdf2(String algorithm, byte[] password, byte[] salt, int iterations) {
        Mac mac = mac(algorithm, password);
        mac.update(salt);
        byte[] last = mac.doFinal(FIRST_BLOCK);
        byte[] sum = last.clone();
        for (int i = 1; i < iterations; i++) {
            last = mac.doFinal(last);
            for (int b = 0; b < sum.length; b++) {
                sum[b] ^= last[b];
            }
        }
        return sum;
    }

    private static Mac mac(String algorithm, byte[] key) {
        try {
            Mac mac = Mac.getInstance(algorithm);
            // HMAC pads a short key with zeros, so one zero byte stands for the empty key, which the JDK rejects
            mac.init(new SecretKeySpec(key.length == 0 ? new byte[1] : key, algorithm));
            return mac;
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("every JDK has " + algorithm, e);
        }
    }
}
