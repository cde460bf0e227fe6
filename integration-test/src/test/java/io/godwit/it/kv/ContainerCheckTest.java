package io.godwit.it.kv;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.it.container.Engine;
import io.godwit.it.kv.CheckRun.Result;
import io.godwit.it.kv.CheckRun.Settings;
import io.godwit.it.kv.history.Reply;
import io.godwit.it.kv.node.NodeOptions.Fault;
import java.nio.file.Path;
import java.util.EnumSet;
import java.util.Set;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What {@link ClusterCheckTest} shows of processes holds for nodes in containers, where a Docker engine answers: out of
 * the distribution's jars, with an address each, and troubles as an engine makes them. The same properties repeat a
 * run.
 *
 * <p>A container stands still by the freezer of its control group, which halts its processes as SIGSTOP does; it is
 * killed by SIGKILL to its first process; it alone can be unplugged. Links are cut from within, which needs the
 * machine's {@code ip} in the image, and the disk that is filled is one of this machine, given to the first container,
 * which needs root and an engine beside us. What is missing is logged as not done to nodes, and its troubles are not in
 * the run's summary. Links that lose some packets or are slow are no trouble of the plan, here as between processes.
 */
@Tag("long")
class ContainerCheckTest {
    private static final Logger LOG = LoggerFactory.getLogger(ContainerCheckTest.class);

    /** Those that only an engine can make in this way; the rest passes through the same code as between processes. */
    private static final Set<Trouble> BY_THE_ENGINE = EnumSet.of(Trouble.KILL, Trouble.PAUSE, Trouble.UNPLUG);

    @TempDir
    private Path data;

    @BeforeEach
    void anEngineAnswers() {
        Engine.need();
    }

    @Test
    void threeContainersAreLinearizable() throws Exception {
        check(0, 3_000, BY_THE_ENGINE);
    }

    @Test
    void threeContainersAreLinearizableUnderAllTroubles() throws Exception {
        check(180, 12_000, EnumSet.allOf(Trouble.class));
    }

    private void check(int seconds, int longestPauseMillis, Set<Trouble> wanted) throws Exception {
        long seed = Long.getLong("nemesis.seed", ThreadLocalRandom.current().nextInt(1_000_000));
        LOG.info("-Dnemesis.seed={}", seed);
        long millis = TimeUnit.SECONDS.toMillis(Integer.getInteger("nemesis.seconds", seconds));
        Settings settings = new Settings(3, millis, 12, 25, longestPauseMillis, Fault.GENUINE, wanted, seed);
        Result result = new CheckRun(settings, ContainerHosts::new, "containers-", data).run();
        LOG.info("seed {}: {}", seed, result.summary());
        assertThat(result.isGood())
                .withFailMessage(() -> "seed " + seed + ": " + result.summary())
                .isTrue();
        assertThat(result.troubles().keySet()).isEqualTo(result.possible());
        Set<Change> expected = settings.changes();
        expected.removeAll(result.unsupported());
        assertThat(result.done().keySet()).as("changes carried out").containsAll(expected);
        // a store that hardly answers would be judged by hardly anything
        assertThat(result.replies().get(Reply.Kind.OK) + result.replies().get(Reply.Kind.VALUE))
                .isGreaterThan(Math.max(millis / 50, 200));
    }
}
