package io.godwit.it.auth;

import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.Signature;
import java.security.interfaces.ECPublicKey;
import java.security.interfaces.RSAPublicKey;
import java.security.spec.ECGenParameterSpec;
import java.util.Arrays;
import java.util.Base64;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/** Signs tokens, and publishes the keys as a JWK set, written without a look at the broker's side. Thread-safe. */
final class TokenKeys {
    private static final Base64.Encoder BASE64 = Base64.getUrlEncoder().withoutPadding();
    /** The public keys by their ids, as JSON. */
    private final Map<String, String> published = new ConcurrentHashMap<>();

    /** A key pair for one algorithm. */
    record Signer(String algorithm, KeyPair pair) {
        static Signer of(String algorithm) throws GeneralSecurityException {
            KeyPairGenerator generator;
            switch (algorithm) {
                case "RS256" -> {
                    generator = KeyPairGenerator.getInstance("RSA");
                    generator.initialize(2_048);
                }
                case "ES256" -> {
                    generator = KeyPairGenerator.getInstance("EC");
                    generator.initialize(new ECGenParameterSpec("secp256r1"));
                }
                case "EdDSA" -> generator = KeyPairGenerator.getInstance("Ed25519");
                default -> throw new IllegalArgumentException(algorithm);
            }
            return new Signer(algorithm, generator.generateKeyPair());
        }

        /** A token of this issuer for "gate", with rights below "gates/" and its client id. */
        String token(String keyId, String issuer, long seconds) throws GeneralSecurityException {
            long end = System.currentTimeMillis() / 1_000 + seconds;
            String signed = base64("{\"alg\": \"" + algorithm + "\", \"kid\": \"" + keyId + "\"}") + "."
                    + base64("{\"iss\": \"" + issuer + "\", \"sub\": \"gate\", \"exp\": " + end
                            + ", \"acl\": {\"all\": [\"gates/%c/#\"]}}");
            Signature signature = Signature.getInstance(
                    switch (algorithm) {
                        case "RS256" -> "SHA256withRSA";
                        case "ES256" -> "SHA256withECDSAinP1363Format";
                        default -> "Ed25519";
                    });
            signature.initSign(pair.getPrivate());
            signature.update(signed.getBytes(StandardCharsets.UTF_8));
            return signed + "." + BASE64.encodeToString(signature.sign());
        }

        private String jwk(String keyId) {
            String parts;
            if (pair.getPublic() instanceof RSAPublicKey rsa) {
                parts = "\"kty\": \"RSA\", \"n\": \"" + base64(rsa.getModulus(), 0) + "\", \"e\": \""
                        + base64(rsa.getPublicExponent(), 0) + '"';
            } else if (pair.getPublic() instanceof ECPublicKey ec) {
                parts = "\"kty\": \"EC\", \"crv\": \"P-256\", \"x\": \""
                        + base64(ec.getW().getAffineX(), 32) + "\", \"y\": \""
                        + base64(ec.getW().getAffineY(), 32) + '"';
            } else { // an Ed25519 key is the end of what stands in a certificate
                byte[] encoded = pair.getPublic().getEncoded();
                byte[] point = Arrays.copyOfRange(encoded, encoded.length - 32, encoded.length);
                parts = "\"kty\": \"OKP\", \"crv\": \"Ed25519\", \"x\": \"" + BASE64.encodeToString(point) + '"';
            }
            return "{\"kid\": \"" + keyId + "\", " + parts + "}";
        }
    }

    void publish(String keyId, Signer signer) {
        published.put(keyId, signer.jwk(keyId));
    }

    void withdraw(String keyId) {
        published.remove(keyId);
    }

    /** What is published now, as a JWK set. */
    String jwks() {
        return "{\"keys\": [" + String.join(", ", published.values()) + "]}";
    }

    static String base64(String text) {
        return BASE64.encodeToString(text.getBytes(StandardCharsets.UTF_8));
    }

    /** Without a sign, and with zeros before it up to this length. */
    private static String base64(BigInteger number, int leastBytes) {
        byte[] bytes = number.toByteArray();
        int sign = bytes[0] == 0 ? 1 : 0;
        byte[] unsigned = Arrays.copyOfRange(bytes, sign, bytes.length);
        byte[] padded = new byte[Math.max(leastBytes, unsigned.length)];
        System.arraycopy(unsigned, 0, padded, padded.length - unsigned.length, unsigned.length);
        return BASE64.encodeToString(padded);
    }
}
