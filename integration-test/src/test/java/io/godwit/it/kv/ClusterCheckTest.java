package io.godwit.it.kv;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.it.kv.CheckRun.Result;
import io.godwit.it.kv.CheckRun.Settings;
import io.godwit.it.kv.history.Reply;
import io.godwit.it.kv.node.NodeOptions.Fault;
import java.nio.file.Path;
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
 * The store of registers stays one to its clients whatever is done to its nodes: through each kind of trouble once with
 * {@code -Pfull}, and for half an hour with {@code -Plong}. The seed is logged; {@code -Dnemesis.seed=N} repeats the
 * troubles, {@code -Dnemesis.seconds=N} has them go on for so long. The history and the nodes' logs of a failure stay
 * below {@code target}. The runs of {@code -Pfull} wait more than they work, and do so side by side.
 */
class ClusterCheckTest {
    private static final Logger LOG = LoggerFactory.getLogger(ClusterCheckTest.class);

    /** Seconds of a run that has each kind of trouble once. */
    private static final int EACH_ONCE = 0;
    /** So long a run has every kind of trouble, however long each before the last one takes. */
    private static final long EVERY_TROUBLE_MILLIS = 110_000;
    /** The same of one node, which has no links. */
    private static final long EVERY_TROUBLE_OF_ONE_MILLIS = 30_000;

    @TempDir
    private Path data;

    @Test
    @Tag("full")
    @Execution(ExecutionMode.CONCURRENT) // of the class, it would run beside other classes
    void oneNodeIsLinearizable() throws Exception {
        check(1, 30, 8_000);
    }

    @Test
    @Tag("full")
    @Execution(ExecutionMode.CONCURRENT)
    void threeNodesAreLinearizable() throws Exception {
        check(3, EACH_ONCE, 12_000);
    }

    /**
     * Whatever the troubles leave time for: at its end a merge of two ranges that different nodes lead has been carried
     * out. So it has at the end of {@link #threeNodesAreLinearizable}; this one shows it sooner, and always with the
     * same troubles. So every build runs this one.
     */
    @Test
    @Tag("full")
    @Execution(ExecutionMode.CONCURRENT)
    void mergesOverSeveralNodesAreLinearizable() throws Exception {
        check(3, 6, 2_000, 1);
    }

    /** Some ranges have three voters, others five. */
    @Test
    @Tag("long")
    void fiveNodesAreLinearizable() throws Exception {
        check(5, 90, 12_000);
    }

    @Test
    @Tag("long")
    void threeNodesAreLinearizableForHalfAnHour() throws Exception {
        check(3, 1_800, 30_000);
    }

    @Test
    @Tag("long")
    void fiveNodesAreLinearizableForHalfAnHour() throws Exception {
        check(5, 1_800, 30_000);
    }

    private void check(int nodes, int seconds, int longestPauseMillis) throws Exception {
        check(nodes, seconds, longestPauseMillis, ThreadLocalRandom.current().nextInt(1_000_000));
    }

    private void check(int nodes, int seconds, int longestPauseMillis, long usualSeed) throws Exception {
        long seed = Long.getLong("nemesis.seed", usualSeed);
        LOG.info("-Dnemesis.seed={}", seed);
        long millis = TimeUnit.SECONDS.toMillis(Integer.getInteger("nemesis.seconds", seconds));
        Settings settings = new Settings(nodes, millis, 12, 25, longestPauseMillis, Fault.GENUINE, seed);
        Result result = new CheckRun(settings, data).run();
        LOG.info("seed {}: {}", seed, result.summary());
        assertThat(result.isGood())
                .withFailMessage(() -> "seed " + seed + ": " + result.summary())
                .isTrue();
        if (millis == EACH_ONCE || millis >= (nodes == 1 ? EVERY_TROUBLE_OF_ONE_MILLIS : EVERY_TROUBLE_MILLIS)) {
            assertThat(result.troubles().keySet()).isEqualTo(result.possible());
        }
        assertThat(result.done().keySet()).as("changes carried out").containsAll(settings.changes());
        // a store that hardly answers would be judged by hardly anything
        assertThat(result.replies().get(Reply.Kind.OK) + result.replies().get(Reply.Kind.VALUE))
                .isGreaterThan(result.troubledMillis() / 50);
    }
}
