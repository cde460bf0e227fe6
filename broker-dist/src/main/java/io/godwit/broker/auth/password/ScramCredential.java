package io.godwit.broker.auth.password;

import java.security.MessageDigest;
import java.security.SecureRandom;
import java.util.Base64;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The values that SCRAM-SHA-256 stores for a password (RFC 5802, 3), in PostgreSQL's format: {@code
 * SCRAM-SHA-256$iterations:salt$storedKey:serverKey}. A user with one may log in by SCRAM or with the plain password.
 *
 * @param iterations computed by the client at each login by SCRAM, and by the broker only for a plain password
 */
@SuppressWarnings("ArrayRecordComponent") // never modified or compared
public record ScramCredential(int iterations, byte[] salt, byte[] storedKey, byte[] serverKey) implements Credential {
    static final String PREFIX = "SCRAM-SHA-256$";
    public static final int DEFAULT_ITERATIONS = 16_384;

    /** The minimum of RFC 7677, 4. */
    private static final int MIN_ITERATIONS = 4_096;

    private static final int MAX_ITERATIONS = 1_000_000;
    private static final int KEY_BYTES = 32;
    private static final Pattern FORMAT = Pattern.compile(
            "SCRAM-SHA-256\\$([0-9]{1,9}):([A-Za-z0-9+/]{8,200}={0,2})\\$([A-Za-z0-9+/]{43}=):([A-Za-z0-9+/]{43}=)");

    public ScramCredential {
        if (iterations < MIN_ITERATIONS || iterations > MAX_ITERATIONS) {
            throw new IllegalArgumentException("the iterations of SCRAM-SHA-256 must be from " + MIN_ITERATIONS + " to "
                    + MAX_ITERATIONS + ", was " + iterations);
        }
        if (storedKey.length != KEY_BYTES || serverKey.length != KEY_BYTES) {
            throw new IllegalArgumentException("the keys of SCRAM-SHA-256 have " + KEY_BYTES + " characters");
        }
    }

    /**
     * @throws IllegalArgumentException if SCRAM does not allow {@code password}: it must be UTF-8 without control
     * characters
     */
    public static ScramCredential of(byte[] password, int iterations, SecureRandom random) {
        byte[] salt = new byte[16];
        random.nextBytes(salt);
        return of(password, iterations, salt);
    }

    public static ScramCredential of(byte[] password, int iterations, byte[] salt) {
        byte[] prepared = SaslPrep.prepare(password)
                .orElseThrow(() -> new IllegalArgumentException(
                        "a password for SCRAM must be UTF-8 text without control characters, at most "
                                + SaslPrep.MAX_CHARS + " characters"));
        byte[] salted = Hmac.pbkdf2(Hmac.SHA_256, prepared, salt, iterations);
        byte[] storedKey = Hmac.digest(Hmac.sha256(salted, "Client Key"));
        return new ScramCredential(iterations, salt, storedKey, Hmac.sha256(salted, "Server Key"));
    }

    static ScramCredential parse(String text) {
        Matcher matcher = FORMAT.matcher(text);
        if (!matcher.matches()) {
            throw new IllegalArgumentException("not a complete SCRAM-SHA-256 credential");
        }
        Base64.Decoder base64 = Base64.getDecoder();
        return new ScramCredential(
                Integer.parseInt(matcher.group(1)),
                base64.decode(matcher.group(2)),
                base64.decode(matcher.group(3)),
                base64.decode(matcher.group(4)));
    }

    @Override
    public boolean matches(byte[] password) {
        Optional<byte[]> prepared = SaslPrep.prepare(password);
        if (prepared.isEmpty()) {
            return false;
        }
        byte[] salted = Hmac.pbkdf2(Hmac.SHA_256, prepared.get(), salt, iterations);
        return MessageDigest.isEqual(storedKey, Hmac.digest(Hmac.sha256(salted, "Client Key")));
    }

    @Override
    public String text() {
        Base64.Encoder base64 = Base64.getEncoder();
        return PREFIX + iterations + ":" + base64.encodeToString(salt) + "$" + base64.encodeToString(storedKey) + ":"
                + base64.encodeToString(serverKey);
    }

    @Override
    public String kind() {
        return "SCRAM-SHA-256 iterations=" + iterations;
    }

    /** Without the keys. */
    @Override
    public String toString() {
        return kind();
    }
}
