package io.godwit.it.crash;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.it.broker.Broker;
import io.godwit.it.broker.BrokerProcess;
import io.godwit.it.broker.MosquittoProcess;
import io.godwit.it.crash.CrashPlan.Kind;
import io.godwit.it.crash.Violation.Rule;
import io.godwit.testing.Needs;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The packaged broker under load, killed with -9 again and again: it keeps what it acknowledged. The seed is logged;
 * {@code -Dgodwit.seed=N} repeats it. The history of a failure is saved below {@code target}; {@code HistoryCheck}
 * judges it again. The runs that are tagged {@code alone} wait for starts and for silence most of their time, and do so
 * side by side.
 */
class CrashTest {
    private static final Logger LOG = LoggerFactory.getLogger(CrashTest.class);

    @TempDir
    private Path directory;

    @Test
    @Tag("smoke")
    void aKillLosesNothing() throws Exception {
        keepsWhatItAcknowledged(CrashPlan.of(seed(), 1_000, 150, 1_000, 2_000, Kind.ANY), broker(true));
    }

    @Test
    @Tag("full")
    @Tag("alone")
    @Execution(ExecutionMode.CONCURRENT) // of the class, it would run beside other classes
    void killsLoseNothingWithEarlyPush() throws Exception {
        CrashPlan plan = CrashPlan.of(seed(), 2_000, 300, 1_500, 3_000, Kind.RECOVERY, Kind.SNAPSHOT);
        keepsWhatItAcknowledged(plan, broker(true));
    }

    @Test
    @Tag("full")
    @Tag("alone")
    @Execution(ExecutionMode.CONCURRENT)
    void killsLoseNothingWithoutEarlyPushAndWithEightRanges() throws Exception {
        CrashPlan plan = CrashPlan.of(seed(), 2_000, 300, 1_500, 3_000, Kind.TAKEOVER);
        keepsWhatItAcknowledged(plan, broker(false).property("inbox_store_initial_ranges", 8));
    }

    @ParameterizedTest
    @Tag("long")
    @ValueSource(booleans = {true, false})
    void twentyKillsLoseNothing(boolean earlyPush) throws Exception {
        Kind[] kinds = new Kind[20];
        for (int i = 0; i < kinds.length; i++) {
            kinds[i] = Kind.values()[i % 4];
        }
        keepsWhatItAcknowledged(
                CrashPlan.of(seed(), 2_600, 400, 3_000, 9_000, kinds),
                broker(earlyPush).longLived(),
                2_000,
                300);
    }

    /**
     * Proof against a real broker that the machinery notices a loss: this one writes its state once a second, and
     * forgets the rest.
     */
    @Test
    void mosquittoIsFoundOut() throws Exception {
        Needs.need(MosquittoProcess.installed() != null, "mosquitto", "the broker, of the system's packages");
        CrashPlan plan = CrashPlan.of(2, 1_000, 150, 1_500, 2_500, Kind.ANY, Kind.ANY);
        List<Violation> violations;
        try (Broker mosquitto = new MosquittoProcess(directory)) {
            violations = Checker.check(new CrashRun(mosquitto, plan).run());
        }
        LOG.info("mosquitto:\n{}", Checker.summary(violations));
        assertThat(violations.stream().map(Violation::rule)).contains(Rule.LOST);
    }

    private BrokerProcess broker(boolean earlyPush) throws IOException {
        return new BrokerProcess(directory)
                .property("kv_snapshot_log_bytes", 1 << 20)
                .property("inbox_store_early_push", earlyPush)
                .setting("sessionConfig", "{maxQueuedMessages: 1000000}");
    }

    private static void keepsWhatItAcknowledged(CrashPlan plan, BrokerProcess process) throws Exception {
        keepsWhatItAcknowledged(plan, process, 0, 0);
    }

    private static void keepsWhatItAcknowledged(
            CrashPlan plan, BrokerProcess process, double leastQos1PerSecond, double leastQos2PerSecond)
            throws Exception {
        LOG.info("seed {}, {}", plan.seed(), plan);
        try (BrokerProcess broker = process) {
            CrashRun run = new CrashRun(broker, plan);
            List<Violation> violations = run.violations();
            LOG.info(
                    "{} acknowledged publishes of QoS 1 a second, {} of QoS 2; {} kills in a snapshot, {} "
                            + "during recovery",
                    run.qos1PerSecond(),
                    run.qos2PerSecond(),
                    run.snapshotsHit(),
                    run.recoveriesHit());
            assertThat(violations)
                    .withFailMessage(() -> "seed " + plan.seed() + '\n' + Checker.summary(violations))
                    .isEmpty();
            assertThat(run.qos1PerSecond()).isGreaterThanOrEqualTo(leastQos1PerSecond);
            assertThat(run.qos2PerSecond()).isGreaterThanOrEqualTo(leastQos2PerSecond);
            assertThat(run.recoveriesHit()).isEqualTo(plan.count(Kind.RECOVERY));
            assertThat(run.snapshotsHit()).isEqualTo(plan.count(Kind.SNAPSHOT));
        }
    }

    private static long seed() {
        return Long.getLong("godwit.seed", ThreadLocalRandom.current().nextLong(1_000_000));
    }
}
