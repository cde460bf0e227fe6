package io.godwit.kv.raft;

import static io.godwit.kv.raft.RaftNodes.append;
import static io.godwit.kv.raft.RaftNodes.appending;
import static io.godwit.kv.raft.RaftNodes.ask;
import static io.godwit.kv.raft.RaftNodes.await;
import static io.godwit.kv.raft.RaftNodes.holds;
import static org.assertj.core.api.Assertions.assertThat;

import com.alipay.sofa.jraft.Status;
import com.alipay.sofa.jraft.error.RaftError;
import io.godwit.kv.raft.RaftNodes.Node;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A follower loads the snapshot of one leader while another leader begins to send to it (ADR 102). */
@Tag("full")
class SnapshotWhileLeaderChangesTest {
    @TempDir
    Path directory;

    /**
     * The new leader has an older snapshot, and the first entries of the group are not in its log. Asked for the end of
     * its log during the load, the learner would name the end before the snapshot.
     */
    @Test
    void learnerIsBroughtUpToDateByALeaderWithAnOlderSnapshot() throws Exception {
        try (RaftNodes nodes = new RaftNodes(directory)) {
            Node a = startLeader(nodes);
            Node b = addVoter(nodes, a, "b");
            cutLog(a, b);
            cutLog(a, a);
            append(a, "behind the snapshots");

            Node c = nodes.start("c", List.of());
            try (HeldLoad load = new HeldLoad()) {
                c.machine().beforeLoad = load;
                assertOk(ask(done -> a.group().addLearner("c", done)));
                await(load::hasBegun);
                assertOk(a.group().transferLeadershipTo("b"));
                await(() -> b.group().isLeading() && c.group().leader().equals("b"));
                append(b, "of the new leader");
                // several heartbeats, so that the new leader has tried what it can
                holds(Duration.ofMillis(500), () -> c.machine().count() == 0);
            }
            nodes.awaitEntries(b.machine().count(), "c");
            assertThat(c.machine().entries()).isEqualTo(b.machine().entries());
        }
    }

    /** The leader needs the voter for its majority, so it would give up if the voter did not answer. */
    @Test
    void voterConfirmsItsLeaderWhileItLoads() throws Exception {
        RaftSettings settings = new RaftSettings(2_000, 100, 1L << 30);
        try (RaftNodes nodes = new RaftNodes(directory).settings(settings)) {
            Node a = startLeader(nodes);
            Node b = addVoter(nodes, a, "b");
            addVoter(nodes, a, "c");
            nodes.kill("c");
            cutLog(a, b);
            cutLog(a, a);

            CompletableFuture<Status> waiting;
            try (HeldLoad load = new HeldLoad()) {
                nodes.start("c", List.of(), machine -> machine.beforeLoad = load);
                await(load::hasBegun);
                assertOk(a.group().transferLeadershipTo("b"));
                await(() ->
                        b.group().isLeading() && nodes.get("c").group().leader().equals("b"));
                append(b, "of the new leader");
                nodes.kill("a");
                waiting = appending(b, "with c alone");
                CompletableFuture<Status> status = waiting;
                // twice as long as a leader waits for its majority
                holds(Duration.ofSeconds(4), () -> b.group().isLeading() && !status.isDone());
            }
            assertOk(waiting.get(30, TimeUnit.SECONDS));
            nodes.awaitEntries(b.machine().count(), "c");
            assertThat(nodes.get("c").machine().entries()).isEqualTo(b.machine().entries());
        }
    }

    /** Without an election among several voters, after which some of them stand again. */
    private static Node startLeader(RaftNodes nodes) throws Exception {
        Node a = nodes.start("a", List.of("a"));
        await(a.group()::isLeading);
        append(a, "first");
        return a;
    }

    private static Node addVoter(RaftNodes nodes, Node leader, String id) throws Exception {
        Node added = nodes.start(id, List.of());
        Status status = ask(done -> leader.group().addVoter(id, done));
        while (status.getRaftError() == RaftError.ECATCHUP) { // not within an election timeout, on a busy machine
            status = ask(done -> leader.group().addVoter(id, done));
        }
        assertOk(status);
        return added;
    }

    /** Takes two snapshots at the node: JRaft keeps the entries since the snapshot before the last. */
    private static void cutLog(Node leader, Node node) throws Exception {
        for (int i = 0; i < 2; i++) {
            append(leader, "one");
            append(leader, "two");
            long last = leader.group().lastLogIndex();
            await(() -> node.group().node().getLastAppliedLogIndex() >= last);
            assertOk(ask(done -> node.group().snapshot(done)));
        }
        await(() -> node.log().firstIndex(node.group().groupId()) > 2);
    }

    /** Makes a load last until this is closed. */
    private static final class HeldLoad implements Runnable, AutoCloseable {
        private final CountDownLatch begun = new CountDownLatch(1);
        private final CountDownLatch closed = new CountDownLatch(1);

        @Override
        public void run() {
            begun.countDown();
            try {
                closed.await();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }

        boolean hasBegun() {
            return begun.getCount() == 0;
        }

        @Override
        public void close() {
            closed.countDown();
        }
    }

    private static void assertOk(Status status) {
        assertThat(status.isOk()).as(status::toString).isTrue();
    }
}
