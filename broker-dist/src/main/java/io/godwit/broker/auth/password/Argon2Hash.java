package io.godwit.broker.auth.password;

import java.security.MessageDigest;
import java.security.SecureRandom;
import java.util.Base64;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.bouncycastle.crypto.generators.Argon2BytesGenerator;
import org.bouncycastle.crypto.params.Argon2Parameters;

/**
 * An argon2id hash in the usual text form, {@code $argon2id$v=19$m=19456,t=2,p=1$salt$hash}, base64 without padding.
 *
 * @param memoryKib memory for one check; each checking thread needs as much; at most 64 MiB
 */
@SuppressWarnings("ArrayRecordComponent") // never modified or compared
public record Argon2Hash(int memoryKib, int iterations, int lanes, byte[] salt, byte[] hash) implements Credential {
    private static final int DEFAULT_MEMORY_KIB = 19 * 1024;
    private static final int DEFAULT_ITERATIONS = 2;
    private static final int MAX_MEMORY_KIB = 64 * 1024;
    private static final int MAX_ITERATIONS = 20;
    private static final int MAX_LANES = 16;

    private static final Pattern FORMAT =
            Pattern.compile("\\$argon2id\\$v=19\\$m=([0-9]{1,9}),t=([0-9]{1,9}),p=([0-9]{1,9})"
                    + "\\$([A-Za-z0-9+/]{11,86})\\$([A-Za-z0-9+/]{22,86})");

    public Argon2Hash {
        check("m", memoryKib, 8L * lanes, MAX_MEMORY_KIB);
        check("t", iterations, 1, MAX_ITERATIONS);
        check("p", lanes, 1, MAX_LANES);
    }

    private static void check(String name, long value, long least, long most) {
        if (value < least || value > most) {
            throw new IllegalArgumentException(
                    "argon2id's " + name + " must be from " + least + " to " + most + ", was " + value);
        }
    }

    public static Argon2Hash of(byte[] password, SecureRandom random) {
        byte[] salt = new byte[16];
        random.nextBytes(salt);
        byte[] hash = hash(password, DEFAULT_MEMORY_KIB, DEFAULT_ITERATIONS, 1, salt, 32);
        return new Argon2Hash(DEFAULT_MEMORY_KIB, DEFAULT_ITERATIONS, 1, salt, hash);
    }

    static Argon2Hash parse(String text) {
        Matcher matcher = FORMAT.matcher(text);
        if (!matcher.matches()) {
            throw new IllegalArgumentException("not a complete argon2id hash of version 19");
        }
        return new Argon2Hash(
                Integer.parseInt(matcher.group(1)),
                Integer.parseInt(matcher.group(2)),
                Integer.parseInt(matcher.group(3)),
                Base64.getDecoder().decode(matcher.group(4)),
                Base64.getDecoder().decode(matcher.group(5)));
    }

    @Override
    public boolean matches(byte[] password) {
        return MessageDigest.isEqual(hash, hash(password, memoryKib, iterations, lanes, salt, hash.length));
    }

    private static byte[] hash(byte[] password, int memoryKib, int iterations, int lanes, byte[] salt, int bytes) {
        Argon2BytesGenerator generator = new Argon2BytesGenerator();
        generator.init(new Argon2Parameters.Builder(Argon2Parameters.ARGON2_id)
                .withVersion(Argon2Parameters.ARGON2_VERSION_13)
                .withMemoryAsKB(memoryKib)
                .withIterations(iterations)
                .withParallelism(lanes)
                .withSalt(salt)
                .build());
        byte[] hash = new byte[bytes];
        generator.generateBytes(password, hash);
        return hash;
    }

    @Override
    public String text() {
        Base64.Encoder base64 = Base64.getEncoder().withoutPadding();
        return "$argon2id$v=19$m=" + memoryKib + ",t=" + iterations + ",p=" + lanes + "$" + base64.encodeToString(salt)
                + "$" + base64.encodeToString(hash);
    }

    @Override
    public String kind() {
        return "argon2id m=" + memoryKib + ",t=" + iterations + ",p=" + lanes;
    }

    /** Without the hash. */
    @Override
    public String toString() {
        return kind();
    }
}
