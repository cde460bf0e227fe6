package io.godwit.it.real;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import org.eclipse.paho.client.mqttv3.IMqttDeliveryToken;
import org.eclipse.paho.client.mqttv3.MqttCallback;
import org.eclipse.paho.client.mqttv3.MqttClient;
import org.eclipse.paho.client.mqttv3.MqttConnectOptions;
import org.eclipse.paho.client.mqttv3.MqttException;
import org.eclipse.paho.client.mqttv3.MqttMessage;
import org.eclipse.paho.client.mqttv3.persist.MemoryPersistence;

/** Eclipse Paho for Java, MQTT 3.1.1. */
final class PahoV3 implements RealClient {
    private final Settings settings;
    private final MqttClient client;

    PahoV3(Settings settings) throws MqttException {
        this.settings = settings;
        this.client = new MqttClient(settings.uri(), settings.clientId(), new MemoryPersistence());
        client.setTimeToWait(10_000);
        client.setManualAcks(true);
        client.setCallback(new MqttCallback() {
            @Override
            public void connectionLost(Throwable cause) {}

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
            public void deliveryComplete(IMqttDeliveryToken token) {}
        });
    }

    @Override
    public boolean connect() throws MqttException {
        MqttConnectOptions options = new MqttConnectOptions();
        options.setMqttVersion(MqttConnectOptions.MQTT_VERSION_3_1_1);
        options.setCleanSession(settings.clean());
        options.setMaxInflight(100); // what publish() has waited for still counts for a moment
        if (settings.via().isTls()) {
            options.setSocketFactory(settings.via().sockets());
        }
        Will will = settings.will();
        if (will != null) {
            options.setWill(will.topic(), will.payload().getBytes(StandardCharsets.UTF_8), will.qos(), false);
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
}
