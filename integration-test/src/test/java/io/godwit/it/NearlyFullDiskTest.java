package io.godwit.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.godwit.it.broker.BrokerProcess;
import io.godwit.it.client.ClientConfig;
import io.godwit.it.client.TestClient;
import io.godwit.it.wire.Packet;
import io.godwit.it.wire.Packet.Ack;
import io.godwit.it.wire.Properties;
import io.godwit.testing.Pace;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** What the broker still does when its disk is nearly full, and that it recovers. */
class NearlyFullDiskTest extends StoreFailureFixture {
    /**
     * On the disk that there is. The broker takes it for nearly full when a quarter of what was free is taken, which a
     * file does whose blocks are set aside and never written. Both limits are far enough from either amount that it
     * does not matter what others write meanwhile.
     */
    @Test
    void aNearlyFullDiskRefusesWhatAddsGoesOnWithTheRestAndRecovers() throws Exception {
        Path home = Files.createDirectories(directory.resolve("full"));
        long percent = Files.getFileStore(home).getUsableSpace() / 100;
        long mark = 82 * percent; // taken back at nine eighths of it
        Path filler = directory.resolve("filler");
        try (BrokerProcess broker = broker(home)
                .property("kv_disk_low_water_bytes", mark)
                .setting("topicConfig", "{delayedPublish: {maxSeconds: 60}}")) {
            broker.start();
            fillWithMessages(broker);
            BlockingQueue<Runnable> withheld = new LinkedBlockingQueue<>();
            ClientConfig exactly = ClientConfig.of(broker.address(), "exact", 5);
            try (TestClient writer = new TestClient(ClientConfig.of(broker.address(), "writer", 5));
                    TestClient exact = new TestClient(exactly.withAcks(withheld::add))) {
                writer.connect();
                exact.connect();
                exact.subscribe("x", 2);
                writer.publish("x", "once", 2).get(20, TimeUnit.SECONDS);
                assertThat(exact.next(PATIENCE)).isNotNull();

                assumeTrue(
                        exitCode("fallocate", "-l", Long.toString(26 * percent), filler.toString()) == 0,
                        "no fallocate, or the file system of " + directory + " cannot set blocks aside");
                assertThat(Files.getFileStore(home).getUsableSpace()).isLessThan(mark);
                int queued = MESSAGES + publishedUntil(writer, true);
                assertThat(broker.status()).contains("READ_ONLY");
                assertThat(codeOf(writer.publish("x", "refused", 2))).isGreaterThanOrEqualTo(0x80);
                assertThat(exact.subscribe("new", 1)).isGreaterThanOrEqualTo(0x80);
                assertThat(codeOf(writer.publish("$delayed/60/t", "refused", 1)))
                        .as("a delayed message is refused")
                        .isEqualTo(0x97);
                assertThat(connectCode(ClientConfig.of(broker.address(), "new", 5)))
                        .as("a new session is refused")
                        .isEqualTo(0x89);
                Packet.Will large = new Packet.Will("t", new byte[10_000], 1, false, Properties.NONE);
                ClientConfig transientClient =
                        ClientConfig.of(broker.address(), "live", 5).withCleanSession();
                assertThat(connectCode(transientClient.withWill(large))).isEqualTo(0x89);
                assertThat(connectCode(transientClient))
                        .as("a session that stores nothing is accepted")
                        .isZero();
                acknowledge(withheld); // PUBREC
                acknowledge(withheld); // PUBCOMP: the PUBREL was let through
                assertThat(drained(broker, "kept")).isEqualTo(queued);
                assertThat(drained(broker, "kept")).isZero();

                broker.kill();
                assertThat(broker.tryStart()).isEqualTo(4); // there is no more room than before
                assertThat(drained(broker, "kept")).isZero();
                assertThat(drained(broker, "exact")).isZero();
                writer.connect();
                assertThat(publishedUntil(writer, true)).isZero();

                Files.delete(filler);
                assertThat(publishedUntil(writer, false)).isOne();
                assertThat(broker.status()).doesNotContain("READ_ONLY");
                assertThat(drained(broker, "kept")).isOne();
            }
        } finally {
            Files.deleteIfExists(filler);
        }
    }

    private static int connectCode(ClientConfig config) throws Exception {
        try (TestClient client = new TestClient(config)) {
            return client.connect().code();
        }
    }

    private static void acknowledge(BlockingQueue<Runnable> withheld) throws InterruptedException {
        Runnable acknowledgement = withheld.poll(PATIENCE.toSeconds(), TimeUnit.SECONDS);
        assertThat(acknowledgement).isNotNull();
        acknowledgement.run();
    }

    /**
     * Publishes to the persistent session until the broker refuses, or until it accepts; returns how many it has
     * accepted.
     */
    private static int publishedUntil(TestClient client, boolean refused) throws Exception {
        long giveUp = System.nanoTime() + PATIENCE.toNanos();
        for (int accepted = 0; ; ) {
            boolean isRefused = codeOf(client.publish("t", "more", 1)) >= 0x80;
            accepted += isRefused ? 0 : 1;
            if (isRefused == refused) {
                return accepted;
            }
            assertThat(System.nanoTime())
                    .as("deadline; waiting for refused=%s", refused)
                    .isLessThan(giveUp);
            Pace.passMillis(100);
        }
    }

    private static int codeOf(CompletableFuture<Ack> published) throws Exception {
        return published.get(20, TimeUnit.SECONDS).code();
    }

    private static int exitCode(String... command) throws Exception {
        try {
            return new ProcessBuilder(command)
                    .redirectErrorStream(true)
                    .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                    .start()
                    .waitFor();
        } catch (IOException e) {
            return -1; // no such program
        }
    }
}
