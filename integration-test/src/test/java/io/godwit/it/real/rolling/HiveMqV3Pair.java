package io.godwit.it.real.rolling;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.hivemq.client.mqtt.MqttGlobalPublishFilter;
import com.hivemq.client.mqtt.datatypes.MqttQos;
import com.hivemq.client.mqtt.mqtt3.Mqtt3AsyncClient;
import com.hivemq.client.mqtt.mqtt3.Mqtt3Client;
import java.net.InetSocketAddress;
import java.util.Objects;
import java.util.concurrent.TimeUnit;

/** HiveMQ's client, MQTT 3.1.1. */
final class HiveMqV3Pair implements Pair {
    private static final String TOPIC = "rolling/hivemq-v3";

    private final Mqtt3AsyncClient publisher;
    private final Mqtt3AsyncClient subscriber;
    private final Tally tally;

    HiveMqV3Pair(InetSocketAddress server, Tally tally) {
        this.tally = tally;
        publisher = client("hivemq-v3-publisher", server, tally::publisherConnected);
        subscriber = client("hivemq-v3-subscriber", server, tally::subscriberConnected);
        subscriber.publishes(
                MqttGlobalPublishFilter.ALL,
                publish -> tally.given(Integer.parseInt(new String(publish.getPayloadAsBytes(), UTF_8))));
    }

    private Mqtt3AsyncClient client(String id, InetSocketAddress server, Runnable connected) {
        return Mqtt3Client.builder()
                .identifier(id)
                .serverAddress(server)
                .automaticReconnect()
                .initialDelay(200, TimeUnit.MILLISECONDS)
                .maxDelay(2, TimeUnit.SECONDS)
                .applyAutomaticReconnect()
                .addConnectedListener(context -> connected.run())
                .addDisconnectedListener(context -> tally.note(id + ": " + context.getCause()))
                .buildAsync();
    }

    @Override
    public void connect() throws Exception {
        for (Mqtt3AsyncClient client : new Mqtt3AsyncClient[] {subscriber, publisher}) {
            client.connectWith().cleanSession(false).send().get(PATIENCE_SECONDS, TimeUnit.SECONDS);
        }
        subscriber
                .subscribeWith()
                .topicFilter(TOPIC)
                .qos(MqttQos.EXACTLY_ONCE)
                .send()
                .get(PATIENCE_SECONDS, TimeUnit.SECONDS);
    }

    @Override
    public void publish(int number) {
        publisher
                .publishWith()
                .topic(TOPIC)
                .payload(Integer.toString(number).getBytes(UTF_8))
                .qos(Objects.requireNonNull(MqttQos.fromCode(Pair.qosOf(number))))
                .send()
                .thenAccept(published -> tally.acknowledged(number));
    }

    @Override
    public void close() {
        publisher.disconnect(); // a failure says that there is nothing to disconnect
        subscriber.disconnect();
    }
}
