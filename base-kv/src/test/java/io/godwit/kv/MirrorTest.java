package io.godwit.kv;

import static io.godwit.kv.KvCluster.append;
import static io.godwit.kv.KvCluster.await;
import static io.godwit.kv.KvCluster.eventually;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.cluster.RpcCut;
import io.godwit.kv.client.Deadline;
import io.godwit.kv.client.RangeException;
import io.godwit.kv.coprocessor.RangeBounds;
import io.godwit.kv.coprocessor.RangeCursor;
import io.godwit.kv.coprocessor.RangeReader;
import io.godwit.kv.coprocessor.RangeWrites;
import io.godwit.kv.operate.StoreOperations;
import io.godwit.kv.raft.RaftSettings;
import io.godwit.kv.store.StoreBalance;
import io.godwit.kv.store.StoreSpec;
import io.godwit.kv.testing.AppendCoprocessor;
import io.godwit.plugin.balance.BalanceAction.ChangeReplica.Step;
import io.godwit.plugin.balance.BalanceAction.Split;
import io.godwit.plugin.balance.Key;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** What a node's replicas have after a catch-up; {@code RangesUnderFaultsTest} has more. */
@Tag("slow")
@Timeout(180)
class MirrorTest {
    /** Within a test, no follower hears of a commit by a heartbeat, and no voter stands for election. */
    private static final RaftSettings RARELY_TELLING = new RaftSettings(300_000, 60_000, 64L << 20);

    private static final RaftSettings OFTEN_TELLING = new RaftSettings(300_000, 1_000, 64L << 20);

    @TempDir
    Path directory;

    /** For each node: what its coprocessors were told, by key. */
    private final Map<Integer, Map<String, String>> told = new ConcurrentHashMap<>();

    private static final class Telling extends AppendCoprocessor {
        private final Map<String, String> known;

        Telling(Map<String, String> known) {
            this.known = known;
        }

        @Override
        public void open(RangeBounds bounds, RangeReader reader) {
            try (RangeCursor cursor = reader.cursor(bounds.start(), bounds.end())) {
                for (cursor.seekToFirst(); cursor.isValid(); cursor.next()) {
                    known.put(new String(cursor.key(), UTF_8), new String(cursor.value(), UTF_8));
                }
            }
        }

        @Override
        public List<byte[]> apply(RangeWrites writes, List<byte[]> mutations, Consumer<Runnable> afterCommit) {
            List<byte[]> replies = super.apply(writes, mutations, afterCommit);
            for (int i = 0; i < replies.size(); i++) {
                String key = new String(mutations.get(i), UTF_8).replaceFirst("=.*", "");
                String value = new String(replies.get(i), UTF_8);
                afterCommit.accept(() -> known.put(key, value));
            }
            return replies;
        }
    }

    private KvCluster cluster() {
        return cluster(RARELY_TELLING);
    }

    private KvCluster cluster(RaftSettings settings) {
        return new KvCluster(directory) {
            @Override
            StoreSpec spec(int number) {
                Map<String, String> known = told.computeIfAbsent(number, each -> new ConcurrentHashMap<>());
                return new StoreSpec(STORE, () -> new Telling(known), List.of()).balancedBy(StoreBalance.NONE);
            }
        }.raft(settings);
    }

    private static CompletableFuture<Void> catchUp(KvCluster cluster, int number, long millis) {
        return cluster.store(number).mirror().catchUp(Deadline.afterMillis(millis));
    }

    @Test
    void votersThatFollowKnowWhatWasCommittedBefore() throws Exception {
        try (KvCluster cluster = cluster()) {
            cluster.startAll();
            cluster.replicate();
            StringBuilder written = new StringBuilder();
            for (char next : "abcdefgh".toCharArray()) {
                append(cluster.client(1), "k", "" + next).get(30, TimeUnit.SECONDS);
                written.append(next);
                for (int number = 1; number <= 3; number++) {
                    catchUp(cluster, number, 10_000).get(20, TimeUnit.SECONDS);
                    assertThat(told.get(number)).as("node %d", number).containsEntry("k", written.toString());
                }
            }
        }
    }

    /** The leader may tell a follower of a commit before it has the entry, and then not for a long time. */
    @Test
    void followersThatHeardOfACommitTooEarlyAskSoon() throws Exception {
        try (KvCluster cluster = cluster()) {
            cluster.startAll();
            cluster.replicate();
            List<Long> millis = new ArrayList<>();
            for (int i = 0; i < 200; i++) {
                append(cluster.client(1), "k" + i, "v").get(30, TimeUnit.SECONDS);
                long begin = System.nanoTime();
                CompletableFuture.allOf(catchUp(cluster, 2, 10_000), catchUp(cluster, 3, 10_000))
                        .get(20, TimeUnit.SECONDS);
                millis.add(TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - begin));
            }
            millis.sort(null);
            assertThat(millis.get(190)).as("95th percentile of %s ms", millis).isLessThan(100);
        }
    }

    @Test
    void learnersKnowWhatWasCommittedBefore() throws Exception {
        try (KvCluster cluster = cluster()) {
            cluster.startAll();
            cluster.change(1, Step.ADD_LEARNER, cluster.id(2));
            for (String next : List.of("a", "b", "c")) {
                append(cluster.client(1), "k", next).get(30, TimeUnit.SECONDS);
                catchUp(cluster, 2, 10_000).get(20, TimeUnit.SECONDS);
                assertThat(told.get(2).get("k")).endsWith(next);
            }
        }
    }

    @Test
    void aLearnerThatBecomesAVoterMeanwhileMissesNothing() throws Exception {
        try (KvCluster cluster = cluster()) {
            cluster.startAll();
            cluster.change(1, Step.ADD_LEARNER, cluster.id(2));
            CompletableFuture<Void> promoted =
                    CompletableFuture.runAsync(() -> cluster.change(1, Step.PROMOTE, cluster.id(2)));
            StringBuilder written = new StringBuilder();
            for (int behind = 0; behind < 5; behind += promoted.isDone() ? 1 : 0) {
                append(cluster.client(1), "k", "x").get(30, TimeUnit.SECONDS);
                written.append('x');
                catchUp(cluster, 2, 10_000).get(20, TimeUnit.SECONDS);
                assertThat(told.get(2)).containsEntry("k", written.toString());
            }
            promoted.join();
            assertThat(cluster.only(1).voters()).contains(cluster.id(2));
        }
    }

    @Test
    void aNodeWithoutAReplicaHasNothingToShow() throws Exception {
        try (KvCluster cluster = cluster()) {
            cluster.startAll();
            assertFails(catchUp(cluster, 3, 300), "no replica here of the keys from ");
        }
    }

    @Test
    void aLeaderThatIsOutOfReachConfirmsNothing() throws Exception {
        try (KvCluster cluster = cluster()) {
            cluster.startAll();
            cluster.change(1, Step.ADD_LEARNER, cluster.id(2));
            catchUp(cluster, 2, 10_000).get(20, TimeUnit.SECONDS);
            RpcCut.cut(
                    cluster.node(1).links().cluster(), cluster.node(2).links().cluster());
            assertFails(catchUp(cluster, 2, 300), "no leader confirms [test-1]");
            RpcCut.heal(
                    cluster.node(1).links().cluster(), cluster.node(2).links().cluster());
            eventually(
                    "caught up",
                    () -> !catchUp(cluster, 2, 1_000)
                            .thenApply(done -> false)
                            .exceptionally(failure -> true)
                            .get(20, TimeUnit.SECONDS));
        }
    }

    /** A leader that has lost its majority still believes that it leads. */
    @Test
    void aLeaderWithoutItsMajorityConfirmsNothing() throws Exception {
        try (KvCluster cluster = cluster()) {
            cluster.startAll();
            cluster.replicate();
            cluster.moveLeader(1, 1);
            for (int other : List.of(2, 3)) {
                RpcCut.cut(
                        cluster.node(1).links().cluster(),
                        cluster.node(other).links().cluster());
            }
            assertFails(catchUp(cluster, 1, 300), "no leader confirms [test-1]");
        }
    }

    @Test
    void whatASplitCutsOffIsWaitedFor() throws Exception {
        // a new leader does not contact a node without a replica for some time, so the node learns nothing meanwhile
        try (KvCluster cluster = cluster(OFTEN_TELLING)) {
            cluster.startAll();
            cluster.replicate();
            StoreOperations.RangeInfo whole = cluster.only(1);
            Split split = new Split(whole.id(), whole.epoch(), Optional.of(Key.of(new byte[] {'g'})), "test");
            CompletableFuture<Void> during = catchUp(cluster, 2, 20_000);
            assertThat(cluster.carryOut(1, split).isDone()).isTrue();
            append(cluster.client(1), "b", "x").get(30, TimeUnit.SECONDS);
            append(cluster.client(1), "k", "y").get(30, TimeUnit.SECONDS);
            catchUp(cluster, 2, 20_000).get(30, TimeUnit.SECONDS);
            assertThat(told.get(2)).containsEntry("b", "x").containsEntry("k", "y");
            assertThat(during).succeedsWithin(20, TimeUnit.SECONDS);
        }
    }

    @Test
    void callsThatComeMeanwhileShareTheNextRoundAndEndWithTheStore() throws Exception {
        try (KvCluster cluster = cluster()) {
            cluster.startAll();
            List<CompletableFuture<Void>> calls = java.util.stream.IntStream.range(0, 1_000)
                    .mapToObj(i -> catchUp(cluster, 1, 20_000))
                    .toList();
            await("all are done", () -> calls.stream().allMatch(CompletableFuture::isDone));
            assertThat(calls).noneMatch(CompletableFuture::isCompletedExceptionally);
            CompletableFuture<Void> never = catchUp(cluster, 3, 60_000); // it has no replica
            cluster.stop(3);
            assertFails(never, "store is closing");
        }
    }

    private static void assertFails(CompletableFuture<Void> call, String why) {
        assertThat(call)
                .failsWithin(20, TimeUnit.SECONDS)
                .withThrowableThat()
                .withCauseInstanceOf(RangeException.class)
                .withMessageContaining(why);
    }
}
