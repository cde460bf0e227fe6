package io.godwit.it.crash;

import io.godwit.it.client.TestClient;
import io.godwit.it.wire.Properties;
import java.io.IOException;
import java.util.List;
import java.util.Random;

/** Sets a retained message on each of its topics, once, before the load; they stay as they are. */
final class RetainingActor extends Actor {
    private static final int PAYLOAD_BYTES = 64;

    private final String name;
    private final List<String> topics;
    private final int qos;
    /** Of its thread. */
    private int next;

    private volatile boolean isDone;

    RetainingActor(TestClient client, Stage stage, Random random, String name, List<String> topics, int qos) {
        super(client, stage, random);
        this.name = name;
        this.topics = topics;
        this.qos = qos;
    }

    @Override
    boolean isSetUp() {
        return isDone;
    }

    @Override
    boolean isDrained() {
        return true;
    }

    @Override
    void step() throws IOException {
        ensureConnected();
        while (next < topics.size() && client.canPublish()) {
            String topic = topics.get(next++);
            byte[] payload = new MessageId(name, topic, qos, 0).payload(PAYLOAD_BYTES);
            client.publish(topic, payload, qos, true, Properties.NONE);
        }
        client.flush();
        isDone = next == topics.size() && client.unacknowledged() == 0;
        park(isDone ? 50 : 2);
    }
}
