package io.godwit.it.real.rolling;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.logging.Level;
import java.util.logging.Logger;
import org.eclipse.paho.mqttv5.client.IMqttToken;
import org.eclipse.paho.mqttv5.client.MqttActionListener;
import org.eclipse.paho.mqttv5.client.MqttAsyncClient;
import org.eclipse.paho.mqttv5.client.MqttCallback;
import org.eclipse.paho.mqttv5.client.MqttConnectionOptions;
import org.eclipse.paho.mqttv5.client.MqttDisconnectResponse;
import org.eclipse.paho.mqttv5.client.persist.MemoryPersistence;
import org.eclipse.paho.mqttv5.common.MqttException;
import org.eclipse.paho.mqttv5.common.MqttMessage;
import org.eclipse.paho.mqttv5.common.packet.MqttProperties;

/**
 * Eclipse Paho for Java, MQTT 5.0, with a list of servers. Behind a reconnect it sends a message again as it was, also
 * with the alias that stood for its topic on the connection before, which servers refuse. So each message has a topic
 * of its own here: the first message of a topic carries it.
 */
final class PahoV5Pair implements Pair {
    private static final String TOPICS = "rolling/paho-v5/";
    private static final long PATIENCE_MILLIS = TimeUnit.SECONDS.toMillis(PATIENCE_SECONDS);
    /** It logs each acknowledgement. */
    private static final Logger LOGGER = Logger.getLogger("org.eclipse.paho.mqttv5");

    static {
        LOGGER.setLevel(Level.WARNING);
    }

    private final MqttConnectionOptions options = new MqttConnectionOptions();
    private final MqttAsyncClient publisher;
    private final MqttAsyncClient subscriber;
    private final Tally tally;

    /** @param servers each as {@code host:port} */
    PahoV5Pair(List<String> servers, Tally tally) throws MqttException {
        this.tally = tally;
        options.setServerURIs(servers.stream().map(server -> "tcp://" + server).toArray(String[]::new));
        options.setCleanStart(false);
        options.setSessionExpiryInterval(86_400L);
        options.setAutomaticReconnect(true);
        options.setAutomaticReconnectDelay(1, 2);
        publisher = client("paho-v5-publisher", servers, tally::publisherConnected);
        subscriber = client("paho-v5-subscriber", servers, tally::subscriberConnected);
    }

    private MqttAsyncClient client(String id, List<String> servers, Runnable connected) throws MqttException {
        MqttAsyncClient client = new MqttAsyncClient("tcp://" + servers.get(0), id, new MemoryPersistence());
        client.setCallback(new MqttCallback() {
            @Override
            public void connectComplete(boolean again, String server) {
                connected.run();
            }

            @Override
            public void messageArrived(String topic, MqttMessage message) {
                tally.given(Integer.parseInt(new String(message.getPayload(), UTF_8)));
            }

            @Override
            public void disconnected(MqttDisconnectResponse response) {
                tally.note(id + ": " + response);
            }

            @Override
            public void mqttErrorOccurred(MqttException exception) {
                tally.note(id + ": " + exception);
            }

            @Override
            public void deliveryComplete(IMqttToken token) {}

            @Override
            public void authPacketArrived(int reasonCode, MqttProperties properties) {}
        });
        return client;
    }

    @Override
    public void connect() throws MqttException {
        subscriber.connect(options).waitForCompletion(PATIENCE_MILLIS);
        subscriber.subscribe(TOPICS + "+", 2).waitForCompletion(PATIENCE_MILLIS);
        publisher.connect(options).waitForCompletion(PATIENCE_MILLIS);
    }

    @Override
    public void publish(int number) throws MqttException {
        byte[] payload = Integer.toString(number).getBytes(UTF_8);
        publisher.publish(TOPICS + number, payload, Pair.qosOf(number), false, null, new MqttActionListener() {
            @Override
            public void onSuccess(IMqttToken token) {
                int[] codes = token.getReasonCodes(); // null before a broker says one
                if (codes == null || Arrays.stream(codes).allMatch(code -> code < 0x80)) {
                    tally.acknowledged(number);
                }
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
