package io.godwit.broker.auth.jwt;

import java.security.Key;
import java.security.interfaces.RSAKey;
import org.jspecify.annotations.Nullable;

/**
 * A key that signatures are checked with.
 *
 * @param id its {@code kid}; null for one without
 * @param algorithm the only one that it is for; null when it says nothing
 */
record TokenKey(@Nullable String id, @Nullable String algorithm, KeyKind kind, Key key) {
    static final int MIN_RSA_BITS = 2_048;
    /** A larger one takes too long. */
    private static final int MAX_RSA_BITS = 8_192;

    boolean isFor(String wanted) {
        return kind.fits(wanted) && (algorithm == null || algorithm.equals(wanted));
    }

    /** What is wrong with its length; empty for nothing. */
    static String lengthError(Key key) {
        if (!(key instanceof RSAKey rsa)) {
            return "";
        }
        int bits = rsa.getModulus().bitLength();
        return bits < MIN_RSA_BITS || bits > MAX_RSA_BITS
                ? "an RSA key has " + bits + " bits, must have from " + MIN_RSA_BITS + " to " + MAX_RSA_BITS
                : "";
    }

    /** Not the key. */
    @Override
    public String toString() {
        return "TokenKey[id=" + id + ", kind=" + kind + "]";
    }
}
