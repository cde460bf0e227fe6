package io.godwit.it.admin;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.it.broker.BrokerProcess;
import io.godwit.it.client.ClientConfig;
import io.godwit.it.client.TestClient;
import io.godwit.it.wire.Packet;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** What is restored from a backup that was taken while messages were on their way. */
@Tag("full")
@Tag("alone")
class BackupUnderLoadTest {
    private static final Logger LOG = LoggerFactory.getLogger(BackupUnderLoadTest.class);
    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final int PUBLISHERS = 12;

    @TempDir
    private Path directory;

    /** Those whose PUBCOMP had come; each publisher is a session in one of eight ranges, and so is the receiver. */
    private final Set<String> completed = ConcurrentHashMap.newKeySet();

    private final Semaphore more = new Semaphore(0);
    private final AtomicBoolean isOver = new AtomicBoolean();
    private final AtomicReference<@Nullable Throwable> failure = new AtomicReference<>();

    @Test
    void qos2IsRestoredOnce() throws Exception {
        Path backup = directory.resolve("backup");
        Set<String> before;
        try (BrokerProcess broker = new BrokerProcess(directory.resolve("broker"))) {
            broker.property("inbox_store_initial_ranges", 8).setting("sessionConfig", "{maxQueuedMessages: 1000000}");
            broker.launch();
            broker.awaitReady(PATIENCE);
            try (TestClient keeper = new TestClient(ClientConfig.of(broker.address(), "keeper", 5))) {
                keeper.connect();
                keeper.subscribe("load/#", 2);
                keeper.disconnect();
            }
            List<Thread> publishers = new ArrayList<>();
            for (int i = 0; i < PUBLISHERS; i++) {
                int number = i;
                Thread publisher = new Thread(() -> publish(broker, "publisher-" + number));
                publisher.start();
                publishers.add(publisher);
            }
            try {
                awaitMore(1_000);
                before = new HashSet<>(completed);
                back(broker, backup);
                more.drainPermits();
                awaitMore(100);
            } finally {
                isOver.set(true);
                for (Thread publisher : publishers) {
                    publisher.join();
                }
            }
            assertThat(failure.get()).isNull();
        }
        try (BrokerProcess restored = new BrokerProcess(directory.resolve("restored"))) {
            restored.setting("sessionConfig", "{maxQueuedMessages: 1000000}");
            Path out = directory.resolve("out");
            assertThat(restored.adminAnywhere(
                            out,
                            "restore",
                            backup.toString(),
                            "--into",
                            restored.data().toString(),
                            "--yes"))
                    .as(Files.readString(out))
                    .isZero();
            restored.launch();
            restored.awaitReady(PATIENCE);
            List<String> received = new ArrayList<>();
            try (TestClient keeper = new TestClient(ClientConfig.of(restored.address(), "keeper", 5))) {
                assertThat(keeper.connect().sessionPresent()).isTrue();
                Packet.Publish message = keeper.next(Duration.ofSeconds(5));
                while (message != null) { // what the broker itself resumes comes within a second or two
                    received.add(new String(message.payload(), StandardCharsets.UTF_8));
                    message = keeper.next(Duration.ofSeconds(5));
                }
            }
            Set<String> once = new HashSet<>(received);
            LOG.info(
                    "completed before the backup={} received={} twice={}",
                    before.size(),
                    received.size(),
                    received.size() - once.size());
            assertThat(once).as("every message acknowledged before is there").containsAll(before);
            assertThat(received).as("no message is delivered twice").doesNotHaveDuplicates();
        }
    }

    private void back(BrokerProcess broker, Path backup) throws IOException {
        Path out = directory.resolve("said");
        assertThat(broker.admin(out, "backup", "all", backup.toString()))
                .as(Files.readString(out))
                .isZero();
    }

    private void awaitMore(int messages) throws InterruptedException {
        assertThat(more.tryAcquire(messages, PATIENCE.toSeconds(), TimeUnit.SECONDS))
                .as("further messages arrive")
                .isTrue();
    }

    private void publish(BrokerProcess broker, String name) {
        try (TestClient client = new TestClient(ClientConfig.of(broker.address(), name, 5))) {
            client.connect();
            for (int i = 0; !isOver.get(); i++) {
                String message = name + "-" + i;
                client.publish("load/" + name, message, 2).get(30, TimeUnit.SECONDS);
                completed.add(message);
                more.release();
            }
        } catch (Exception e) {
            failure.compareAndSet(null, e);
        }
    }
}
