package io.godwit.it.crash;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.it.broker.BrokerProcess;
import io.godwit.testing.Pace;
import java.nio.file.Path;
import java.util.List;
import java.util.Random;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The packaged broker under load while the range that keeps its sessions is cut in two every few seconds: no message is
 * lost, none comes out of order, and none comes twice but by QoS 1's leave. The seed is logged; {@code -Dgodwit.seed=N}
 * repeats the load. The two runs of every change go side by side.
 */
class MqttSplitTest {
    private static final Logger LOG = LoggerFactory.getLogger(MqttSplitTest.class);
    private static final long BETWEEN_NANOS = TimeUnit.SECONDS.toNanos(3);

    @TempDir
    private Path directory;

    @Test
    @Tag("full")
    @Tag("alone")
    @Execution(ExecutionMode.CONCURRENT) // of the class, it would run beside other classes
    void splitsUnderLoadLoseNothingWithEarlyPush() throws Exception {
        splitsLoseNothing(true, 3);
    }

    @Test
    @Tag("full")
    @Tag("alone")
    @Execution(ExecutionMode.CONCURRENT)
    void splitsUnderLoadLoseNothingWithoutEarlyPush() throws Exception {
        splitsLoseNothing(false, 3);
    }

    @Test
    @Tag("long")
    void manySplitsUnderLoadLoseNothing() throws Exception {
        splitsLoseNothing(true, 24);
    }

    private void splitsLoseNothing(boolean earlyPush, int splits) throws Exception {
        CrashPlan plan = CrashPlan.of(seed(), 2_000, 300, 1_000, 2_000);
        LOG.info("seed {}", plan.seed());
        try (BrokerProcess broker = new BrokerProcess(directory)
                .property("kv_snapshot_log_bytes", 1 << 20)
                .property("inbox_store_early_push", earlyPush)
                .setting("sessionConfig", "{maxQueuedMessages: 1000000}")) {
            Splitter splitter = new AdminSplitter(broker, new Random(plan.seed()));
            CrashRun run = new CrashRun(broker, plan);
            int[] done = new int[1];
            List<Violation> violations = run.violationsUnder(() -> {
                long next = System.nanoTime();
                for (int i = 0; i < splits; i++) {
                    next += BETWEEN_NANOS;
                    Pace.until(next);
                    long begin = System.nanoTime();
                    boolean isDone = splitter.split();
                    done[0] += isDone ? 1 : 0;
                    LOG.info("split {} in {} ms", isDone, TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - begin));
                }
                Pace.until(next + BETWEEN_NANOS);
            });
            LOG.info(
                    "{} splits, {} acknowledged publishes of QoS 1 a second, {} of QoS 2",
                    done[0],
                    run.qos1PerSecond(),
                    run.qos2PerSecond());
            assertThat(violations)
                    .withFailMessage(() -> "seed " + plan.seed() + '\n' + Checker.summary(violations))
                    .isEmpty();
            assertThat(done[0]).as("splits").isGreaterThan(splits / 2);
            assertThat(run.qos1PerSecond()).isGreaterThan(500);
        }
    }

    private static long seed() {
        return Long.getLong("godwit.seed", ThreadLocalRandom.current().nextLong(1_000_000));
    }
}
