package io.godwit.it.auth;

import com.hivemq.client.mqtt.datatypes.MqttUtf8String;
import com.hivemq.client.mqtt.mqtt5.Mqtt5ClientConfig;
import com.hivemq.client.mqtt.mqtt5.auth.Mqtt5EnhancedAuthMechanism;
import com.hivemq.client.mqtt.mqtt5.message.auth.Mqtt5Auth;
import com.hivemq.client.mqtt.mqtt5.message.auth.Mqtt5AuthBuilder;
import com.hivemq.client.mqtt.mqtt5.message.auth.Mqtt5EnhancedAuthBuilder;
import com.hivemq.client.mqtt.mqtt5.message.connect.Mqtt5Connect;
import com.hivemq.client.mqtt.mqtt5.message.connect.connack.Mqtt5ConnAck;
import com.hivemq.client.mqtt.mqtt5.message.disconnect.Mqtt5Disconnect;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.CompletableFuture;

/** Tokens as Authentication Data, for HiveMQ's client: one at the CONNECT, and newer ones while it is connected. */
final class TokenMechanism implements Mqtt5EnhancedAuthMechanism {
    private volatile String token;

    TokenMechanism(String token) {
        this.token = token;
    }

    /** For the next re-authentication. */
    void token(String next) {
        token = next;
    }

    private byte[] data() {
        return token.getBytes(StandardCharsets.UTF_8);
    }

    @Override
    public MqttUtf8String getMethod() {
        return MqttUtf8String.of("JWT");
    }

    @Override
    public int getTimeout() {
        return 10;
    }

    @Override
    public CompletableFuture<Void> onAuth(
            Mqtt5ClientConfig config, Mqtt5Connect connect, Mqtt5EnhancedAuthBuilder answer) {
        answer.data(data());
        return CompletableFuture.completedFuture(null);
    }

    @Override
    public CompletableFuture<Void> onReAuth(Mqtt5ClientConfig config, Mqtt5AuthBuilder answer) {
        answer.data(data());
        return CompletableFuture.completedFuture(null);
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

    @Override
    public void onAuthRejected(Mqtt5ClientConfig config, Mqtt5ConnAck connAck) {}

    @Override
    public void onReAuthRejected(Mqtt5ClientConfig config, Mqtt5Disconnect disconnect) {}

    @Override
    public void onAuthError(Mqtt5ClientConfig config, Throwable cause) {}

    @Override
    public void onReAuthError(Mqtt5ClientConfig config, Throwable cause) {}
}
