package io.godwit.it.crash;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.it.broker.BrokerProcess;
import io.godwit.it.crash.CrashPlan.Kind;
import io.godwit.it.crash.Violation.Rule;
import io.godwit.it.powerloss.PowerCut.Loss;
import io.godwit.it.powerloss.PowerLoss;
import io.godwit.it.powerloss.UnpluggedBroker;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * As {@link CrashTest}, but what dies is the power: all that was not fsynced is lost as well. The seed is logged;
 * {@code -Dgodwit.seed=N} repeats the moments and the extent of the losses. The runs that are tagged {@code alone} go
 * side by side, as there.
 */
class PowerLossTest {
    private static final Logger LOG = LoggerFactory.getLogger(PowerLossTest.class);
    private static final long SEED =
            Long.getLong("godwit.seed", ThreadLocalRandom.current().nextLong(1_000_000));

    @TempDir
    private Path directory;

    @BeforeAll
    static void needsLinuxAndACompiler() throws InterruptedException {
        PowerLoss.assumePossible();
    }

    @Test
    @Tag("full")
    @Tag("alone")
    @Execution(ExecutionMode.CONCURRENT) // of the class, it would run beside other classes
    void aLossOfBytesAmongSnapshotsLosesNothing() throws Exception {
        assertKept(Loss.UNSYNCED_BYTES, withSnapshots(true), plan(2_000, 300, Kind.SNAPSHOT));
    }

    @Test
    @Tag("full")
    @Tag("alone")
    @Execution(ExecutionMode.CONCURRENT)
    void aLossOfNamesLosesNothingWithoutEarlyPushAndWithEightRanges() throws Exception {
        assertKept(
                Loss.UNSYNCED_NAMES,
                broker(false).property("inbox_store_initial_ranges", 8),
                plan(2_000, 300, Kind.TAKEOVER));
    }

    @ParameterizedTest
    @Tag("long")
    @CsvSource({
        "UNSYNCED_BYTES, true",
        "UNSYNCED_BYTES, false",
        "TORN_BYTES, true",
        "TORN_BYTES, false",
        "UNSYNCED_NAMES, true",
        "UNSYNCED_NAMES, false"
    })
    void twentyLossesLoseNothing(Loss loss, boolean earlyPush) throws Exception {
        Kind[] kinds = new Kind[20];
        for (int i = 0; i < kinds.length; i++) {
            kinds[i] = Kind.values()[i % 4];
        }
        assertKept(loss, withSnapshots(earlyPush), plan(2_000, 300, kinds));
    }

    /**
     * Proof that the test notices. What is lost by unsynced votes shows in the log alone: see {@code LogPowerLossTest}.
     */
    @Test
    @Tag("full")
    @Tag("alone")
    @Execution(ExecutionMode.CONCURRENT)
    void lossesAreSeenWithoutSync() throws Exception {
        BrokerProcess process = broker(true).property("kv_log_sync", false);
        try (UnpluggedBroker broker = new UnpluggedBroker(process, Loss.UNSYNCED_BYTES, new Random(SEED))) {
            List<Violation> violations = Checker.check(new CrashRun(broker, plan(2_000, 300, Kind.ANY)).run());
            assertThat(violations).extracting(Violation::rule).contains(Rule.LOST, Rule.RETAINED);
        }
    }

    /**
     * Whatever was under way when it failed is refused or comes again; nothing that was acknowledged is lost with the
     * power afterwards.
     */
    @Test
    void nothingIsAcknowledgedAfterAFailedSync() throws Exception {
        try (UnpluggedBroker broker = new UnpluggedBroker(broker(true), Loss.UNSYNCED_BYTES, new Random(SEED))) {
            assertKept(broker.watchedBy(new FailedSync(broker)), plan(2_000, 300, Kind.ANY));
        }
    }

    /** Anything may fail here: the log, the tables of a range, a snapshot. */
    @ParameterizedTest
    @Tag("long")
    @ValueSource(booleans = {true, false})
    void twentyFailedSyncsLoseNothing(boolean earlyPush) throws Exception {
        Kind[] kinds = new Kind[20];
        Arrays.fill(kinds, Kind.ANY);
        AtomicInteger failures = new AtomicInteger();
        try (UnpluggedBroker broker =
                new UnpluggedBroker(withSnapshots(earlyPush), Loss.UNSYNCED_BYTES, new Random(SEED))) {
            UnpluggedBroker.Watch watch = new UnpluggedBroker.Watch() {
                @Override
                public void dying(BrokerProcess process) throws IOException {
                    broker.failNextSync();
                    long giveUp = System.nanoTime() + TimeUnit.SECONDS.toNanos(2);
                    boolean hasFailed = false;
                    while (!hasFailed && System.nanoTime() < giveUp) {
                        hasFailed = process.status().contains("FAILED");
                    }
                    failures.addAndGet(hasFailed ? 1 : 0);
                }
            };
            assertKept(broker.watchedBy(watch), plan(2_000, 300, kinds));
        }
        LOG.info("{} failures of a store", failures);
        assertThat(failures).hasValueGreaterThan(10);
    }

    private static void assertKept(Loss loss, BrokerProcess process, CrashPlan plan) throws Exception {
        LOG.info("{}", loss);
        try (UnpluggedBroker broker = new UnpluggedBroker(process, loss, new Random(SEED))) {
            assertKept(broker, plan);
        }
    }

    private static void assertKept(UnpluggedBroker broker, CrashPlan plan) throws Exception {
        LOG.info("seed {}, {}", SEED, plan);
        CrashRun run = new CrashRun(broker, plan);
        String violations = Checker.summary(run.violations());
        LOG.info("{} QoS 1 and {} QoS 2 acknowledged a second", run.qos1PerSecond(), run.qos2PerSecond());
        assertThat(violations).isEmpty();
        assertThat(run.recoveriesHit()).isEqualTo(plan.count(Kind.RECOVERY));
        assertThat(run.snapshotsHit()).isEqualTo(plan.count(Kind.SNAPSHOT));
    }

    private static CrashPlan plan(double qos1PerSecond, double qos2PerSecond, Kind... kinds) {
        return CrashPlan.of(SEED, qos1PerSecond, qos2PerSecond, 1_000, 2_500, kinds);
    }

    private BrokerProcess broker(boolean earlyPush) throws IOException {
        return new BrokerProcess(directory)
                .property("inbox_store_early_push", earlyPush)
                .setting("sessionConfig", "{maxQueuedMessages: 1000000}");
    }

    private BrokerProcess withSnapshots(boolean earlyPush) throws IOException {
        return broker(earlyPush).property("kv_snapshot_log_bytes", 64 << 10);
    }
}
