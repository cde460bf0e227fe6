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
 * Parses tokens and checks their signatures. Exceptions of jose4j may contain the token, so none leaves this class.
 * Thread-safe.
 */
final class JwtVerifier {
    /** Longer text is no token: its rights are kept in memory for the lifetime of the connection. */
    static final int MAX_BYTES = 16 * 1_024;

    /** Characters that may follow the first brace of a JSON object. */
    private static final String AFTER_BRACE = "\"} \t\r\n";

    private final Set<String> algorithms;
    private final AlgorithmConstraints constraints;

    /** The header of a token; nothing in it is proven. */
    record Header(String algorithm, @Nullable String keyId) {}

    JwtVerifier(List<String> algorithms) {
        this.algorithms = Set.copyOf(algorithms);
        this.constraints = new AlgorithmConstraints(ConstraintType.PERMIT, algorithms.toArray(new String[0]));
    }

    /**
     * Whether the text has the form of a token: three parts, the first of which is a JSON object. It may still be
     * invalid.
     */
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

    /** Empty if the token is malformed or its algorithm is not allowed. */
    Optional<Header> header(String token) {
        try {
            JsonWebSignature signature = parse(token);
            String algorithm = signature.getAlgorithmHeaderValue();
            return algorithm != null && algorithms.contains(algorithm)
                    ? Optional.of(new Header(algorithm, signature.getKeyIdHeaderValue()))
                    : Optional.empty();
        } catch (JoseException | RuntimeException e) { // clients may send anything
            return Optional.empty();
        }
    }

    /** The claims, if one of the keys has signed them; otherwise empty. Takes up to a millisecond per key. */
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
        } catch (JoseException | CharacterCodingException | RuntimeException e) { // clients may send anything
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
