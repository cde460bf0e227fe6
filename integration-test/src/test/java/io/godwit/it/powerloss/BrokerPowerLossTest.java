package io.godwit.it.powerloss;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.godwit.it.broker.BrokerProcess;
import io.godwit.it.client.ClientConfig;
import io.godwit.it.client.TestClient;
import io.godwit.it.powerloss.PowerCut.Loss;
import io.godwit.it.wire.Packet.Ack;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The packaged broker loses its power under load: what it acknowledged is there after the restart. The seed is logged; {@code -Dgodwit.seed=N}
 * repeats the moments and the extent of the losses.
 */
class BrokerPowerLossTest {
    private static final Logger LOG = LoggerFactory.getLogger(BrokerPowerLossTest.class);

    /** More than the restart over existing data makes. */
    private static final int FAILING_SYNC = 300;

    @TempDir
    private Path directory;

    @BeforeAll
    static void needsLinuxAndACompiler() {
        assumeTrue(PowerLoss.isPossible());
    }

    @Test
    void acknowledgedSurvivesTheLossOfBytesWithSnapshots() throws Exception {
        assertThat(lostOver(1, withSnapshots(), Loss.UNSYNCED_BYTES)).isEmpty();
    }

    @Test
    void acknowledgedSurvivesTheLossOfNames() throws Exception {
        assertThat(lostOver(1, broker(), Loss.UNSYNCED_NAMES)).isEmpty();
    }

    @ParameterizedTest
    @EnumSource(Loss.class)
    @Tag("long")
    void acknowledgedSurvivesTwentyLosses(Loss loss) throws Exception {
        assertThat(lostOver(20, withSnapshots(), loss)).isEmpty();
    }

    /** Proof that the test notices: JRaft syncs votes when either setting says so, so it takes both. */
    @Test
    void lossesAreSeenWithoutSync() throws Exception {
        BrokerProcess broker = broker().property("kv_log_sync", false).property("kv_meta_sync", false);
        assertThat(lostOver(4, broker, Loss.UNSYNCED_BYTES)).isNotEmpty();
    }

    @Test
    void nothingIsAcknowledgedAfterAFailedSync() throws Exception {
        try (BrokerProcess broker = broker()) {
            broker.start();
            try (TestClient subscriber = new TestClient(ClientConfig.of(broker.address(), "kept", 4))) {
                subscriber.connect();
                subscriber.subscribe("t", 1);
            }
            broker.kill();
            PowerLoss power = PowerLoss.over(broker.data());
            power.environment().forEach(broker::environment);
            broker.environment("POWERLOSS_FAIL", Integer.toString(FAILING_SYNC)).start();
            long acknowledged = publishUntilRefused(broker);
            assertRefused(broker, 4);
            assertRefused(broker, 5);
            assertThat(exitCodeOfStatus(broker)).isEqualTo(4);
            assertThat(broker.status()).contains("store inbox FAILED raft log").contains("appending entry");
            LOG.info("{} acknowledged before the failing fsync; then {}", acknowledged, broker.status());

            broker.kill();
            power.cut(Loss.UNSYNCED_BYTES, new Random(12));
            broker.environment("POWERLOSS_FAIL", "0").start();
            assertThat(queued(broker)).containsAll(numbersUpTo(acknowledged));
        }
    }

    /** Publishes one by one until there is a refusal. */
    private static long publishUntilRefused(BrokerProcess broker) throws Exception {
        long acknowledged = 0;
        try (TestClient client = new TestClient(ClientConfig.of(broker.address(), "writer-5", 5))) {
            client.connect();
            while (isAcknowledged(client, Long.toString(acknowledged))) {
                acknowledged++;
                assertThat(acknowledged).as("acknowledged").isLessThan(20_000);
            }
        }
        assertThat(acknowledged).isPositive();
        return acknowledged;
    }

    /** A client may be refused at once, or its connection closed, or (5.0 only) its message refused with a reason code. */
    private static void assertRefused(BrokerProcess broker, int version) throws Exception {
        ClientConfig config =
                ClientConfig.of(broker.address(), "late-" + version, version).withCleanSession();
        try (TestClient client = new TestClient(config)) {
            boolean accepted;
            try {
                accepted = client.connect().code() == 0;
            } catch (IOException e) {
                accepted = false;
            }
            assertThat(accepted && isAcknowledged(client, "late"))
                    .as("acknowledgement in version %d", version)
                    .isFalse();
        }
    }

    /** False when the message is refused or the connection closed instead; one of the three has to come. */
    private static boolean isAcknowledged(TestClient client, String payload) throws Exception {
        CompletableFuture<Ack> answer = client.publish("t", payload, 1);
        long giveUp = System.nanoTime() + TimeUnit.SECONDS.toNanos(20);
        while (!answer.isDone() && client.isOpen()) {
            assertThat(System.nanoTime())
                    .as("deadline for an answer to %s", payload)
                    .isLessThan(giveUp);
            LockSupport.parkNanos(200_000);
        }
        return answer.isDone() && answer.get().code() < 0x80;
    }

    private static int exitCodeOfStatus(BrokerProcess broker) throws Exception {
        String script =
                BrokerProcess.distribution().resolve("bin/standalone.sh").toString();
        return new ProcessBuilder(
                        script,
                        "status",
                        "--data",
                        broker.data().toString(),
                        "--log",
                        broker.log().toString())
                .redirectErrorStream(true)
                .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                .start()
                .waitFor();
    }

    private static List<String> queued(BrokerProcess broker) throws Exception {
        List<String> payloads = new ArrayList<>();
        try (TestClient subscriber = new TestClient(ClientConfig.of(broker.address(), "kept", 4))) {
            assertThat(subscriber.connect().sessionPresent()).isTrue();
            var message = subscriber.next(Duration.ofSeconds(5));
            while (message != null) {
                payloads.add(new String(message.payload(), StandardCharsets.UTF_8));
                message = subscriber.next(Duration.ofSeconds(1));
            }
        }
        return payloads;
    }

    private static List<String> numbersUpTo(long end) {
        List<String> numbers = new ArrayList<>();
        for (long i = 0; i < end; i++) {
            numbers.add(Long.toString(i));
        }
        return numbers;
    }

    private BrokerProcess broker() throws IOException {
        return new BrokerProcess(directory).setting("sessionConfig", "{maxQueuedMessages: 1000000}");
    }

    private BrokerProcess withSnapshots() throws IOException {
        return broker().property("kv_snapshot_log_bytes", 64 << 10);
    }

    /** Runs, kills, cuts and restarts the broker; what was lost, after the first run that lost any. */
    private static List<String> lostOver(int runs, BrokerProcess process, Loss loss) throws Exception {
        long seed = Long.getLong("godwit.seed", ThreadLocalRandom.current().nextLong(1_000_000));
        Random random = new Random(seed);
        try (BrokerProcess broker = process) {
            PowerLoss power = PowerLoss.over(broker.data());
            power.environment().forEach(broker::environment);
            AcknowledgedLoad load = new AcknowledgedLoad(broker.address());
            broker.start();
            load.makeSessions();
            for (int run = 0; run < runs; run++) {
                load.run(500 + random.nextInt(2_000), random, broker::kill);
                long lostBytes = power.cut(loss, random);
                List<String> losses = lostAfterRestart(broker, load);
                LOG.info(
                        "seed {}, {}, run {}: {} acknowledged so far, {} bytes cut off, {} losses {}",
                        seed,
                        loss,
                        run,
                        load.acknowledgements(),
                        lostBytes,
                        losses.size(),
                        losses.subList(0, Math.min(20, losses.size())));
                if (!losses.isEmpty()) {
                    return losses;
                }
            }
            return List.of();
        }
    }

    private static List<String> lostAfterRestart(BrokerProcess broker, AcknowledgedLoad load)
            throws InterruptedException {
        try {
            broker.start();
            return load.losses();
        } catch (IOException e) {
            return List.of("the broker: " + e);
        }
    }
}
