package io.godwit.it.kv;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.it.kv.FailoverRun.Outage;
import io.godwit.it.kv.FailoverRun.Trouble;
import io.godwit.kv.raft.RaftSettings;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * How long a range is without a leader, with the settings of a broker. The seed is logged; {@code -Dfailover.seed=N}
 * repeats the choices, {@code -Dfailover.rounds=N} makes more or fewer of them.
 */
class FailoverTest {
    private static final Logger LOG = LoggerFactory.getLogger(FailoverTest.class);
    private static final long KILL_LIMIT_MILLIS = 3_000;
    private static final int ELECTION_MILLIS = RaftSettings.DEFAULT.electionTimeoutMillis();
    private static final long LIMIT_MILLIS = 2L * ELECTION_MILLIS;
    /** Longer than two election time-outs: what comes later than that is seen. */
    private static final long TROUBLE_MILLIS = LIMIT_MILLIS + 5_000;

    @TempDir
    private Path data;

    /** Three say little of one in a hundred: the long one has fifty. */
    @Test
    @Tag("full")
    @Tag("alone")
    void aKilledLeaderIsReplacedWithinThreeSeconds() throws Exception {
        kill(3);
    }

    @Test
    @Tag("long")
    void fiftyKilledLeadersAreReplacedWithinThreeSeconds() throws Exception {
        kill(50);
    }

    private void kill(int kills) throws Exception {
        List<Outage> outages = new ArrayList<>();
        try (FailoverRun run = begin("kill")) {
            for (int i = 0; i < Integer.getInteger("failover.rounds", kills); i++) {
                outages.add(run.kill(i));
            }
            end("kill -9", run, outages);
        }
        assertThat(Outage.percentile(outages, 99)).as("p99 of %s", outages).isLessThan(KILL_LIMIT_MILLIS);
    }

    @Test
    @Tag("long")
    void aStoppedLeaderIsReplacedWithinTwoElectionTimeouts() throws Exception {
        measure("SIGSTOP", 4, false, new Trouble() {
            @Override
            public void begin(TestCluster cluster, int leader, int other) throws IOException {
                cluster.node(leader).pause();
            }

            @Override
            public void end(TestCluster cluster, int leader, int other) throws IOException {
                cluster.node(leader).goOn();
            }
        });
    }

    @Test
    @Tag("long")
    void aLeaderCutOffBothWaysIsReplacedWithinTwoElectionTimeouts() throws Exception {
        measure("cut off both ways", 4, false, cut(true, true, true));
    }

    @Test
    @Tag("long")
    void aLeaderThatNobodyHearsIsReplacedWithinTwoElectionTimeouts() throws Exception {
        measure("nothing from it arrives", 4, false, cut(true, false, true));
    }

    @Test
    @Tag("long")
    void aLeaderThatHearsNobodyIsReplacedWithinTwoElectionTimeouts() throws Exception {
        measure("nothing arrives at it", 4, false, cut(false, true, true));
    }

    @Test
    @Tag("long")
    void aLeaderThatOneNodeDoesNotReachGivesWayWithinTwoElectionTimeouts() throws Exception {
        measure("link to one follower cut both ways", 4, true, cut(true, true, false));
    }

    @Test
    @Tag("long")
    void aLeaderThatOneNodeDoesNotHearGivesWayWithinTwoElectionTimeouts() throws Exception {
        measure("link to one follower cut one way", 4, true, cut(true, false, false));
    }

    /** @param isFromAll from both others, or from one of them */
    private static Trouble cut(boolean isFrom, boolean isTo, boolean isFromAll) {
        return new Trouble() {
            @Override
            public void begin(TestCluster cluster, int leader, int other) throws IOException {
                for (int node = 0; node < cluster.size(); node++) {
                    if (node != leader && (isFromAll || node == other)) {
                        if (isFrom) {
                            cluster.links().cut(leader, node);
                        }
                        if (isTo) {
                            cluster.links().cut(node, leader);
                        }
                    }
                }
            }

            @Override
            public void end(TestCluster cluster, int leader, int other) throws IOException {
                cluster.healAll();
            }
        };
    }

    private void measure(String name, int rounds, boolean isOfOneLink, Trouble trouble) throws Exception {
        List<Outage> outages = new ArrayList<>();
        try (FailoverRun run = begin(name)) {
            for (int i = 0; i < Integer.getInteger("failover.rounds", rounds); i++) {
                outages.add(run.trouble(name, i, TROUBLE_MILLIS, isOfOneLink, trouble));
            }
            end(name, run, outages);
        }
        assertThat(outages).allMatch(outage -> outage.writeMillis() < LIMIT_MILLIS);
        assertThat(outages).allMatch(outage -> outage.readMillis() < LIMIT_MILLIS);
    }

    private FailoverRun begin(String name) throws IOException {
        long seed = Long.getLong("failover.seed", ThreadLocalRandom.current().nextInt(1_000_000));
        LOG.info("-Dfailover.seed={}", seed);
        Path logs = Path.of("target", "failover-" + name.replace(' ', '-')).toAbsolutePath();
        FailoverRun run = new FailoverRun(data, logs, ELECTION_MILLIS, seed);
        try {
            run.start();
        } catch (IOException | RuntimeException e) {
            run.close();
            throw e;
        }
        return run;
    }

    private static void end(String name, FailoverRun run, List<Outage> outages) {
        LOG.info("{}: writes {}", name, Outage.percentiles(outages, Outage::writeMillis));
        LOG.info("{}: reads {}", name, Outage.percentiles(outages, Outage::readMillis));
        LOG.info("{} requests answered", run.answered());
        assertThat(run.violations()).isEmpty();
    }
}
