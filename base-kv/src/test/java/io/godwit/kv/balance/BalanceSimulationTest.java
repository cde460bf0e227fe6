package io.godwit.kv.balance;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import io.godwit.kv.balance.SimCluster.Node;
import io.godwit.kv.balance.policy.VoterCount;
import io.godwit.plugin.balance.BalanceAction;
import io.godwit.plugin.balance.BalanceAction.ChangeReplica;
import io.godwit.plugin.balance.BalanceAction.MoveLeader;
import io.godwit.plugin.balance.ReplicaGoal;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.function.LongConsumer;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

/** The shipped balancers in their loops, on clusters made from seeds. A failure names its seed. */
class BalanceSimulationTest {
    private static final int SEEDS = 12;
    private static final int CHAOTIC_SEEDS = 3;
    /** Longer than the grace period and any pause after a failure. */
    private static final int QUIET_SECONDS = 200;

    /** Of 3,000 seeds the slowest came to rest within 332 seconds and 189 actions. */
    private static final int REST_WITHIN_SECONDS = 1_000;

    private static final int MAX_ACTIONS = 500;
    private static final long GIB = 1L << 30;

    /** Thousands of actions fail here, on purpose. */
    @BeforeAll
    static void silence() {
        ((Logger) LoggerFactory.getLogger(BalanceLoop.class)).setLevel(Level.OFF);
    }

    @AfterAll
    static void speak() {
        ((Logger) LoggerFactory.getLogger(BalanceLoop.class)).setLevel(null);
    }

    private static void forSeeds(int first, int count, LongConsumer test) {
        for (long seed = first; seed < first + count; seed++) {
            try {
                test.accept(seed);
            } catch (AssertionError | RuntimeException e) {
                throw new AssertionError("seed " + seed + ": " + e.getMessage(), e);
            }
        }
    }

    private static void comesToRest(SimCluster cluster) {
        int before = cluster.begun.size();
        cluster.runToRest(QUIET_SECONDS, REST_WITHIN_SECONDS);
        assertThat(cluster.begun.size() - before).as("actions").isLessThan(MAX_ACTIONS);
        checkRest(cluster);
    }

    /** What must hold for every range once nothing has to be changed. */
    private static void checkRest(SimCluster cluster) {
        List<Node> lasting = cluster.nodes.values().stream()
                .filter(node -> !node.isDraining())
                .toList();
        VoterCount count = VoterCount.of(cluster.goal.voters(), lasting.size());
        for (SimRange range : cluster.ranges.values()) {
            String what = "range " + range.id + "\n" + cluster.describe();
            List<String> voters = range.voters();
            assertThat(range.leader).as(what).isNotNull();
            assertThat(voters.size()).as(what).isBetween(count.wanted(), count.ceiling());
            for (String store : cluster.goal.isOnEveryStore() ? voters : range.replicas.keySet()) {
                assertThat(cluster.node(store).isDraining()).as(what).isFalse();
            }
            if (cluster.goal.isOnEveryStore()) {
                assertThat(range.replicas.keySet())
                        .as(what)
                        .containsAll(lasting.stream()
                                .filter(node -> node.isAlive)
                                .map(node -> node.id)
                                .toList());
            } else if (voters.size() == cluster.goal.voters()) {
                assertThat(range.replicas).as(what).hasSize(voters.size());
            }
            if (count.wanted() + 1 > count.ceiling()) {
                checkZones(cluster, lasting, voters, what);
            }
        }
    }

    /** No two voters share a zone while a zone with a live node has none. */
    private static void checkZones(SimCluster cluster, List<Node> lasting, List<String> voters, String what) {
        Map<String, Integer> zones = new HashMap<>();
        voters.forEach(voter -> zones.merge(cluster.node(voter).zone, 1, Integer::sum));
        boolean isZoneFree = lasting.stream().anyMatch(node -> node.isAlive && !zones.containsKey(node.zone));
        if (isZoneFree) {
            assertThat(zones.values()).as(what).allMatch(voter -> voter == 1);
        }
    }

    @Test
    void comesToRestFromAnyView() {
        forSeeds(1, SEEDS, seed -> comesToRest(SimCluster.random(seed)));
    }

    @Test
    void survivesDeathsReturnsDrainsAndNewNodes() {
        forSeeds(1_000, CHAOTIC_SEEDS, BalanceSimulationTest::chaos);
    }

    private static void chaos(long seed) {
        SimCluster cluster = SimCluster.random(seed);
        Random fate = new Random(seed);
        for (int i = 0; i < 30; i++) {
            List<Node> all = new ArrayList<>(cluster.nodes.values());
            Node node = all.get(fate.nextInt(all.size()));
            long down = all.stream().filter(each -> !each.isAlive).count();
            switch (fate.nextInt(6)) {
                case 0, 1 -> {
                    if (!node.isAlive) {
                        node.restart();
                    } else if ((down + 1) * 2 < all.size()) {
                        node.kill();
                    }
                }
                case 2 -> node.drain(!node.isDraining() && fate.nextBoolean());
                case 3 -> {
                    if (all.size() < 9) {
                        cluster.addNode(node.zone, node.cores, node.diskBytes);
                    }
                }
                case 4 -> cluster.loadAtRandom(fate);
                default -> {}
            }
            cluster.run(1 + fate.nextInt(fate.nextInt(4) == 0 ? 200 : 20));
        }
        cluster.nodes.values().forEach(node -> {
            node.drain(false);
            if (!node.isAlive) {
                node.restart();
            }
        });
        comesToRest(cluster);
    }

    /** Takes minutes; for changes of the policies. */
    @Test
    @Tag("long")
    void manySeedsComeToRest() {
        forSeeds(10_000, 3_000, seed -> comesToRest(SimCluster.random(seed)));
        forSeeds(1_000, 600, BalanceSimulationTest::chaos);
    }

    private static SimCluster settled(long seed, int nodes, int voters, int ranges) {
        SimCluster cluster = new SimCluster(seed, new ReplicaGoal(voters, false));
        for (int i = 0; i < nodes; i++) {
            cluster.addNode("z" + i % 3, 4, 100 * GIB);
        }
        cluster.loadAtRandom(new Random(seed));
        cluster.cutAtRandom(new Random(seed), ranges);
        comesToRest(cluster);
        return cluster;
    }

    private static Map<Long, Set<String>> placement(SimCluster cluster) {
        Map<Long, Set<String>> placement = new HashMap<>();
        cluster.ranges.values().forEach(range -> placement.put(range.id, new HashSet<>(range.replicas.keySet())));
        return placement;
    }

    @Test
    void aRollingRestartMovesNoReplica() {
        forSeeds(2_000, 3, seed -> {
            SimCluster cluster = settled(seed, 3 + (int) (seed % 4), 3, 12);
            cluster.noise = 0;
            Map<Long, Set<String>> before = placement(cluster);
            int begun = cluster.begun.size();
            for (Node node : cluster.nodes.values()) {
                node.kill();
                cluster.run(SimCluster.GRACE_SECONDS - 10);
                node.restart();
                cluster.run(15);
            }
            comesToRest(cluster);
            assertThat(placement(cluster)).isEqualTo(before);
            assertThat(cluster.begun.subList(begun, cluster.begun.size())).hasOnlyElementsOfType(MoveLeader.class);
        });
    }

    @Test
    void aDeadNodeIsReplacedOnlyAfterTheGracePeriod() {
        forSeeds(3_000, 3, seed -> {
            SimCluster cluster = settled(seed, 4 + (int) (seed % 3), 3, 12);
            Node dead = cluster.node("n2");
            int begun = cluster.begun.size();
            dead.kill();
            cluster.run(SimCluster.GRACE_SECONDS - 1);
            List<BalanceAction> early = List.copyOf(cluster.begun.subList(begun, cluster.begun.size()));
            assertThat(early).noneMatch(ChangeReplica.class::isInstance);
            comesToRest(cluster);
            assertThat(cluster.ranges.values())
                    .as(cluster::describe)
                    .noneMatch(range -> range.replicas.containsKey(dead.id));
        });
    }

    /** If there is no other store, its voters stay in place, and it has its data when it comes back. */
    @Test
    void aDeadNodeIsWaitedForIfItCannotBeReplaced() {
        forSeeds(4_000, 2, seed -> {
            SimCluster cluster = settled(seed, 3, 3, 8);
            Map<Long, Set<String>> before = placement(cluster);
            cluster.node("n1").kill();
            cluster.run(5 * SimCluster.GRACE_SECONDS);
            assertThat(placement(cluster)).isEqualTo(before);
            cluster.node("n1").restart();
            comesToRest(cluster);
            assertThat(placement(cluster)).isEqualTo(before);
        });
    }

    /** On three nodes it is replaced in place, on more nodes elsewhere. */
    @Test
    void stoppedReplicasAreReplacedOnlyAfterTheGracePeriod() {
        forSeeds(7_000, 4, seed -> {
            SimCluster cluster = settled(seed, 3 + (int) (seed % 3), 3, 8);
            Random fate = new Random(seed);
            int begun = cluster.begun.size();
            for (SimRange range : cluster.ranges.values()) {
                if (fate.nextBoolean()) {
                    range.stop(range.voters().get(fate.nextInt(3)));
                }
            }
            cluster.run(SimCluster.GRACE_SECONDS - 1);
            assertThat(cluster.begun.subList(begun, cluster.begun.size()))
                    .noneMatch(action ->
                            action instanceof ChangeReplica change && change.step() == ChangeReplica.Step.REMOVE);
            comesToRest(cluster);
            assertThat(cluster.ranges.values())
                    .as(cluster::describe)
                    .allMatch(range -> range.voters().size() == 3
                            && range.replicas.values().stream().noneMatch(SimReplica::hasStopped));
        });
    }

    /** A stopped replica is left alone while the other two are needed. */
    @Test
    void stoppedReplicasAreNotReplacedDuringARollingRestart() {
        SimCluster cluster = settled(8_000, 3, 3, 8);
        cluster.ranges.values().forEach(range -> range.stop("n3"));
        cluster.run(10); // others lead by then
        for (String id : List.of("n1", "n2")) {
            cluster.node(id).kill();
            int begun = cluster.begun.size();
            cluster.run(SimCluster.GRACE_SECONDS - 10);
            assertThat(cluster.begun.subList(begun, cluster.begun.size())).noneMatch(ChangeReplica.class::isInstance);
            cluster.node(id).restart();
            cluster.run(15);
        }
        comesToRest(cluster);
        assertThat(cluster.ranges.values())
                .as(cluster::describe)
                .allMatch(range -> range.replicas.values().stream().noneMatch(SimReplica::hasStopped));
    }

    @Test
    void aDrainedNodeKeepsNothingAndGetsNothing() {
        forSeeds(5_000, 4, seed -> {
            SimCluster cluster = settled(seed, 2 + (int) (seed % 5), 3, 10);
            cluster.node("n1").drain(true);
            comesToRest(cluster);
            assertThat(cluster.ranges.values())
                    .as(cluster::describe)
                    .noneMatch(range -> range.replicas.containsKey("n1"));
        });
    }

    /** More nodes are dead than alive for a long time: the live ones still get their voters. */
    @Test
    void deadNodesDoNotPreventHealing() {
        forSeeds(9_000, 3, seed -> {
            SimCluster cluster = new SimCluster(seed, new ReplicaGoal(3, false));
            cluster.addNode("", 4, 100 * GIB);
            cluster.cutAtRandom(new Random(seed), 4);
            for (int i = 0; i < 6; i++) {
                cluster.addNode("", 4, 100 * GIB);
            }
            for (String ghost : List.of("n4", "n5", "n6", "n7")) {
                cluster.node(ghost).kill();
            }
            cluster.run(SimCluster.GRACE_SECONDS + 10);
            comesToRest(cluster);
            assertThat(cluster.ranges.values())
                    .as(cluster::describe)
                    .allMatch(range -> range.replicas.keySet().equals(Set.of("n1", "n2", "n3")));
        });
    }

    @Test
    void aNewNodeGetsItsShare() {
        forSeeds(6_000, 2, seed -> {
            SimCluster cluster = settled(seed, 3, 3, 12);
            Node added = cluster.addNode("z0", 4, 100 * GIB);
            added.since = cluster.now;
            comesToRest(cluster);
            long replicas = cluster.ranges.values().stream()
                    .filter(range -> range.replicas.containsKey(added.id))
                    .count();
            assertThat(replicas).as(cluster::describe).isPositive();
        });
    }

    @Test
    void leadersOfIdleRangesAreSpreadEvenly() {
        SimCluster cluster = new SimCluster(1, new ReplicaGoal(3, false));
        for (int i = 0; i < 3; i++) {
            cluster.addNode("", 4, 100 * GIB);
        }
        for (int i = 0; i < SimCluster.POINTS; i++) {
            cluster.bytesAt[i] = 1 << 20; // 20 ranges of 25 MB, too large to be merged
        }
        cluster.cutAtRandom(new Random(3), 12);
        comesToRest(cluster);
        Map<String, Integer> led = new HashMap<>();
        cluster.ranges.values().forEach(range -> led.merge(range.leader, 1, Integer::sum));
        int mean = cluster.ranges.size() / 3;
        assertThat(led.values())
                .as(cluster::describe)
                .allSatisfy(count -> assertThat(count).isBetween(mean - 1, mean + 2));
    }

    /** A hot range is split until each part is below the limit or on one key, and is not merged again. */
    @Test
    void aHotRangeIsSplitUntilNoPartIsHot() {
        SimCluster cluster = new SimCluster(7, new ReplicaGoal(1, false));
        cluster.addNode("", 64, 100 * GIB);
        for (int i = 0; i < SimCluster.POINTS; i++) {
            cluster.operationsAt[i] = 200;
        }
        cluster.operationsAt[100] = 50_000;
        cluster.cutAtRandom(new Random(7), 1);
        comesToRest(cluster);
        assertThat(cluster.ranges.values()).as(cluster::describe).allSatisfy(range -> {
            boolean isOneKey = range.from <= 100 && 100 < range.to;
            assertThat(range.operations()).isLessThan(isOneKey ? 65_000 : 10_500);
        });
        assertThat(cluster.ranges).hasSizeGreaterThan(10);
    }

    @Test
    void coldRangesAreMerged() {
        SimCluster cluster = new SimCluster(8, new ReplicaGoal(3, false));
        for (int i = 0; i < 3; i++) {
            cluster.addNode("", 2, 100 * GIB);
        }
        cluster.cutAtRandom(new Random(8), 20);
        comesToRest(cluster);
        assertThat(cluster.ranges).as(cluster::describe).hasSize(1);
    }
}
