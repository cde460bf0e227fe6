package io.godwit.it.real.rolling;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.eclipse.paho.client.mqttv3.IMqttActionListener;
import org.eclipse.paho.client.mqttv3.IMqttDeliveryToken;
import org.eclipse.paho.client.mqttv3.IMqttToken;
import org.eclipse.paho.client.mqttv3.MqttAsyncClient;
import org.eclipse.paho.client.mqttv3.MqttCallbackExtended;
import org.eclipse.paho.client.mqttv3.MqttConnectOptions;
import org.eclipse.paho.client.mqttv3.MqttException;
import org.eclipse.paho.client.mqttv3.MqttMessage;
import org.eclipse.paho.client.mqttv3.persist.MemoryPersistence;

/** Eclipse Paho for Java, MQTT 3.1.1, with a list of servers. */
final class PahoV3Pair implements Pair {
    private static final String TOPIC = "rolling/paho-v3";
    private static final long PATIENCE_MILLIS = TimeUnit.SECONDS.toMillis(PATIENCE_SECONDS);

    private final MqttConnectOptions options = new MqttConnectOptions();
    private final MqttAsyncClient publisher;
    private final MqttAsyncClient subscriber;
    private final Tally tally;

    /** @param servers each as {@code host:port} */
    PahoV3Pair(List<String> servers, Tally tally) throws MqttException {
        this.tally = tally;
        options.setMqttVersion(MqttConnectOptions.MQTT_VERSION_3_1_1);
        options.setServerURIs(servers.stream().map(server -> "tcp://" + server).toArray(String[]::new));
        options.setCleanSession(false);
        options.setMaxInflight(1_000);
        options.setAutomaticReconnect(true);
        options.setMaxReconnectDelay(2_000);
        publisher = client("paho-v3-publisher", servers, tally::publisherConnected);
        subscriber = client("paho-v3-subscriber", servers, tally::subscriberConnected);
    }

    private MqttAsyncClient client(String id, List<String> servers, Runnable connected) throws MqttException {
        MqttAsyncClient client = new MqttAsyncClient("tcp://" + servers.get(0), id, new MemoryPersistence());
        client.setCallback(new MqttCallbackExtended() {
            @Override
            public void connectComplete(boolean again, String server) {
                connected.run();
            }

            @Override
            public void messageArrived(String topic, MqttMessage message) {
                tally.given(Integer.parseInt(new String(message.getPayload(), UTF_8)));
            }

            @Override
            public void connectionLost(Throwable cause) {
                tally.note(id + ": " + cause + ", " + cause.getCause());
            }

            @Override
            public void deliveryComplete(IMqttDeliveryToken token) {}
        });
        return client;
    }

    @Override
    public void connect() throws MqttException {
        subscriber.connect(options).waitForCompletion(PATIENCE_MILLIS);
        subscriber.subscribe(TOPIC, 2).waitForCompletion(PATIENCE_MILLIS);
        publisher.connect(options).waitForCompletion(PATIENCE_MILLIS);
    }

    @Override
    public void publish(int number) throws MqttException {
        byte[] payload = Integer.toString(number).getBytes(UTF_8);
        publisher.publish(TOPIC, payload, Pair.qosOf(number), false, null, new IMqttActionListener() {
            @Override
            public void onSuccess(IMqttToken token) {
                tally.acknowledged(number);
            }

            @Override
            public void onFailure(IMqttToken token, Throwable cause) {}
        });
    }

    @Override
    public void close() throws IOException {
        try {
            for (MqttAsyncClient client : List.of(publisher, subscriber)) {
                if (client.isConnected()) {
                    client.disconnectForcibly(0, 1_000, false);
                }
                client.close(true);
            }
        } catch (MqttException e) {
            throw new IOException(e);
        }
    }
}
