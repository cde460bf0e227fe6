package io.godwit.it.auth;

import com.hivemq.client.mqtt.mqtt5.Mqtt5ClientConfig;
import com.hivemq.client.mqtt.mqtt5.message.auth.Mqtt5Auth;
import com.hivemq.client.mqtt.mqtt5.message.auth.Mqtt5AuthBuilder;
import com.hivemq.client.mqtt.mqtt5.message.connect.connack.Mqtt5ConnAck;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.CompletableFuture;

/** Tokens as Authentication Data, for HiveMQ's client: one at the CONNECT, and newer ones while it is connected. */
final class TokenMechanism extends DataMechanism {
    private volatile String token;

    TokenMechanism(String token) {
        super("JWT");
        this.token = token;
    }

    /** For the next re-authentication. */
    void token(String next) {
        token = next;
    }

    @Override
    byte[] first() {
        return token.getBytes(StandardCharsets.UTF_8);
    }

    /** A token is sent at once, so the broker has nothing to ask for. */
    @Override
    public CompletableFuture<Boolean> onContinue(Mqtt5ClientConfig config, Mqtt5Auth auth, Mqtt5AuthBuilder answer) {
        return CompletableFuture.completedFuture(false);
    }

    @Override
    public CompletableFuture<Boolean> onAuthSuccess(Mqtt5ClientConfig config, Mqtt5ConnAck connAck) {
        return CompletableFuture.completedFuture(true);
    }

    @Override
    public CompletableFuture<Boolean> onReAuthSuccess(Mqtt5ClientConfig config, Mqtt5Auth auth) {
        return CompletableFuture.completedFuture(true);
    }
}
