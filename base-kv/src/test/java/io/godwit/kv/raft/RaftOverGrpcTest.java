package io.godwit.kv.raft;

import static io.godwit.kv.raft.RaftNodes.append;
import static io.godwit.kv.raft.RaftNodes.appending;
import static io.godwit.kv.raft.RaftNodes.ask;
import static io.godwit.kv.raft.RaftNodes.assertOk;
import static io.godwit.kv.raft.RaftNodes.await;
import static org.assertj.core.api.Assertions.assertThat;

import com.alipay.sofa.jraft.Status;
import com.alipay.sofa.jraft.error.RaftError;
import io.godwit.kv.raft.RaftGroup.Membership;
import io.godwit.kv.raft.RaftNodes.Node;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** JRaft's groups over our log and our RPC, several nodes in this process. */
@Tag("full")
class RaftOverGrpcTest {
    @TempDir
    Path directory;

    /** Large and small ones, many at once; one of them above gRPC's own limit. */
    @Test
    void appendsOfAllSizesArriveInOrder() throws Exception {
        try (RaftNodes nodes = new RaftNodes(directory)) {
            nodes.startAll("a", "b", "c");
            Node leader = nodes.elect();
            List<String> expected = new ArrayList<>();
            CompletableFuture<Status> last = null;
            for (int i = 0; i < 150; i++) {
                int size = i == 40 ? 5 << 20 : i % 10 == 3 ? 300_000 : 10;
                String entry = i + ":" + "x".repeat(size);
                expected.add(entry);
                last = appending(leader, entry);
            }
            assertThat(last.get(60, TimeUnit.SECONDS).isOk()).isTrue();
            nodes.awaitEntries(expected.size(), "a", "b", "c");
            for (String id : List.of("a", "b", "c")) {
                assertThat(nodes.get(id).machine().entries()).isEqualTo(expected);
            }
        }
    }

    @Test
    void followerReadsByAskingTheLeader() throws Exception {
        try (RaftNodes nodes = new RaftNodes(directory)) {
            nodes.startAll("a", "b", "c");
            append(nodes.elect(), "one");
            Node follower = nodes.followers().get(0);
            CompletableFuture<Status> read = new CompletableFuture<>();
            follower.group().readIndex(read::complete);
            assertThat(read.get(30, TimeUnit.SECONDS).isOk()).isTrue();
            assertThat(follower.machine().entries()).containsExactly("one");
        }
    }

    @Test
    void readsOfAStoppedReplicaFail() throws Exception {
        try (RaftNodes nodes = new RaftNodes(directory)) {
            nodes.startAll("a");
            Node leader = nodes.elect();
            append(leader, "one");
            nodes.kill("a");
            CompletableFuture<Status> read = new CompletableFuture<>();
            leader.group().readIndex(read::complete);
            // JRaft's node returns the first, its read service, which ends a little earlier, the second
            assertThat(read.get(30, TimeUnit.SECONDS).getRaftError())
                    .isIn(RaftError.ENODESHUTDOWN, RaftError.EHOSTDOWN);
        }
    }

    /** Without it a follower applies an entry with the next heartbeat, which comes after the test's time limit. */
    @Test
    void followersApplyWhenTheCommitIsAnnounced() throws Exception {
        RaftSettings settings = new RaftSettings(RaftNodes.NEVER_MILLIS, RaftNodes.NEVER_MILLIS / 2, 1L << 30);
        try (RaftNodes nodes = new RaftNodes(directory).settings(settings)) {
            nodes.startAll("a", "b", "c");
            Node leader = nodes.elect();
            append(leader, "one");
            await(() -> {
                leader.group().announceCommit();
                return nodes.followers().stream()
                        .allMatch(node -> node.machine().count() == 1);
            });
        }
    }

    @Test
    void leadershipAndMembershipChangeOneAtATime() throws Exception {
        try (RaftNodes nodes = new RaftNodes(directory)) {
            Node a = nodes.start("a", List.of("a"));
            await(a::leads);
            append(a, "one");
            nodes.start("b", List.of());
            nodes.start("c", List.of());
            assertOk(ask(done -> a.group().addVoter("b", done)));
            assertOk(ask(done -> a.group().addLearner("c", done)));
            assertThat(a.group().membership()).isEqualTo(new Membership(List.of("a", "b"), List.of("c")));
            nodes.awaitEntries(1, "a", "b", "c");

            // the learner counts for no majority, and does not stand for election
            assertThat(ask(done -> a.group().addVoter("b", done)).isOk()).isFalse();
            assertOk(a.group().transferLeadershipTo("b"));
            await(() -> nodes.awaitLeader().id().equals("b"));
            Node b = nodes.get("b");
            append(b, "two");
            assertOk(ask(done -> b.group().removeVoter("a", done)));
            assertThat(b.group().membership()).isEqualTo(new Membership(List.of("b"), List.of("c")));
            append(b, "three");
            nodes.awaitEntries(3, "c");
            assertOk(ask(done -> b.group().addVoter("c", done)));
            assertThat(b.group().membership()).isEqualTo(new Membership(List.of("b", "c"), List.of()));
        }
    }

    /** It has all entries already, and no new one comes that it would answer. */
    @Test
    void learnerOfAnIdleGroupBecomesAVoterEveryTime() throws Exception {
        try (RaftNodes nodes = new RaftNodes(directory)) {
            Node a = nodes.start("a", List.of("a"));
            await(a::leads);
            nodes.start("b", List.of());
            for (int i = 0; i < 20; i++) {
                assertOk(ask(done -> a.group().addLearner("b", done)));
                assertOk(ask(done -> a.group().addVoter("b", done)));
                assertOk(ask(done -> a.group().removeVoter("b", done)));
            }
        }
    }
}
