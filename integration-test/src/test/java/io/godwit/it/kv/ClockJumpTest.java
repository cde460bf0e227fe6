package io.godwit.it.kv;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.it.kv.SteadyLoad.Figures;
import io.godwit.it.kv.fault.ClockJump;
import io.godwit.it.kv.node.FillText;
import io.godwit.it.kv.node.NodeOptions.Fault;
import io.godwit.it.kv.node.OperatorText;
import io.godwit.it.kv.node.OperatorText.RangeText;
import io.godwit.kv.raft.RaftSettings;
import io.godwit.testing.Await;
import io.godwit.testing.Pace;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Three nodes as processes; the clock of one, which leads one range and follows in the other, is set while clients
 * write. Elections, heartbeats, time-outs and reads do not go by the time of day: nobody is elected, writes go on, and
 * nothing is missing.
 */
@Timeout(180)
@Tag("long")
class ClockJumpTest {
    private static final Logger LOG = LoggerFactory.getLogger(ClockJumpTest.class);
    private static final long NUMBERS = 10_000;
    /** Whose clock jumps. */
    private static final int JUMPING = 2;

    private static final long HOUR_SECONDS = 3_600;
    /** More than an election takes, and than anything that is late on a busy machine; far less than an hour. */
    private static final double LONGEST_GAP_MILLIS = 5_000;

    private static final long PHASE_NANOS = TimeUnit.SECONDS.toNanos(12);

    @TempDir
    private Path directory;

    @Test
    void aClockThatJumpsAnHourAheadAndBackDisturbsNobody() throws Exception {
        ClockJump.assumePossible();
        ClockJump jump = ClockJump.in(directory.resolve("clock"));
        String middle = FillText.key(NUMBERS / 2);
        try (TestCluster cluster = new TestCluster(
                3,
                new ProcessHosts(3, directory.resolve("nodes"), directory.resolve("logs"), false),
                List.of(middle),
                Fault.GENUINE,
                NodeTerms.SMALL.withElectionMillis(RaftSettings.DEFAULT.electionTimeoutMillis()))) {
            cluster.process(JUMPING).environment(jump.environment());
            cluster.start();
            for (int node = 0; node < 3; node++) {
                cluster.awaitServing(node, 40_000);
            }
            cluster.awaitVoters(0, 3, 40_000);
            lead(cluster, 0, JUMPING);
            lead(cluster, 1, 0);
            String before = terms(cluster);
            try (SteadyLoad load = new SteadyLoad(cluster.node(1).address(), 4, NUMBERS, 100, 10)) {
                for (long offset : List.of(HOUR_SECONDS, 0L)) {
                    jump.set(offset);
                    long ahead = Long.parseLong(answer(cluster, JUMPING, "clock")) - System.currentTimeMillis();
                    assertThat(ahead)
                            .as("milliseconds that the clock is ahead")
                            .isBetween(offset * 1_000 - 5_000, offset * 1_000 + 5_000);
                    long from = System.nanoTime();
                    Pace.passNanos(PHASE_NANOS);
                    for (List<String> range : List.of(List.of("", middle), List.of(middle, "~"))) {
                        Figures figures = load.figures(range.get(0), range.get(1), from, System.nanoTime());
                        LOG.info("{} s ahead, from {}: {}", offset, range.get(0), figures);
                        assertThat(figures.longestGapMillis())
                                .as("%d s ahead, from %s: %s", offset, range.get(0), figures)
                                .isLessThan(LONGEST_GAP_MILLIS);
                    }
                    assertThat(terms(cluster)).as("terms %d s ahead", offset).isEqualTo(before);
                }
                load.finish();
                for (int node = 0; node < 3; node++) {
                    assertThat(load.missing(cluster.node(node).address())).isEmpty();
                }
                assertThat(load.failures()).isZero();
            }
        }
    }

    private static String answer(TestCluster cluster, int node, String words) throws IOException {
        String reply = cluster.operate(node, words, 8_000);
        assertThat(reply).startsWith("done ");
        return reply.substring(5);
    }

    private static String terms(TestCluster cluster) throws IOException {
        return answer(cluster, 1, "terms");
    }

    /** Has a node lead a range, by its place in the order of keys. */
    private static void lead(TestCluster cluster, int place, int node) throws IOException {
        String storeId = answer(cluster, node, "self");
        Await looks = Await.atMost(Duration.ofSeconds(40));
        do {
            RangeText range = OperatorText.ranges(answer(cluster, 1, "ranges")).get(place);
            if (range.leader().equals(storeId)) {
                return;
            }
            cluster.operate(1, "transfer " + range.id() + " " + range.epoch() + " " + storeId, 8_000);
            Pace.passMillis(200); // what was asked for has begun
        } while (looks.again());
        throw new AssertionError("node " + node + " does not lead range " + place);
    }
}
