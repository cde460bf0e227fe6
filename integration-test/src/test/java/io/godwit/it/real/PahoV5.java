package io.godwit.it.real;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.logging.Level;
import java.util.logging.Logger;
import org.eclipse.paho.mqttv5.client.IMqttToken;
import org.eclipse.paho.mqttv5.client.MqttCallback;
import org.eclipse.paho.mqttv5.client.MqttClient;
import org.eclipse.paho.mqttv5.client.MqttConnectionOptions;
import org.eclipse.paho.mqttv5.client.MqttDisconnectResponse;
import org.eclipse.paho.mqttv5.client.persist.MemoryPersistence;
import org.eclipse.paho.mqttv5.common.MqttException;
import org.eclipse.paho.mqttv5.common.MqttMessage;
import org.eclipse.paho.mqttv5.common.packet.MqttProperties;

/** Eclipse Paho for Java, MQTT 5.0. */
final class PahoV5 implements RealClient {
    /** It logs each acknowledgement. */
    private static final Logger LOGGER = Logger.getLogger("org.eclipse.paho.mqttv5");

    static {
        LOGGER.setLevel(Level.WARNING);
    }

    private final Settings settings;
    private final MqttClient client;

    PahoV5(Settings settings) throws MqttException {
        this.settings = settings;
        this.client = new MqttClient(settings.uri(), settings.clientId(), new MemoryPersistence());
        client.setTimeToWait(10_000);
        client.setManualAcks(true);
        client.setCallback(new Callback());
    }

    @Override
    public boolean connect() throws MqttException {
        MqttConnectionOptions options = new MqttConnectionOptions();
        options.setCleanStart(settings.clean());
        options.setSessionExpiryInterval(settings.clean() ? 0L : 86_400L);
        if (settings.via().isTls()) {
            options.setSocketFactory(settings.via().sockets());
        }
        Will will = settings.will();
        if (will != null) {
            MqttMessage message = new MqttMessage(will.payload().getBytes(StandardCharsets.UTF_8));
            message.setQos(will.qos());
            options.setWill(will.topic(), message);
        }
        return client.connectWithResult(options).getSessionPresent();
    }

    @Override
    public void subscribe(String filter, int qos) throws MqttException {
        client.subscribe(filter, qos);
    }

    @Override
    public void publish(String topic, String payload, int qos, boolean retain) throws MqttException {
        client.publish(topic, payload.getBytes(StandardCharsets.UTF_8), qos, retain);
    }

    @Override
    public void disconnect() throws MqttException {
        client.disconnect();
    }

    @Override
    public void close() throws IOException {
        try {
            if (client.isConnected()) {
                client.disconnectForcibly(0, 1_000, false);
            }
            client.close(true);
        } catch (MqttException e) {
            throw new IOException(e);
        }
    }

    private final class Callback implements MqttCallback {
        @Override
        public void messageArrived(String topic, MqttMessage message) throws MqttException {
            // first of all: whoever sees the message may hang up
            if (settings.acknowledges()) {
                client.messageArrivedComplete(message.getId(), message.getQos());
            }
            settings.received()
                    .add(new Message(
                            topic,
                            new String(message.getPayload(), StandardCharsets.UTF_8),
                            message.getQos(),
                            message.isRetained()));
        }

        @Override
        public void disconnected(MqttDisconnectResponse response) {}

        @Override
        public void mqttErrorOccurred(MqttException exception) {}

        @Override
        public void deliveryComplete(IMqttToken token) {}

        @Override
        public void connectComplete(boolean reconnect, String uri) {}

        @Override
        public void authPacketArrived(int reasonCode, MqttProperties properties) {}
    }
}
