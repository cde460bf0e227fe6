package org.example.auth;

import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.util.Arrays;
import java.util.Base64;
import java.util.List;
import javax.crypto.SecretKeyFactory;
import javax.crypto.spec.PBEKeySpec;

/**
 * A line of the file of users: {@code name:iterations:salt:hash:publish:subscribe}. Salt and hash are Base64, the hash
 * is PBKDF2 with HMAC-SHA-256. The last two parts are prefixes of topics, whole levels each, with commas between them.
 */
record User(
        String name,
        int iterations,
        byte[] salt,
        byte[] hash,
        List<String> publish,
        List<String> subscribe) {
    static final int HASH_BYTES = 32;
    static final int MIN_ITERATIONS = 10_000;
    private static final int MAX_ITERATIONS = 2_000_000;
    private static final int MIN_SALT_BYTES = 16;
    private static final int MAX_PASSWORD_BYTES = 1_024;
    private static final int PARTS = 6;

    /** Stands for every prefix. */
    private static final String ALL = "#";

    /** @throws IllegalArgumentException which says what is wrong, without the line: it has a hash */
    static User parse(String line) {
        String[] parts = line.split(":", -1);
        if (parts.length != PARTS || parts[0].isEmpty()) {
            throw new IllegalArgumentException("must be name:iterations:salt:hash:publish:subscribe");
        }
        int iterations = iterations(parts[1]);
        byte[] salt = base64("salt", parts[2]);
        byte[] hash = base64("hash", parts[3]);
        if (salt.length < MIN_SALT_BYTES || hash.length != HASH_BYTES) {
            throw new IllegalArgumentException("the salt must have at least " + MIN_SALT_BYTES + " bytes, the hash "
                    + HASH_BYTES + ", were " + salt.length + " and " + hash.length);
        }
        return new User(parts[0], iterations, salt, hash, prefixes(parts[4]), prefixes(parts[5]));
    }

    private static int iterations(String text) {
        try {
            int iterations = Integer.parseInt(text);
            if (iterations >= MIN_ITERATIONS && iterations <= MAX_ITERATIONS) {
                return iterations;
            }
        } catch (NumberFormatException e) {
            // refused below, like a number out of bounds
        }
        throw new IllegalArgumentException("iterations must be " + MIN_ITERATIONS + " to " + MAX_ITERATIONS);
    }

    private static byte[] base64(String part, String text) {
        try {
            return Base64.getDecoder().decode(text);
        } catch (IllegalArgumentException e) {
            throw new IllegalArgumentException("the " + part + " must be Base64");
        }
    }

    private static List<String> prefixes(String text) {
        List<String> prefixes = text.isEmpty() ? List.of() : List.of(text.split(",", -1));
        for (String each : prefixes) {
            boolean hasWildcard = each.contains("#") || each.contains("+");
            if (!each.equals(ALL) && (each.isEmpty() || hasWildcard || each.endsWith("/"))) {
                throw new IllegalArgumentException("\"" + each + "\" must be # or levels without a wildcard");
            }
        }
        return prefixes;
    }

    /** Costs the iterations, whatever the password. */
    boolean hasPassword(byte[] password) {
        return MessageDigest.isEqual(hash, hash(password, salt, iterations));
    }

    /** An empty or overlong password, and one that is not UTF-8, has a hash that fits no user. */
    static byte[] hash(byte[] password, byte[] salt, int iterations) {
        boolean isUsable = password.length > 0 && password.length <= MAX_PASSWORD_BYTES;
        char[] characters = isUsable ? characters(password) : new char[0];
        PBEKeySpec spec = new PBEKeySpec(characters, salt, iterations, HASH_BYTES * Byte.SIZE);
        try {
            byte[] hash = SecretKeyFactory.getInstance("PBKDF2WithHmacSHA256")
                    .generateSecret(spec)
                    .getEncoded();
            return characters.length == 0 ? new byte[0] : hash;
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("the JDK must have PBKDF2WithHmacSHA256", e);
        } finally {
            spec.clearPassword();
            Arrays.fill(characters, '\0');
        }
    }

    private static char[] characters(byte[] password) {
        try {
            CharBuffer text = StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(password));
            char[] characters = new char[text.remaining()];
            text.get(characters);
            Arrays.fill(text.array(), '\0');
            return characters;
        } catch (CharacterCodingException e) {
            return new char[0];
        }
    }

    boolean mayPublish(String topic) {
        return isBelow(publish, topic);
    }

    /** Because a prefix has no wildcard, every topic that such a filter matches is below the prefix. */
    boolean maySubscribe(String filter) {
        return isBelow(subscribe, filter);
    }

    private static boolean isBelow(List<String> prefixes, String text) {
        for (String prefix : prefixes) {
            if (prefix.equals(ALL) ? !text.startsWith("$") : text.equals(prefix) || text.startsWith(prefix + "/")) {
                return true;
            }
        }
        return false;
    }

    /** Leaves out salt and hash. */
    @Override
    public String toString() {
        return "User[name=" + name + "]";
    }
}
