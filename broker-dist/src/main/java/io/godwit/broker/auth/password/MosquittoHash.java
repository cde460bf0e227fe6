package io.godwit.broker.auth.password;

import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Base64;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A hash made by {@code mosquitto_passwd}: {@code $6$salt$hash}, SHA-512 over password and salt, or {@code
 * $7$iterations$salt$hash}, PBKDF2 with SHA-512. It is accepted so that a file can be moved over, but is weaker than
 * ours (101 iterations by default).
 *
 * @param iterations 0 for {@code $6$}
 */
@SuppressWarnings("ArrayRecordComponent") // never modified or compared
record MosquittoHash(String text, int iterations, byte[] salt, byte[] hash) implements Credential {
    private static final int HASH_BYTES = 64;
    private static final int MAX_ITERATIONS = 1_000_000;
    private static final Pattern FORMAT =
            Pattern.compile("\\$(?:6|7\\$([0-9]{1,9}))\\$([A-Za-z0-9+/]{4,200}={0,2})\\$([A-Za-z0-9+/]{86}==)");

    static MosquittoHash parse(String text) {
        Matcher matcher = FORMAT.matcher(text);
        if (!matcher.matches()) {
            throw new IllegalArgumentException("not a complete hash of mosquitto_passwd");
        }
        String given = matcher.group(1);
        int iterations = given == null ? 0 : Integer.parseInt(given);
        if (given != null && (iterations < 1 || iterations > MAX_ITERATIONS)) {
            throw new IllegalArgumentException(
                    "the iterations of $7$ must be from 1 to " + MAX_ITERATIONS + ", was " + iterations);
        }
        return new MosquittoHash(
                text,
                iterations,
                Base64.getDecoder().decode(matcher.group(2)),
                Base64.getDecoder().decode(matcher.group(3)));
    }

    @Override
    public boolean matches(byte[] password) {
        byte[] made = iterations == 0 ? digest(password) : Hmac.pbkdf2("HmacSHA512", password, salt, iterations);
        return hash.length == HASH_BYTES && MessageDigest.isEqual(hash, made);
    }

    private byte[] digest(byte[] password) {
        try {
            MessageDigest sha512 = MessageDigest.getInstance("SHA-512");
            sha512.update(password);
            return sha512.digest(salt);
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every JDK has SHA-512", e);
        }
    }

    @Override
    public String kind() {
        return iterations == 0 ? "mosquitto sha512" : "mosquitto pbkdf2 iterations=" + iterations;
    }

    /** Without the hash. */
    @Override
    public String toString() {
        return kind();
    }
}
