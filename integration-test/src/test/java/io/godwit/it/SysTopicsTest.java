package io.godwit.it;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.it.broker.BrokerProcess;
import io.godwit.it.client.ClientConfig;
import io.godwit.it.client.TestClient;
import io.godwit.it.wire.Packet;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What a client reads below {@code $SYS/broker} of the packaged broker about sessions and what is stored for them. */
class SysTopicsTest {
    private static final String PREFIX = "$SYS/broker/";
    private static final Duration PATIENCE = Duration.ofSeconds(20);
    private static final int LARGE = 100_000;

    private final Map<String, Long> values = new HashMap<>();

    @TempDir
    private Path directory;

    @Test
    void whatIsStoredIsToldAndFoundAgainAfterAKill() throws Exception {
        try (BrokerProcess broker = new BrokerProcess(directory).setting("topicConfig", "{sysIntervalSeconds: 1}")) {
            broker.start();
            for (String name : new String[] {"a", "b"}) {
                try (TestClient away = new TestClient(ClientConfig.of(broker.address(), name, 5))) {
                    away.connect();
                    away.subscribe("s/" + name + "/#", 1);
                }
            }
            try (TestClient watcher = watcher(broker)) {
                for (int i = 0; i < 3; i++) {
                    watcher.publish("s/a/" + i, "x".repeat(LARGE), 1).get(10, TimeUnit.SECONDS);
                }
                watcher.publish("s/b/1", "small", 1).get(10, TimeUnit.SECONDS);
                awaitStock(watcher);
                await(watcher, () -> value("publish/bytes/received") == 3 * LARGE + 5);
                await(watcher, () -> value("publish/bytes/sent") > 0);
            }
            broker.kill();
            broker.start();
            try (TestClient watcher = watcher(broker)) {
                awaitStock(watcher);
                try (TestClient back = new TestClient(ClientConfig.of(broker.address(), "a", 5))) {
                    assertThat(back.connect().sessionPresent()).isTrue();
                    for (int i = 0; i < 3; i++) {
                        assertThat(back.next(PATIENCE)).isNotNull();
                    }
                    await(watcher, () -> stored() == 1 && value("store/messages/bytes") < LARGE);
                    await(watcher, () -> value("clients/disconnected") == 1 && value("clients/total") == 3);
                }
            }
        }
    }

    private TestClient watcher(BrokerProcess broker) throws Exception {
        values.clear();
        TestClient watcher =
                new TestClient(ClientConfig.of(broker.address(), "watcher", 5).withCleanSession());
        watcher.connect();
        watcher.subscribe(PREFIX + "#", 0);
        return watcher;
    }

    private void awaitStock(TestClient watcher) throws Exception {
        await(watcher, () -> stored() == 4);
        await(
                watcher,
                () -> value("store/messages/bytes") > 3 * LARGE + 5 && value("store/messages/bytes") < 4 * LARGE);
        await(watcher, () -> value("clients/disconnected") == 2);
        await(watcher, () -> value("clients/inactive") == 2 && value("clients/total") == 3);
    }

    /** In queues. */
    private long stored() {
        return value("store/messages/count") - value("retained messages/count");
    }

    private long value(String name) {
        return values.getOrDefault(name, -1L);
    }

    private void await(TestClient watcher, BooleanSupplier condition) throws Exception {
        long deadline = System.nanoTime() + PATIENCE.toNanos();
        while (!condition.getAsBoolean()) {
            assertThat(System.nanoTime() - deadline).as("%s", values).isNegative();
            Packet.Publish next = watcher.next(PATIENCE);
            assertThat(next).as("%s", values).isNotNull();
            String value = new String(next.payload(), StandardCharsets.UTF_8);
            if (value.matches("[0-9]+")) {
                values.put(next.topic().substring(PREFIX.length()), Long.parseLong(value));
            }
        }
    }
}
