package io.godwit.it.auth;

import com.hivemq.client.mqtt.datatypes.MqttUtf8String;
import com.hivemq.client.mqtt.mqtt5.Mqtt5ClientConfig;
import com.hivemq.client.mqtt.mqtt5.auth.Mqtt5EnhancedAuthMechanism;
import com.hivemq.client.mqtt.mqtt5.message.auth.Mqtt5AuthBuilder;
import com.hivemq.client.mqtt.mqtt5.message.auth.Mqtt5EnhancedAuthBuilder;
import com.hivemq.client.mqtt.mqtt5.message.connect.Mqtt5Connect;
import com.hivemq.client.mqtt.mqtt5.message.connect.connack.Mqtt5ConnAck;
import com.hivemq.client.mqtt.mqtt5.message.disconnect.Mqtt5Disconnect;
import java.util.concurrent.CompletableFuture;

/**
 * The client's side of a method of enhanced authentication, for HiveMQ's client. Each authentication, at the CONNECT or
 * later, begins with Authentication Data. A refusal changes nothing here; the tests see it.
 */
abstract class DataMechanism implements Mqtt5EnhancedAuthMechanism {
    private final String method;

    DataMechanism(String method) {
        this.method = method;
    }

    /** The Authentication Data of the CONNECT or the first AUTH. */
    abstract byte[] first();

    @Override
    public MqttUtf8String getMethod() {
        return MqttUtf8String.of(method);
    }

    @Override
    public int getTimeout() {
        return 10;
    }

    @Override
    public CompletableFuture<Void> onAuth(
            Mqtt5ClientConfig config, Mqtt5Connect connect, Mqtt5EnhancedAuthBuilder answer) {
        answer.data(first());
        return CompletableFuture.completedFuture(null);
    }

    @Override
    public CompletableFuture<Void> onReAuth(Mqtt5ClientConfig config, Mqtt5AuthBuilder answer) {
        answer.data(first());
        return CompletableFuture.completedFuture(null);
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
