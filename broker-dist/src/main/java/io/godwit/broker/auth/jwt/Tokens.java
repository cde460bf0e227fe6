package io.godwit.broker.auth.jwt;

import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jose4j.json.JsonUtil;
import org.jose4j.jwa.AlgorithmConstraints;
import org.jose4j.jwa.AlgorithmConstraints.ConstraintType;
import org.jose4j.jws.JsonWebSignature;
import org.jose4j.lang.JoseException;
import org.jspecify.annotations.Nullable;

/**
 * Takes tokens apart and checks their signatures. What jose4j throws may have the token in its message, so nothing of
 * that leaves this class. Thread-safe.
 */
final class Tokens {
    /** More is no token: its rights are kept in memory while the connection lasts. */
    static final int MAX_BYTES = 16 * 1_024;

    /** What may follow the first character of a JSON object. */
    private static final String AFTER_BRACE = "\"} \t\r\n";

    private final Set<String> algorithms;
    private final AlgorithmConstraints constraints;

    /** What a token says of itself. Nothing of it is proven. */
    record Header(String algorithm, @Nullable String keyId) {}

    Tokens(List<String> algorithms) {
        this.algorithms = Set.copyOf(algorithms);
        this.constraints = new AlgorithmConstraints(ConstraintType.PERMIT, algorithms.toArray(new String[0]));
    }

    /** Whether it is a token, of whatever worth: three parts, the first of which is a JSON object. */
    static boolean isToken(byte[] password) {
        int dots = 0;
        int firstDot = -1;
        for (int i = 0; i < password.length; i++) {
            byte each = password[i];
            if (each == '.') {
                firstDot = dots++ == 0 ? i : firstDot;
            } else if (!(each >= 'a' && each <= 'z'
                    || each >= 'A' && each <= 'Z'
                    || each >= '0' && each <= '9'
                    || each == '-'
                    || each == '_')) {
                return false;
            }
        }
        if (dots != 2 || firstDot < 3) {
            return false;
        }
        byte[] begin = Base64.getUrlDecoder().decode(new String(password, 0, 3, StandardCharsets.US_ASCII));
        return begin[0] == '{' && AFTER_BRACE.indexOf(begin[1]) >= 0;
    }

    /** Empty when it is malformed, or signed in a way that is not allowed. */
    Optional<Header> header(String token) {
        try {
            JsonWebSignature signature = parse(token);
            String algorithm = signature.getAlgorithmHeaderValue();
            return algorithm != null && algorithms.contains(algorithm)
                    ? Optional.of(new Header(algorithm, signature.getKeyIdHeaderValue()))
                    : Optional.empty();
        } catch (JoseException | RuntimeException e) { // a client wrote it
            return Optional.empty();
        }
    }

    /** The claims, if one of the keys has signed them; empty when none has. Computes for up to a millisecond a key. */
    Optional<Map<String, Object>> claims(String token, Header header, List<TokenKey> keys) {
        for (TokenKey key : keys) {
            if (key.isFor(header.algorithm())) {
                Optional<Map<String, Object>> claims = claims(token, key);
                if (claims.isPresent()) {
                    return claims;
                }
            }
        }
        return Optional.empty();
    }

    private Optional<Map<String, Object>> claims(String token, TokenKey key) {
        try {
            JsonWebSignature signature = parse(token);
            signature.setKey(key.key());
            if (!signature.verifySignature()) {
                return Optional.empty();
            }
            return Optional.of(JsonUtil.parseJson(utf8(signature.getPayloadBytes())));
        } catch (JoseException | CharacterCodingException | RuntimeException e) { // a client wrote it
            return Optional.empty();
        }
    }

    private static String utf8(byte[] bytes) throws CharacterCodingException {
        return StandardCharsets.UTF_8
                .newDecoder()
                .decode(ByteBuffer.wrap(bytes))
                .toString();
    }

    private JsonWebSignature parse(String token) throws JoseException {
        JsonWebSignature signature = new JsonWebSignature();
        signature.setAlgorithmConstraints(constraints);
        signature.setCompactSerialization(token);
        return signature;
    }
}
