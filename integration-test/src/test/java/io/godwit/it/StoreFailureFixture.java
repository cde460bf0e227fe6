package io.godwit.it;

import io.godwit.it.broker.BrokerProcess;
import io.godwit.it.client.ClientConfig;
import io.godwit.it.client.TestClient;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.io.TempDir;

/** Brokers whose data directory a test changes, and the session with messages that they must not lose. */
abstract class StoreFailureFixture {
    static final int MESSAGES = 200;
    static final Duration PATIENCE = Duration.ofSeconds(30);

    @TempDir
    Path directory;

    /** Of the brokers here; the long tests do it the other way, too. */
    boolean earlyPush() {
        return false;
    }

    BrokerProcess broker(Path home) throws IOException {
        return new BrokerProcess(home).property("inbox_store_early_push", earlyPush());
    }

    /** A session with {@link #MESSAGES} queued, and a retained message. */
    static void fillWithMessages(BrokerProcess broker) throws Exception {
        try (TestClient subscriber = new TestClient(ClientConfig.of(broker.address(), "kept", 5));
                TestClient publisher = new TestClient(ClientConfig.of(broker.address(), "filler", 5))) {
            subscriber.connect();
            subscriber.subscribe("t", 1);
            subscriber.disconnect();
            publisher.connect();
            for (int i = 0; i < MESSAGES; i++) {
                publisher.publish("t", filled("message " + i), 1).get(20, TimeUnit.SECONDS);
            }
        }
    }

    /**
     * With a thousand characters that are its own, so that tables of messages cannot be compressed: in the middle of a
     * small one there may be a block that nobody reads.
     */
    static String filled(String text) {
        return new Random(text.hashCode())
                .ints(1_000, 'a', 'z' + 1)
                .collect(() -> new StringBuilder(text), StringBuilder::appendCodePoint, StringBuilder::append)
                .toString();
    }

    /** How many messages the session yields; -1 when the broker does not have it. */
    static int drained(BrokerProcess broker, String clientId) throws IOException, InterruptedException {
        try (TestClient subscriber = new TestClient(ClientConfig.of(broker.address(), clientId, 5))) {
            if (!subscriber.connect().sessionPresent() && !clientId.equals("nobody")) {
                return -1;
            }
            int count = 0;
            while (subscriber.next(Duration.ofMillis(500)) != null) {
                count++;
            }
            return count;
        }
    }
}
