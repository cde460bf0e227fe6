package io.godwit.it.cluster;

import io.godwit.it.client.ClientConfig;
import io.godwit.it.client.TestClient;
import io.godwit.testing.Pace;
import java.io.IOException;

/** A client that publishes numbers to a topic of its own and subscribes to it, over one connection. */
final class Echo implements AutoCloseable {
    private static final long PERIOD_MILLIS = 100;

    private final TestClient client;
    private final String topic;
    private volatile int published;
    private volatile int given;
    private volatile boolean isStopped;

    Echo(ClientConfig config) {
        client =
                new TestClient(config, message -> given = Math.max(given, Integer.parseInt(NodeClients.text(message))));
        topic = "echo/" + config.clientId();
    }

    /** Connects, subscribes, and publishes from now on, at QoS 1 and 2 in turn. */
    void start() throws IOException {
        int code = client.connect().code();
        if (code != 0 || client.subscribe(topic, 2) != 2) {
            throw new IOException(client.clientId() + " is refused: " + code);
        }
        Thread thread = new Thread(this::publish, client.clientId());
        thread.setDaemon(true);
        thread.start();
    }

    private void publish() {
        int number = 0;
        while (!isStopped) {
            try {
                if (client.canPublish()) {
                    published = ++number;
                    client.publish(topic, Integer.toString(number), 1 + number % 2);
                }
            } catch (IOException e) {
                return; // see lost()
            }
            Pace.passMillis(PERIOD_MILLIS);
        }
    }

    int published() {
        return published;
    }

    int given() {
        return given;
    }

    /** Empty while it is connected, else what it was told. */
    String lost() {
        return client.isOpen() ? "" : client.clientId() + " 0x" + Integer.toHexString(client.lastDisconnectCode());
    }

    @Override
    public String toString() {
        return "%s published %d, was given %d, %d unacknowledged %s"
                .formatted(client.clientId(), published, given, client.unacknowledged(), lost());
    }

    @Override
    public void close() {
        isStopped = true;
        client.close();
    }
}
