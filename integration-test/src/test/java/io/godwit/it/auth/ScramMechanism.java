package io.godwit.it.auth;

import com.hivemq.client.mqtt.mqtt5.Mqtt5ClientConfig;
import com.hivemq.client.mqtt.mqtt5.message.auth.Mqtt5Auth;
import com.hivemq.client.mqtt.mqtt5.message.auth.Mqtt5AuthBuilder;
import com.hivemq.client.mqtt.mqtt5.message.auth.Mqtt5EnhancedAuth;
import com.hivemq.client.mqtt.mqtt5.message.connect.connack.Mqtt5ConnAck;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.util.Base64;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import javax.crypto.Mac;
import javax.crypto.SecretKeyFactory;
import javax.crypto.spec.PBEKeySpec;
import javax.crypto.spec.SecretKeySpec;

/** The client's side of SCRAM-SHA-256 (RFC 5802) for HiveMQ's client, written without a look at the broker's. */
final class ScramMechanism extends DataMechanism {
    private static final String HEADER = "n,,";

    private final String user;
    private volatile String password;
    private volatile String firstBare = "";
    private volatile String expectedSignature = "";

    ScramMechanism(String user, String password) {
        super("SCRAM-SHA-256");
        this.user = user;
        this.password = password;
    }

    void password(String next) {
        password = next;
    }

    @Override
    byte[] first() {
        firstBare = "n=" + user + ",r=" + UUID.randomUUID();
        return (HEADER + firstBare).getBytes(StandardCharsets.UTF_8);
    }

    @Override
    public CompletableFuture<Boolean> onContinue(Mqtt5ClientConfig config, Mqtt5Auth auth, Mqtt5AuthBuilder answer) {
        try {
            answer.data(clientFinal(text(auth.getData())).getBytes(StandardCharsets.UTF_8));
            return CompletableFuture.completedFuture(true);
        } catch (GeneralSecurityException e) {
            return CompletableFuture.failedFuture(e);
        }
    }

    private String clientFinal(String serverFirst) throws GeneralSecurityException {
        String[] parts = serverFirst.split(",", 3);
        byte[] salt = Base64.getDecoder().decode(parts[1].substring(2));
        int iterations = Integer.parseInt(parts[2].substring(2));
        byte[] salted = SecretKeyFactory.getInstance("PBKDF2WithHmacSHA256")
                .generateSecret(new PBEKeySpec(password.toCharArray(), salt, iterations, 256))
                .getEncoded();
        String withoutProof =
                "c=" + Base64.getEncoder().encodeToString(HEADER.getBytes(StandardCharsets.UTF_8)) + "," + parts[0];
        String authMessage = firstBare + "," + serverFirst + "," + withoutProof;
        byte[] proof = hmac(salted, "Client Key");
        byte[] signature = hmac(MessageDigest.getInstance("SHA-256").digest(proof), authMessage);
        for (int i = 0; i < proof.length; i++) {
            proof[i] ^= signature[i];
        }
        expectedSignature = "v=" + Base64.getEncoder().encodeToString(hmac(hmac(salted, "Server Key"), authMessage));
        return withoutProof + ",p=" + Base64.getEncoder().encodeToString(proof);
    }

    private static byte[] hmac(byte[] key, String text) throws GeneralSecurityException {
        Mac mac = Mac.getInstance("HmacSHA256");
        mac.init(new SecretKeySpec(key, "HmacSHA256"));
        return mac.doFinal(text.getBytes(StandardCharsets.UTF_8));
    }

    /** The server proves that it knows the user too. */
    @Override
    public CompletableFuture<Boolean> onAuthSuccess(Mqtt5ClientConfig config, Mqtt5ConnAck connAck) {
        return CompletableFuture.completedFuture(
                expectedSignature.equals(text(connAck.getEnhancedAuth().flatMap(Mqtt5EnhancedAuth::getData))));
    }

    @Override
    public CompletableFuture<Boolean> onReAuthSuccess(Mqtt5ClientConfig config, Mqtt5Auth auth) {
        return CompletableFuture.completedFuture(expectedSignature.equals(text(auth.getData())));
    }

    private static String text(Optional<ByteBuffer> data) {
        return data.map(buffer ->
                        StandardCharsets.UTF_8.decode(buffer.duplicate()).toString())
                .orElse("");
    }
}
