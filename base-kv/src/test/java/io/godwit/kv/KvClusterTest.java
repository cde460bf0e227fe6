package io.godwit.kv;

import static io.godwit.kv.KvCluster.append;
import static io.godwit.kv.KvCluster.await;
import static io.godwit.kv.KvCluster.eventually;
import static io.godwit.kv.KvCluster.read;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.cluster.Cluster;
import io.godwit.cluster.RpcCut;
import io.godwit.kv.balance.ActionOutcome;
import io.godwit.kv.client.RangeClient;
import io.godwit.kv.coprocessor.RangeBounds;
import io.godwit.kv.operate.OperationResult;
import io.godwit.kv.operate.StoreOperations;
import io.godwit.kv.peers.Replicas;
import io.godwit.kv.raft.RaftSettings;
import io.godwit.kv.range.replica.RangeSettings;
import io.godwit.kv.remote.NodeReport;
import io.godwit.kv.remote.ReplicaReport;
import io.godwit.plugin.balance.BalanceAction.ChangeReplica;
import io.godwit.plugin.balance.BalanceAction.ChangeReplica.Step;
import io.godwit.plugin.balance.BalanceAction.MoveLeader;
import io.godwit.plugin.balance.BalanceAction.Split;
import io.godwit.plugin.balance.Key;
import io.godwit.plugin.balance.RangeLoad;
import io.godwit.testing.Pace;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Stores over three nodes in this process. */
@Tag("slow")
@Timeout(180)
class KvClusterTest {
    @TempDir
    Path directory;

    /** The life of a range: one voter, three, a dead leader, a restart of all, one removed permanently. */
    @Test
    void rangeOutlivesItsLeaderAndARestartOfAll() throws Exception {
        try (KvCluster cluster = new KvCluster(directory)) {
            cluster.startAll();
            assertThat(cluster.only(2).voters()).containsExactly(cluster.id(1));
            append(cluster.client(2), "k", "a").get(30, TimeUnit.SECONDS);
            assertThat(read(cluster.client(3), "k")).isEqualTo("a");

            cluster.replicate();
            assertThat(cluster.only(1).voters()).containsExactlyInAnyOrder(cluster.id(1), cluster.id(2), cluster.id(3));
            append(cluster.client(3), "k", "b").get(30, TimeUnit.SECONDS);

            int leader = cluster.leader(1);
            int survivor = leader == 1 ? 2 : 1;
            long killed = System.nanoTime();
            cluster.crash(leader);
            append(cluster.client(survivor), "k", "c").get(30, TimeUnit.SECONDS);
            long failoverMillis = TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - killed);
            assertThat(failoverMillis).as("milliseconds until the failover").isLessThan(5_000);
            assertThat(read(cluster.client(survivor), "k")).isEqualTo("abc");

            cluster.start(leader);
            eventually(
                    "the dead one follows",
                    () -> read(cluster.client(leader), "k").equals("abc"));

            List.of(1, 2, 3).forEach(cluster::stop);
            for (int number : List.of(3, 1, 2)) { // in any order
                cluster.start(number);
            }
            cluster.ready();
            append(cluster.client(1), "k", "d").get(30, TimeUnit.SECONDS);
            assertThat(read(cluster.client(2), "k")).isEqualTo("abcd");

            int now = cluster.leader(1);
            int removed = now == 3 ? 2 : 3;
            cluster.change(now, Step.REMOVE, cluster.id(removed));
            Path files = directory.resolve("node-" + removed).resolve("test");
            await("the replica is deleted", () -> directoriesIn(files) == 0);

            // it does not come back by a restart, but can be added again
            cluster.stop(removed);
            cluster.start(removed);
            cluster.ready();
            append(cluster.client(removed), "k", "e").get(30, TimeUnit.SECONDS);
            assertThat(directoriesIn(files)).isZero();
            cluster.change(now, Step.ADD_LEARNER, cluster.id(removed));
            cluster.change(now, Step.PROMOTE, cluster.id(removed));
            cluster.moveLeader(1, removed);
            assertThat(read(cluster.client(removed), "k")).isEqualTo("abcde");
        }
    }

    /** Members, replicas and votes use the id in its data, and the others learn its address from the membership. */
    @Test
    void aNodeThatReturnsUnderANewAddressIsTheSameMember() throws Exception {
        try (KvCluster cluster = new KvCluster(directory)) {
            cluster.startAll();
            cluster.replicate();
            cluster.moveLeader(1, 3);
            append(cluster.client(1), "k", "a").get(30, TimeUnit.SECONDS);
            String id = cluster.id(3);
            List<String> voters = cluster.only(1).voters();

            cluster.crash(3);
            append(cluster.client(1), "k", "b").get(30, TimeUnit.SECONDS);
            cluster.start(3, cluster.movedTo(3, 13));
            cluster.ready();

            assertThat(cluster.id(3)).isEqualTo(id);
            eventually("it follows", () -> read(cluster.client(3), "k").equals("ab"));
            assertThat(cluster.only(1).voters()).containsExactlyInAnyOrderElementsOf(voters);
            // its vote counts, and it leads again
            int other = cluster.leader(1) == 1 ? 2 : 1;
            cluster.crash(other);
            cluster.moveLeader(3, 3);
            append(cluster.client(3), "k", "c").get(30, TimeUnit.SECONDS);
            assertThat(read(cluster.client(3 - other), "k")).isEqualTo("abc");
        }
    }

    /**
     * Followers are told at once that the split is committed; no write would tell them, and no heartbeat comes in this
     * test.
     */
    @Test
    void theRightPartOfAnIdleRangeIsServedSoonAfterASplit() throws Exception {
        RaftSettings rarelyTelling = new RaftSettings(60_000, 20_000, 64L << 20);
        try (KvCluster cluster = new KvCluster(directory).raft(rarelyTelling)) {
            cluster.startAll();
            cluster.replicate();
            append(cluster.client(1), "k", "a").get(30, TimeUnit.SECONDS);
            StoreOperations.RangeInfo whole = cluster.only(1);
            long begun = System.nanoTime();
            Split split = new Split(whole.id(), whole.epoch(), Optional.of(Key.of(new byte[] {'g'})), "test");
            assertThat(cluster.carryOut(1, split).isDone()).isTrue();
            append(cluster.client(1), "k", "b").get(30, TimeUnit.SECONDS);
            assertThat(TimeUnit.NANOSECONDS.toSeconds(System.nanoTime() - begun))
                    .isLessThan(8);
            assertThat(read(cluster.client(2), "k")).isEqualTo("ab");
        }
    }

    /**
     * A transfer is done when the new leader serves. The node that cut the range was the first leader of the right
     * part, and watches for some seconds that it has a leader: it must leave the leadership where it was told to.
     */
    @Test
    void aTransferRightAfterASplitIsDoneAndLasts() throws Exception {
        try (KvCluster cluster = new KvCluster(directory)) {
            cluster.startAll();
            cluster.replicate();
            append(cluster.client(1), "k", "a").get(30, TimeUnit.SECONDS);
            cluster.moveLeader(1, 1);
            StoreOperations.RangeInfo whole = cluster.only(1);
            Split split = new Split(whole.id(), whole.epoch(), Optional.of(Key.of(new byte[] {'g'})), "test");
            assertThat(cluster.carryOut(1, split).isDone()).isTrue();
            eventually(
                    "right part led by 1", () -> rightPart(cluster, 1).leader().equals(cluster.id(1)));

            StoreOperations.RangeInfo right = rightPart(cluster, 1);
            MoveLeader move = new MoveLeader(right.id(), right.epoch(), cluster.id(3), "test");
            // refused until the new group has stored its configuration
            eventually("transferred", () -> cluster.carryOut(1, move).isDone());
            assertThat(rightPart(cluster, 3).leader()).isEqualTo(cluster.id(3));
            KvCluster.holds(
                    "led by 3",
                    Duration.ofSeconds(3),
                    () -> rightPart(cluster, 3).leader().equals(cluster.id(3)));
            append(cluster.client(1), "k", "b").get(30, TimeUnit.SECONDS);
        }
    }

    private static StoreOperations.RangeInfo rightPart(KvCluster cluster, int seenBy) {
        List<StoreOperations.RangeInfo> ranges = cluster.operations(seenBy).ranges();
        assertThat(ranges).hasSize(2);
        return ranges.get(1);
    }

    private static long directoriesIn(Path path) {
        try (var files = Files.list(path)) {
            return files.count();
        } catch (java.io.IOException e) {
            return 0;
        }
    }

    /** The log is truncated at its beginning, so a new replica begins with a snapshot. */
    @Test
    void anEmptyReplicaTakesASnapshotAndTheEntriesAfterIt() throws Exception {
        try (KvCluster cluster = new KvCluster(directory).range(new RangeSettings(64L << 20, 200_000, 5_000))) {
            cluster.startAll();
            RangeClient client = cluster.client(2);
            String large = "x".repeat(1_000);
            List<CompletableFuture<byte[]>> answers = new ArrayList<>();
            for (int i = 0; i < 2_000; i++) {
                answers.add(append(client, "k" + i, large));
                if (i % 100 == 0) {
                    answers.get(i).get(30, TimeUnit.SECONDS);
                }
            }
            CompletableFuture.allOf(answers.toArray(CompletableFuture[]::new)).get(60, TimeUnit.SECONDS);
            cluster.replicate();
            cluster.moveLeader(1, 3);
            assertThat(read(cluster.client(2), "k1999")).isEqualTo(large);
            assertThat(read(cluster.client(3), "k0")).isEqualTo(large);
            cluster.stop(1);
            append(cluster.client(2), "k0", "y").get(30, TimeUnit.SECONDS);
            assertThat(read(cluster.client(3), "k0")).isEqualTo(large + "y");
        }
    }

    /** A mutation larger than a message would be sent to followers again and again, and block everything behind it. */
    @Test
    @Tag("full")
    void theLargestMutationReachesFollowersAndALargerOneStopsNothing() throws Exception {
        try (KvCluster cluster = new KvCluster(directory)) {
            cluster.startAll();
            cluster.replicate();
            RangeClient leader = cluster.client(1);
            List<CompletableFuture<byte[]>> answers = new ArrayList<>();
            for (int i = 0; i < 600; i++) { // Raft sends earlier entries with it
                answers.add(append(leader, "k" + i, "x".repeat(4_000)));
            }
            String largest = "y".repeat(RangeSettings.DEFAULT_MUTATION_BYTES - "large=".length());
            answers.add(append(leader, "large", largest));
            for (int number = 1; number <= 2; number++) {
                CompletableFuture<byte[]> larger = append(cluster.client(number), "larger", largest);
                CompletableFuture<byte[]> tooLarge = append(cluster.client(number), "k", largest + largest);
                assertThat(tooLarge)
                        .failsWithin(20, TimeUnit.SECONDS)
                        .withThrowableThat()
                        .withMessageContaining("TOO_LARGE");
                assertThat(larger)
                        .failsWithin(20, TimeUnit.SECONDS)
                        .withThrowableThat()
                        .withMessageContaining("TOO_LARGE");
            }
            answers.add(append(leader, "k0", "behind"));
            CompletableFuture.allOf(answers.toArray(CompletableFuture[]::new)).get(60, TimeUnit.SECONDS);
            cluster.moveLeader(1, 3);
            cluster.stop(1);
            assertThat(read(cluster.client(3), "large")).isEqualTo(largest);
            assertThat(read(cluster.client(2), "k0")).endsWith("behind");
        }
    }

    /** All nodes write to the same keys while the leader moves and the range is split. */
    @Test
    @Tag("full")
    void orderOfEachKeyIsKeptWhileLeadersMoveAndTheRangeIsCut() throws Exception {
        try (KvCluster cluster = new KvCluster(directory)) {
            cluster.startAll();
            cluster.replicate();
            List<List<CompletableFuture<byte[]>>> answers =
                    List.of(new ArrayList<>(), new ArrayList<>(), new ArrayList<>());
            int rounds = 60;
            for (int round = 0; round < rounds; round++) {
                for (int number = 1; number <= 3; number++) {
                    for (String key : List.of("a", "z")) {
                        answers.get(number - 1)
                                .add(append(cluster.client(number), key + number, (char) ('a' + round % 26) + ""));
                    }
                }
                if (round == 15) {
                    StoreOperations.RangeInfo info = cluster.only(1);
                    int to = info.leader().equals(cluster.id(2)) ? 3 : 2;
                    cluster.moveLeader(1, to);
                } else if (round == 30) {
                    StoreOperations.RangeInfo info = cluster.only(2);
                    assertThat(cluster.carryOut(
                                            3,
                                            new Split(
                                                    info.id(),
                                                    info.epoch(),
                                                    Optional.of(Key.of("m".getBytes(UTF_8))),
                                                    "test"))
                                    .outcome())
                            .isEqualTo(ActionOutcome.DONE);
                } else {
                    Pace.passMillis(5); // so that rounds come before and after the changes
                }
            }
            StringBuilder expected = new StringBuilder();
            for (int round = 0; round < rounds; round++) {
                expected.append((char) ('a' + round % 26));
            }
            for (List<CompletableFuture<byte[]>> own : answers) {
                for (CompletableFuture<byte[]> answer : own) {
                    answer.get(40, TimeUnit.SECONDS);
                }
            }
            for (int number = 1; number <= 3; number++) {
                assertThat(read(cluster.client(number), "a" + number)).isEqualTo(expected.toString());
                assertThat(read(cluster.client(number % 3 + 1), "z" + number)).isEqualTo(expected.toString());
            }
            assertThat(cluster.operations(2).ranges()).hasSize(2);
            assertThat(cluster.client(1).rangeKeys(new byte[0], null)).hasSize(2);
        }
    }

    /**
     * Raft and the membership detect nothing, because all other nodes reach both: only that node's clients would wait
     * for as long as the link is cut. Raft's own time-outs are too long to start an election in this test.
     */
    @Test
    @Tag("full")
    void aLeaderThatOneNodeDoesNotReachGivesWayToOneThatAllReach() throws Exception {
        RaftSettings patient = new RaftSettings(300_000, 1_000, 64L << 20);
        try (KvCluster cluster = new KvCluster(directory).raft(patient)) {
            cluster.startAll();
            cluster.replicate();
            append(cluster.client(1), "k", "a").get(30, TimeUnit.SECONDS);
            int leader = cluster.leader(1);
            int lonely = leader % 3 + 1;
            int third = 6 - leader - lonely;
            Cluster one = cluster.node(leader).links().cluster();
            Cluster other = cluster.node(lonely).links().cluster();
            RpcCut.cut(one, other);
            append(cluster.client(lonely), "k", "b").get(30, TimeUnit.SECONDS);
            eventually(
                    "the one that both reach leads",
                    () -> cluster.only(lonely).leader().equals(cluster.id(third))
                            && cluster.only(leader).leader().equals(cluster.id(third)));
            append(cluster.client(leader), "k", "c").get(30, TimeUnit.SECONDS);
            for (int number = 1; number <= 3; number++) {
                assertThat(read(cluster.client(number), "k")).isEqualTo("abc");
                assertThat(cluster.node(number).links().members().isAlive(cluster.id(leader)))
                        .isTrue();
            }

            RpcCut.heal(one, other);
            cluster.moveLeader(third, leader);
            append(cluster.client(lonely), "k", "d").get(30, TimeUnit.SECONDS);
            assertThat(read(cluster.client(lonely), "k")).isEqualTo("abcd");
        }
    }

    /** The node hears nothing from a leader that it does not reach, so only the followers can tell who leads. */
    @Test
    @Tag("full")
    void aNodeThatDoesNotReachALeaderHasItReplacedThoughItNeverHeardThatItLeads() throws Exception {
        RaftSettings patient = new RaftSettings(300_000, 1_000, 64L << 20);
        try (KvCluster cluster = new KvCluster(directory).raft(patient)) {
            cluster.startAll();
            cluster.replicate();
            append(cluster.client(1), "k", "a").get(30, TimeUnit.SECONDS);
            int third = cluster.leader(1);
            int lonely = third % 3 + 1;
            int later = 6 - third - lonely;
            RpcCut.cut(
                    cluster.node(later).links().cluster(),
                    cluster.node(lonely).links().cluster());
            cluster.moveLeader(third, later);
            append(cluster.client(lonely), "k", "b").get(30, TimeUnit.SECONDS);
            assertThat(read(cluster.client(later), "k")).isEqualTo("ab");
        }
    }

    /** The node's last report about the range is out of date from then on, and newer ones are behind the cut. */
    @Test
    @Tag("full")
    void aLeaderThatOneNodeDoesNotReachGivesWayThoughItHasCutTheRangeSince() throws Exception {
        RaftSettings patient = new RaftSettings(300_000, 1_000, 64L << 20);
        try (KvCluster cluster = new KvCluster(directory).raft(patient)) {
            cluster.startAll();
            cluster.replicate();
            append(cluster.client(1), "k", "a").get(30, TimeUnit.SECONDS);
            int leader = cluster.leader(1);
            int lonely = leader % 3 + 1;
            RpcCut.cut(
                    cluster.node(leader).links().cluster(),
                    cluster.node(lonely).links().cluster());
            StoreOperations.RangeInfo whole = cluster.only(leader);
            Split split = new Split(whole.id(), whole.epoch(), Optional.of(Key.of(new byte[] {'g'})), "test");
            assertThat(cluster.carryOut(leader, split).isDone()).isTrue();
            append(cluster.client(lonely), "b", "b").get(30, TimeUnit.SECONDS);
            append(cluster.client(lonely), "k", "b").get(30, TimeUnit.SECONDS);
            assertThat(read(cluster.client(leader), "b")).isEqualTo("b");
            assertThat(read(cluster.client(leader), "k")).isEqualTo("ab");
        }
    }

    /**
     * A leader may know members from the group that its range's state does not have yet: voters would lose their
     * replica.
     */
    @Test
    void aReplicaIsNotGivenUpOnTheWordOfALeaderThatIsChangingTheRange() throws Exception {
        try (KvCluster cluster = new KvCluster(directory)) {
            cluster.startAll();
            cluster.change(1, Step.ADD_LEARNER, cluster.id(2));
            await("there", () -> cluster.store(2).ranges().find(1) != null);
            Replicas replicas = cluster.node(2).links().replicas();
            for (String change : List.of("REPLICAS", "MERGE")) {
                replicas.told(reportWithout(cluster, change));
                assertThat(replicas.isAnyGoing()).isFalse(); // read first, because a finished removal cannot be seen
                assertThat(cluster.store(2).ranges().find(1)).isNotNull();
            }
            replicas.told(reportWithout(cluster, ""));
            await("given up", () -> cluster.store(2).ranges().find(1) == null);
        }
    }

    private static NodeReport reportWithout(KvCluster cluster, String change) {
        String leader = cluster.id(1);
        ReplicaReport replica = new ReplicaReport(
                1,
                cluster.only(1).epoch() + 5,
                new RangeBounds(new byte[0], null),
                List.of(leader),
                List.of(),
                leader,
                10,
                0,
                "",
                false,
                Optional.of(new ReplicaReport.Leading(1, 1, 0, RangeLoad.UNKNOWN, Optional.empty(), change, 1_000)));
        return new NodeReport(
                leader,
                1,
                Long.MAX_VALUE,
                new NodeReport.NodeStatus(false, 1, 0, 1, 1),
                Map.of(KvCluster.STORE, List.of(replica)));
    }

    /** A change that leaves voters of whom no majority lives and has the data would leave no leader for ever. */
    @Test
    void aVoterThatTheOthersNeedIsNotRemoved() throws Exception {
        try (KvCluster cluster = new KvCluster(directory)) {
            cluster.startAll();
            cluster.replicate();
            cluster.moveLeader(1, 1);
            append(cluster.client(1), "k", "a").get(30, TimeUnit.SECONDS);
            String second = cluster.id(2);
            String third = cluster.id(3);
            cluster.crash(3);
            await("missed", () -> !cluster.node(1).links().members().isAlive(third));
            StoreOperations.RangeInfo info = cluster.only(1);
            for (Step step : List.of(Step.REMOVE, Step.DEMOTE)) {
                ChangeReplica change = new ChangeReplica(info.id(), info.epoch(), step, second, "test");
                OperationResult refused = cluster.carryOut(1, change);
                assertThat(refused.outcome()).isEqualTo(ActionOutcome.REFUSED);
                assertThat(refused.detail()).contains("no majority", third);
            }
            cluster.change(1, Step.REMOVE, third);
            assertThat(cluster.only(1).voters()).containsExactlyInAnyOrder(cluster.id(1), second);
            cluster.change(1, Step.REMOVE, second);
            assertThat(cluster.only(1).voters()).containsExactly(cluster.id(1));
            assertThat(read(cluster.client(1), "k")).isEqualTo("a");
        }
    }

    @Test
    void actionsForAnotherEpochOrAnUnfitReplicaAreRefused() throws Exception {
        try (KvCluster cluster = new KvCluster(directory)) {
            cluster.startAll();
            StoreOperations.RangeInfo info = cluster.only(2);
            ChangeReplica stale =
                    new ChangeReplica(info.id(), info.epoch() + 1, Step.ADD_LEARNER, cluster.id(2), "test");
            assertThat(cluster.carryOut(2, stale).outcome()).isEqualTo(ActionOutcome.STALE);
            ChangeReplica none = new ChangeReplica(info.id(), info.epoch(), Step.PROMOTE, cluster.id(2), "test");
            assertThat(cluster.carryOut(2, none).outcome()).isEqualTo(ActionOutcome.REFUSED);
            ChangeReplica self = new ChangeReplica(info.id(), info.epoch(), Step.REMOVE, cluster.id(1), "test");
            assertThat(cluster.carryOut(3, self).outcome()).isEqualTo(ActionOutcome.REFUSED);
            ChangeReplica nobody = new ChangeReplica(info.id(), info.epoch(), Step.ADD_LEARNER, "nobody", "test");
            assertThat(cluster.carryOut(1, nobody).outcome()).isEqualTo(ActionOutcome.FAILED);
            assertThat(cluster.only(1).epoch()).isEqualTo(info.epoch());
        }
    }
}
