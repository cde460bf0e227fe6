package io.godwit.broker.auth.jwt;

import java.security.Key;
import java.security.interfaces.ECKey;
import java.security.interfaces.EdECKey;
import java.security.interfaces.RSAKey;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import javax.crypto.SecretKey;

/**
 * The kind of a key, and the algorithms that it may be used for. A token names its own algorithm, so a token with an
 * HMAC algorithm must not be checked with a public RSA key as the secret.
 */
enum KeyKind {
    HMAC("HS256", "HS384", "HS512"),
    RSA("RS256", "RS384", "RS512", "PS256", "PS384", "PS512"),
    EC_256("ES256"),
    EC_384("ES384"),
    EC_521("ES512"),
    ED("EdDSA");

    @SuppressWarnings("ImmutableEnumChecker") // lists of List.of
    private final List<String> algorithms;

    KeyKind(String... algorithms) {
        this.algorithms = List.of(algorithms);
    }

    boolean fits(String algorithm) {
        return algorithms.contains(algorithm);
    }

    /** Empty for a key of an unsupported kind. */
    static Optional<KeyKind> of(Key key) {
        if (key instanceof SecretKey) {
            return Optional.of(HMAC);
        }
        if (key instanceof RSAKey) {
            return Optional.of(RSA);
        }
        if (key instanceof EdECKey) {
            return Optional.of(ED);
        }
        if (key instanceof ECKey ec) {
            return switch (ec.getParams().getOrder().bitLength()) {
                case 256 -> Optional.of(EC_256);
                case 384 -> Optional.of(EC_384);
                case 521 -> Optional.of(EC_521);
                default -> Optional.empty();
            };
        }
        return Optional.empty();
    }

    /** Whether the algorithm is supported; {@code none} is not. */
    static boolean isKnown(String algorithm) {
        for (KeyKind kind : values()) {
            if (kind.fits(algorithm)) {
                return true;
            }
        }
        return false;
    }

    /** All algorithms, for messages. */
    static List<String> all() {
        return Arrays.stream(values()).flatMap(kind -> kind.algorithms.stream()).toList();
    }
}
