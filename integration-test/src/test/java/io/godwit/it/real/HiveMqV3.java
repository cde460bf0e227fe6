package io.godwit.it.real;

import com.hivemq.client.mqtt.MqttGlobalPublishFilter;
import com.hivemq.client.mqtt.datatypes.MqttQos;
import com.hivemq.client.mqtt.mqtt3.Mqtt3AsyncClient;
import com.hivemq.client.mqtt.mqtt3.Mqtt3Client;
import com.hivemq.client.mqtt.mqtt3.Mqtt3ClientBuilder;
import com.hivemq.client.mqtt.mqtt3.message.connect.Mqtt3Connect;
import com.hivemq.client.mqtt.mqtt3.message.connect.Mqtt3ConnectBuilder;
import com.hivemq.client.mqtt.mqtt3.message.publish.Mqtt3Publish;
import java.nio.charset.StandardCharsets;
import java.util.Objects;
import java.util.concurrent.TimeUnit;

/** HiveMQ's client, MQTT 3.1.1. */
final class HiveMqV3 implements RealClient {
    private final Settings settings;
    private final Mqtt3AsyncClient client;

    HiveMqV3(Settings settings) {
        this.settings = settings;
        Mqtt3ClientBuilder builder =
                Mqtt3Client.builder().identifier(settings.clientId()).serverAddress(settings.address());
        Via via = settings.via();
        if (via.isTls()) {
            builder = builder.sslConfig().trustManagerFactory(via.trust()).applySslConfig();
        }
        if (via.isWebSocket()) {
            builder = builder.webSocketConfig().serverPath("mqtt").applyWebSocketConfig();
        }
        this.client = builder.buildAsync();
        client.publishes(MqttGlobalPublishFilter.ALL, this::received, true);
    }

    private void received(Mqtt3Publish publish) {
        // first of all: whoever sees the message may hang up
        if (settings.acknowledges()) {
            publish.acknowledge();
        }
        settings.received()
                .add(new Message(
                        publish.getTopic().toString(),
                        new String(publish.getPayloadAsBytes(), StandardCharsets.UTF_8),
                        publish.getQos().getCode(),
                        publish.isRetain()));
    }

    @Override
    public boolean connect() throws Exception {
        Mqtt3ConnectBuilder connect = Mqtt3Connect.builder().cleanSession(settings.clean());
        Will will = settings.will();
        if (will != null) {
            connect = connect.willPublish()
                    .topic(will.topic())
                    .payload(will.payload().getBytes(StandardCharsets.UTF_8))
                    .qos(Objects.requireNonNull(MqttQos.fromCode(will.qos())))
                    .applyWillPublish();
        }
        return client.connect(connect.build()).get(10, TimeUnit.SECONDS).isSessionPresent();
    }

    @Override
    public void subscribe(String filter, int qos) throws Exception {
        client.subscribeWith()
                .topicFilter(filter)
                .qos(Objects.requireNonNull(MqttQos.fromCode(qos)))
                .send()
                .get(10, TimeUnit.SECONDS);
    }

    @Override
    public void publish(String topic, String payload, int qos, boolean retain) throws Exception {
        client.publishWith()
                .topic(topic)
                .payload(payload.getBytes(StandardCharsets.UTF_8))
                .qos(Objects.requireNonNull(MqttQos.fromCode(qos)))
                .retain(retain)
                .send()
                .get(10, TimeUnit.SECONDS);
    }

    @Override
    public void disconnect() throws Exception {
        client.disconnect().get(10, TimeUnit.SECONDS);
    }

    @Override
    public void close() {
        client.disconnect(); // its failure says that there is nothing to disconnect
    }
}
