package io.godwit.broker.auth.jwt;

import java.security.Key;
import java.security.interfaces.RSAKey;
import org.jspecify.annotations.Nullable;

/**
 * A key that verifies signatures.
 *
 * @param id its {@code kid}; null if it has none
 * @param algorithm the only algorithm that it may be used for; null for any of its kind
 */
record TokenKey(@Nullable String id, @Nullable String algorithm, KeyKind kind, Key key) {
    static final int MIN_RSA_BITS = 2_048;
    /** A larger key is too slow. */
    private static final int MAX_RSA_BITS = 8_192;

    boolean isFor(String wanted) {
        return kind.fits(wanted) && (algorithm == null || algorithm.equals(wanted));
    }

    /** The error in its length; empty if there is none. */
    static String lengthError(Key key) {
        if (!(key instanceof RSAKey rsa)) {
            return "";
        }
        int bits = rsa.getModulus().bitLength();
        return bits < MIN_RSA_BITS || bits > MAX_RSA_BITS
                ? "an RSA key has " + bits + " bits, must have from " + MIN_RSA_BITS + " to " + MAX_RSA_BITS
                : "";
    }

    /** Without the key. */
    @Override
    public String toString() {
        return "TokenKey[id=" + id + ", kind=" + kind + "]";
    }
}
