package io.godwit.broker.auth.jwt;

import java.security.Key;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jose4j.json.JsonUtil;
import org.jose4j.jwk.JsonWebKey;
import org.jose4j.jwk.PublicJsonWebKey;
import org.jose4j.lang.JoseException;
import org.jspecify.annotations.Nullable;

/**
 * Keys with their ids. Immutable.
 *
 * @param skipped how many keys of a JWKS are not used, since they have another purpose or cannot be read
 */
record KeySet(List<TokenKey> keys, int skipped) {
    static final KeySet NONE = new KeySet(List.of(), 0);
    static final int MAX_KEYS = 100;
    /**
     * Bound of keys that are tried for a token: a token that names no key makes the broker check several, at no cost to
     * the client.
     */
    private static final int MAX_TRIES = 4;

    KeySet {
        keys = List.copyOf(keys);
    }

    /**
     * @param isPublic whether anybody can read the JWKS; secrets in it are then ignored
     * @throws JwksException if the text is no JWKS or has no usable key
     */
    static KeySet ofJwks(String json, boolean isPublic) throws JwksException {
        Object listed;
        try {
            listed = JsonUtil.parseJson(json).get("keys");
        } catch (JoseException e) {
            throw new JwksException("is no JSON object");
        }
        if (!(listed instanceof List<?> all)) {
            throw new JwksException("has no list \"keys\"");
        }
        if (all.size() > MAX_KEYS) {
            throw new JwksException("has " + all.size() + " keys, at most " + MAX_KEYS + " are taken");
        }
        List<TokenKey> keys = new ArrayList<>();
        for (Object each : all) {
            key(each, isPublic).ifPresent(keys::add);
        }
        if (keys.isEmpty()) {
            throw new JwksException("has no key for signatures that can be used");
        }
        return new KeySet(keys, all.size() - keys.size());
    }

    private static Optional<TokenKey> key(Object entry, boolean isPublic) {
        if (!(entry instanceof Map<?, ?> map)) {
            return Optional.empty();
        }
        try {
            @SuppressWarnings("unchecked") // names in JSON are strings
            JsonWebKey read = JsonWebKey.Factory.newJwk((Map<String, Object>) map);
            Key key = read instanceof PublicJsonWebKey pair ? pair.getPublicKey() : read.getKey();
            boolean isForSignatures = (read.getUse() == null || read.getUse().equals("sig"))
                    && (read.getKeyOps() == null || read.getKeyOps().contains("verify"));
            KeyKind kind = key == null ? null : KeyKind.of(key).orElse(null);
            if (kind == null
                    || !isForSignatures
                    || isPublic && kind == KeyKind.HMAC
                    || !TokenKey.lengthError(key).isEmpty()) {
                return Optional.empty();
            }
            return Optional.of(new TokenKey(read.getKeyId(), read.getAlgorithm(), kind, key));
        } catch (JoseException | RuntimeException e) { // a JWKS may contain anything
            return Optional.empty();
        }
    }

    KeySet and(KeySet other) {
        List<TokenKey> all = new ArrayList<>(keys);
        all.addAll(other.keys);
        return new KeySet(all, skipped + other.skipped);
    }

    /**
     * The keys that may have signed a token, a few at most.
     *
     * @param id the {@code kid} of the token; null if it has none
     */
    List<TokenKey> candidates(String algorithm, @Nullable String id) {
        List<TokenKey> fitting = new ArrayList<>(1);
        for (TokenKey key : keys) {
            // a key from a PEM file has no id, so it may be any
            boolean isMeant = id == null || key.id() == null || id.equals(key.id());
            if (isMeant && key.isFor(algorithm) && fitting.size() < MAX_TRIES) {
                fitting.add(key);
            }
        }
        return fitting;
    }

    /** Whether there is a key with that id. */
    boolean has(String id) {
        return keys.stream().anyMatch(key -> id.equals(key.id()));
    }

    /** Why a text is no JWKS. The message contains no part of the text. */
    static final class JwksException extends Exception {
        private static final long serialVersionUID = 1L;

        JwksException(String message) {
            super(message);
        }
    }
}
