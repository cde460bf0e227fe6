package io.godwit.broker.auth.password;

import java.security.SecureRandom;
import java.util.Arrays;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.bouncycastle.crypto.generators.OpenBSDBCrypt;

/**
 * A bcrypt hash, {@code $2b$cost$saltAndHash}. Bcrypt uses only 72 bytes of a password, so a longer one is refused
 * rather than cut.
 *
 * @param cost 4 to 16; each step doubles the work
 */
public record BcryptHash(String text, int cost) implements Credential {
    public static final int DEFAULT_COST = 10;
    static final int MAX_PASSWORD_BYTES = 72;

    private static final int MIN_COST = 4;
    /** About four seconds per check. */
    private static final int MAX_COST = 16;

    private static final Pattern FORMAT = Pattern.compile("\\$2[aby]\\$([0-9]{2})\\$[./A-Za-z0-9]{53}");

    /** The hash to check for an unknown user, so that the answer takes as long as for a known one. */
    public static final BcryptHash NOBODY =
            parse("$2b$" + DEFAULT_COST + "$......................UaUp2CqHXn14N7RprrzoDsNv91ahi36");

    public static BcryptHash of(byte[] password, int cost, SecureRandom random) {
        if (password.length > MAX_PASSWORD_BYTES) {
            throw new IllegalArgumentException(
                    "bcrypt takes passwords of at most " + MAX_PASSWORD_BYTES + " bytes; --argon2 takes longer ones");
        }
        if (cost < MIN_COST || cost > MAX_COST) {
            throw new IllegalArgumentException("the cost of bcrypt must be from " + MIN_COST + " to " + MAX_COST);
        }
        byte[] salt = new byte[16];
        random.nextBytes(salt);
        return new BcryptHash(OpenBSDBCrypt.generate("2b", password, salt, cost), cost);
    }

    static BcryptHash parse(String text) {
        Matcher matcher = FORMAT.matcher(text);
        if (!matcher.matches()) {
            throw new IllegalArgumentException("not a complete bcrypt hash");
        }
        int cost = Integer.parseInt(matcher.group(1));
        if (cost < MIN_COST || cost > MAX_COST) {
            throw new IllegalArgumentException(
                    "the cost of bcrypt must be from " + MIN_COST + " to " + MAX_COST + ", was " + cost);
        }
        return new BcryptHash(text, cost);
    }

    @Override
    public boolean matches(byte[] password) {
        return password.length <= MAX_PASSWORD_BYTES
                && OpenBSDBCrypt.checkPassword(text, Arrays.copyOf(password, password.length));
    }

    @Override
    public String kind() {
        return "bcrypt cost=" + cost;
    }

    /** Without the hash. */
    @Override
    public String toString() {
        return kind();
    }
}
