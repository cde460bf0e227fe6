package io.godwit.it;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.it.broker.BrokerProcess;
import io.godwit.it.client.ClientConfig;
import io.godwit.it.client.TestClient;
import io.godwit.it.wire.Packet;
import io.godwit.testing.Await;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A tenant of the packaged broker reads its own figures below {@code $SYS/broker}, and nobody else's. */
class TenantFiguresTest {
    private static final String PREFIX = "$SYS/broker/";
    private static final Duration PATIENCE = Duration.ofSeconds(20);

    @TempDir
    private Path directory;

    private BrokerProcess broker;

    @BeforeEach
    void start() throws Exception {
        say("{birds: {sysTopics: true}, fish: {}}");
        broker = new BrokerProcess(directory)
                .setting("tenantConfig", "{sources: user-name, file: tenants.yml}")
                .setting("topicConfig", "{sysIntervalSeconds: 1}");
        broker.start();
    }

    @AfterEach
    void stop() throws Exception {
        broker.close();
    }

    private void say(String tenants) throws Exception {
        Files.writeString(directory.resolve("tenants.yml"), "tenants: " + tenants);
    }

    private TestClient client(String user, String id) throws Exception {
        TestClient client = new TestClient(
                ClientConfig.of(broker.address(), id, 5).withLogin(user, "any").withCleanSession());
        assertThat(client.connect().code()).isZero();
        return client;
    }

    /** Reads until a figure has had a value. */
    private static void await(TestClient watcher, Map<String, String> figures, String name, String value)
            throws Exception {
        long deadline = System.nanoTime() + PATIENCE.toNanos();
        while (!value.equals(figures.get(name))) {
            assertThat(System.nanoTime() - deadline)
                    .as("%s=%s, came: %s", name, value, figures)
                    .isNegative();
            Packet.Publish next = watcher.next(PATIENCE);
            assertThat(next).as("%s=%s, came: %s", name, value, figures).isNotNull();
            assertThat(next.topic()).startsWith(PREFIX);
            figures.put(next.topic().substring(PREFIX.length()), new String(next.payload(), StandardCharsets.UTF_8));
        }
    }

    @Test
    void aTenantReadsOfItselfAlone() throws Exception {
        try (TestClient bird = client("birds/a", "a");
                TestClient fish = client("fish/a", "a");
                TestClient other = client("fish/b", "b")) {
            for (int i = 0; i < 3; i++) {
                bird.publish("t", "x", 1).get(20, TimeUnit.SECONDS);
            }
            other.publish("t", "x", 1).get(20, TimeUnit.SECONDS);
            fish.subscribe(PREFIX + "#", 0);
            bird.subscribe(PREFIX + "#", 0);
            Map<String, String> figures = new HashMap<>();
            await(bird, figures, "publish/messages/received", "3");
            await(bird, figures, "subscriptions/count", "1");
            assertThat(figures).doesNotContainKeys("version", "uptime", "heap/current");
            try (TestClient late = client("birds/b", "b")) {
                late.subscribe(PREFIX + "clients/connected", 0);
                await(late, new HashMap<>(), "clients/connected", "2"); // retained, or with the next round
            }
            fish.subscribe("t", 0);
            other.publish("t", "last", 1).get(20, TimeUnit.SECONDS);
            Packet.Publish first = fish.next(PATIENCE);
            assertThat(first).isNotNull();
            assertThat(first.topic()).as("no message below $SYS arrived").isEqualTo("t");
        }
    }

    @Test
    void theFiguresAreGoneWhenTheyAreSwitchedOff() throws Exception {
        try (TestClient bird = client("birds/a", "a")) {
            bird.subscribe(PREFIX + "#", 0);
            await(bird, new HashMap<>(), "clients/connected", "1");
            say("{birds: {}, fish: {}}");
            Await.until("nothing is retained there", this::isNothingRetained);
        }
    }

    private boolean isNothingRetained() throws Exception {
        try (TestClient reader = client("birds/reader", "reader")) {
            reader.subscribe(PREFIX + "clients/total", 0);
            reader.subscribe("barrier", 0);
            reader.publish("barrier", "x", 1).get(20, TimeUnit.SECONDS);
            Packet.Publish first = reader.next(PATIENCE);
            return first != null && first.topic().equals("barrier");
        }
    }
}
