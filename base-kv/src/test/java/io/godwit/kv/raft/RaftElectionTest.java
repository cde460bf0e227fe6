package io.godwit.kv.raft;

import static io.godwit.kv.raft.RaftNodes.append;
import static io.godwit.kv.raft.RaftNodes.appending;
import static io.godwit.kv.raft.RaftNodes.assertOk;
import static io.godwit.kv.raft.RaftNodes.await;
import static io.godwit.kv.raft.RaftNodes.holds;
import static org.assertj.core.api.Assertions.assertThat;

import com.alipay.sofa.jraft.Status;
import com.alipay.sofa.jraft.error.RaftError;
import io.godwit.kv.raft.RaftNodes.Node;
import io.godwit.kv.raft.wire.AloneTransport;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Who is elected when nodes die, lag, are cut off or are taken for dead; several nodes in this process. */
@Tag("full")
class RaftElectionTest {
    @TempDir
    Path directory;

    /** By their own time-outs, when nobody is told of a death. */
    @Test
    void votersElectALeaderByThemselves() throws Exception {
        try (RaftNodes nodes = new RaftNodes(directory).settings(new RaftSettings(500, 100, 1L << 30))) {
            nodes.startAll("a", "b", "c");
            Node first = nodes.awaitLeader();
            append(first, "one");
            nodes.kill(first.id());
            Node second = nodes.awaitLeader();
            append(second, "two");
            assertThat(second.machine().entries()).containsExactly("one", "two");
        }
    }

    /** Nothing is lost, applied twice or reordered, and the dead one catches up later. */
    @Test
    void leadersDeathIsFollowedByAnElectionAtOnceWhenItIsTold() throws Exception {
        try (RaftNodes nodes = new RaftNodes(directory)) {
            nodes.startAll("a", "b", "c");
            Node first = nodes.elect();
            List<String> expected = new ArrayList<>();
            for (int i = 0; i < 50; i++) {
                expected.add("entry " + i);
                append(first, "entry " + i);
            }
            nodes.kill(first.id());
            nodes.tellAllOfTheDeathOf(first.id());
            Node second = nodes.awaitLeader(); // a time-out is four times as long as the test waits
            append(second, "after");
            expected.add("after");
            assertThat(second.machine().entries()).isEqualTo(expected);

            nodes.start(first.id(), List.of());
            nodes.awaitEntries(expected.size(), "a", "b", "c");
            for (String id : List.of("a", "b", "c")) {
                assertThat(nodes.get(id).machine().entries()).isEqualTo(expected);
            }
        }
    }

    /** Without a majority nobody leads, however often the death is reported. */
    @Test
    void minorityElectsNobody() throws Exception {
        try (RaftNodes nodes = new RaftNodes(directory)) {
            nodes.startAll("a", "b", "c");
            Node leader = nodes.elect();
            append(leader, "one");
            List<Node> others = nodes.followers();
            nodes.kill(others.get(0).id());
            nodes.kill(leader.id());
            String left = others.get(1).id();
            long before = termOf(nodes.get(left));
            nodes.tellAllOfTheDeathOf(leader.id());
            holds(Duration.ofSeconds(1), () -> termOf(nodes.get(left)) == before); // it does not even stand
            nodes.start(leader.id(), List.of());
            nodes.tellAllOfTheDeathOf("nobody");
            append(nodes.awaitLeader(), "two");
        }
    }

    /**
     * Two of five may be dead. With a third dead, nothing is acknowledged; once one is back everything goes on, and
     * nothing acknowledged is missing.
     */
    @Test
    void fiveVotersGoOnWithoutTwoAndStandStillWithoutThree() throws Exception {
        try (RaftNodes nodes = new RaftNodes(directory)) {
            nodes.startAll("a", "b", "c", "d", "e");
            List<String> acknowledged = new ArrayList<>();
            Node first = nodes.elect();
            appendSome(first, 20, acknowledged);
            String idle = nodes.followers().get(0).id();
            nodes.kill(idle);
            nodes.kill(first.id());
            nodes.tellAllOfTheDeathOf(first.id());
            Node second = nodes.awaitLeader();
            appendSome(second, 20, acknowledged);
            assertThat(second.machine().entries()).isEqualTo(acknowledged);

            String third = nodes.followers().get(0).id();
            nodes.kill(third);
            CompletableFuture<Status> waiting = appending(second, "while three are dead");
            holds(Duration.ofSeconds(2), () -> !waiting.isDone()); // a hundred times as long as an append takes
            assertThat(second.machine().entries()).isEqualTo(acknowledged);
            nodes.start(idle, List.of());
            assertOk(waiting.get(30, TimeUnit.SECONDS));
            acknowledged.add("while three are dead");
            appendSome(second, 5, acknowledged);

            // this time the leader dies, and the two that are left elect nobody
            nodes.kill(second.id());
            nodes.tellAllOfTheDeathOf(second.id());
            Node left = nodes.get(idle);
            holds(Duration.ofSeconds(1), () -> nodes.followers().size() == 2);
            assertThat(appending(left, "never").get(30, TimeUnit.SECONDS).isOk())
                    .isFalse();
            nodes.start(third, List.of());
            Node last = nodes.elect();
            appendSome(last, 5, acknowledged);

            nodes.start(first.id(), List.of());
            nodes.start(second.id(), List.of());
            for (String id : List.of("a", "b", "c", "d", "e")) {
                nodes.awaitEntries(acknowledged.size(), id);
                assertThat(nodes.get(id).machine().entries()).isEqualTo(acknowledged);
            }
        }
    }

    private static void appendSome(Node leader, int count, List<String> acknowledged) throws Exception {
        for (int i = 0; i < count; i++) {
            String entry = "entry " + acknowledged.size();
            append(leader, entry);
            acknowledged.add(entry);
        }
    }

    /** The voter that stands first lacks an entry that was acknowledged. */
    @Test
    void voterThatLagsIsNotElected() throws Exception {
        String group = groupWhoseFirstCandidateIs("c", "a");
        try (RaftNodes nodes = new RaftNodes(directory).group(group)) {
            nodes.startAll("a", "b", "c");
            nodes.elect();
            lead(nodes, "a");
            nodes.mesh().cut("a", "c");
            append(nodes.get("a"), "without c");
            nodes.kill("a");
            nodes.tellAllOfTheDeathOf("a");
            Node second = nodes.awaitLeader();
            assertThat(second.id()).isEqualTo("b");
            append(second, "after");
            nodes.awaitEntries(2, "c");
            assertThat(nodes.get("c").machine().entries()).containsExactly("without c", "after");
        }
    }

    /**
     * A voter that lacks an entry stands just after another one was elected, which gives up its term for nothing. The
     * standing one may get the entry first and be elected; such an attempt shows nothing, and another one follows.
     */
    @Test
    void leaderThatIsVotedOutForNothingLeadsAgain() throws Exception {
        int attempts = 0;
        while (!leadsAgain(directory.resolve("attempt-" + ++attempts))) {
            assertThat(attempts).as("attempts in which the entry arrived first").isLessThan(10);
        }
    }

    /** Returns whether the one that was voted out leads again; false if the other one got the entry and leads. */
    private static boolean leadsAgain(Path files) throws Exception {
        try (RaftNodes nodes = new RaftNodes(files).group(groupWhoseFirstCandidateIs("b", "a"))) {
            nodes.startAll("a", "b", "c");
            nodes.elect();
            lead(nodes, "a");
            nodes.mesh().cut("a", "c");
            append(nodes.get("a"), "without c");
            nodes.kill("a");
            Node b = nodes.get("b");
            nodes.tellAllOfTheDeathOf("a");
            await(b::leads);
            Node c = nodes.get("c");
            long before = termOf(b);
            try (EarlyElection late = new EarlyElection("c", List::of, alone("c"))) {
                late.elect(c.group(), late.termOf(c.group()));
            }
            await(() -> termOf(b) > before
                    && (b.leads() && b.group().isLeading() || c.group().isLeading()));
            Node leader = nodes.awaitLeader();
            append(leader, "after");
            assertThat(leader.machine().entries()).containsExactly("without c", "after");
            return leader.id().equals("b");
        }
    }

    /**
     * Like after a restart, when the node looks for groups without a leader and is told of a death at the same time.
     */
    @Test
    void voterStandsOnceHoweverOftenItIsTold() throws Exception {
        String group = groupWhoseFirstCandidateIs("c", "a");
        try (RaftNodes nodes = new RaftNodes(directory).group(group)) {
            nodes.startAll("a", "b", "c");
            nodes.elect();
            lead(nodes, "a");
            await(() -> nodes.get("c").group().leader().equals("a"));
            nodes.kill("a");
            Node c = nodes.get("c");
            long before = termOf(c);
            for (int i = 0; i < 8; i++) {
                c.host().onMemberCrashed("a");
            }
            nodes.get("b").host().onMemberCrashed("a");
            await(() -> termOf(c) > before);
            // less than a step, in which others may be elected
            holds(Duration.ofMillis(300), () -> termOf(c) == before + 1);
        }
    }

    /**
     * It takes the others for dead, and they take it for dead. When the link heals, their leader goes on in its term.
     */
    @Test
    void voterThatIsCutOffFromAllRaisesNoTerm() throws Exception {
        String group = groupWhoseFirstCandidateIs("c", "a");
        try (RaftNodes nodes = new RaftNodes(directory).group(group)) {
            nodes.startAll("a", "b", "c");
            nodes.elect();
            lead(nodes, "a");
            Node a = nodes.get("a");
            Node c = nodes.get("c");
            await(() -> c.group().leader().equals("a"));
            long before = termOf(a);
            nodes.mesh().cut("a", "c");
            nodes.mesh().cut("b", "c");
            c.host().onMemberCrashed("a");
            c.host().onMemberCrashed("b");
            append(a, "without c");
            holds(Duration.ofSeconds(3), () -> termOf(c) == before);

            nodes.mesh().heal("a", "c");
            nodes.mesh().heal("b", "c");
            nodes.awaitEntries(1, "c");
            append(a, "after");
            assertThat(termOf(a)).isEqualTo(before);
        }
    }

    /** Only one voter takes the leader for dead: the others hear the leader, and do not help to depose it. */
    @Test
    void leaderThatTheOthersHearIsNotDeposed() throws Exception {
        String group = groupWhoseFirstCandidateIs("c", "a");
        try (RaftNodes nodes = new RaftNodes(directory).group(group)) {
            nodes.startAll("a", "b", "c");
            nodes.elect();
            lead(nodes, "a");
            Node a = nodes.get("a");
            Node c = nodes.get("c");
            await(() -> c.group().leader().equals("a")
                    && nodes.get("b").group().leader().equals("a"));
            long before = termOf(a);
            c.host().onMemberCrashed("a");
            holds(Duration.ofSeconds(3), () -> termOf(c) == before && a.leads());
        }
    }

    private static Canvass alone(String id) {
        return new Canvass(id, new AloneTransport());
    }

    private static long termOf(Node node) {
        try (EarlyElection asking = new EarlyElection(node.id(), List::of, alone(node.id()))) {
            return asking.termOf(node.group());
        }
    }

    private static String groupWhoseFirstCandidateIs(String candidate, String dead) {
        for (int i = 1; ; i++) {
            if (EarlyElection.candidates("test-" + i, List.of("a", "b", "c"), dead)
                    .get(0)
                    .equals(candidate)) {
                return "test-" + i;
            }
        }
    }

    private static void lead(RaftNodes nodes, String id) {
        await(() -> {
            Node leader = nodes.awaitLeader();
            if (!leader.id().equals(id)) { // again if it refuses: it has not committed its configuration yet
                leader.group().transferLeadershipTo(id);
            }
            return nodes.get(id).leads();
        });
        await(() -> nodes.awaitLeader().id().equals(id));
    }

    /**
     * One voter has died for good. Of the two that are left, one lacks an entry and takes the other for dead, which has
     * come back meanwhile and was told nothing.
     */
    @Test
    void whoLacksEntriesLeavesTheElectionToWhoHasThem() throws Exception {
        try (RaftNodes nodes = new RaftNodes(directory)) {
            nodes.startAll("a", "b", "c");
            Node old = nodes.elect();
            append(old, "before");
            Node behind = nodes.followers().get(0);
            Node dead = nodes.followers().get(1);
            nodes.awaitEntries(1, behind.id(), dead.id());
            nodes.mesh().cut(old.id(), behind.id());
            append(old, "only here and at the one that dies");
            nodes.kill(dead.id());
            nodes.kill(old.id());
            long termBefore = termOf(behind);

            Node back = nodes.start(old.id(), List.of("a", "b", "c"));
            nodes.mesh().heal(back.id(), behind.id());
            behind.host().onMemberCrashed(old.id());

            assertThat(nodes.awaitLeader().id()).isEqualTo(back.id());
            assertThat(termOf(back)).isLessThanOrEqualTo(termBefore + 2);
            nodes.awaitEntries(2, back.id(), behind.id());
        }
    }

    /**
     * A suspended leader steps down, because it has not heard the others for an election time-out. They still follow
     * it, because its last messages renewed their time-outs.
     */
    @Test
    void leaderThatSteppedDownUnheardStandsAgain() throws Exception {
        try (RaftNodes nodes = new RaftNodes(directory)) {
            nodes.settings(new RaftSettings(1_000, 100, 1L << 30));
            Node old = nodes.start("a", List.of("a", "b", "c"));
            nodes.settings(new RaftSettings(RaftNodes.NEVER_MILLIS, 100, 1L << 30));
            List<Node> others =
                    List.of(nodes.start("b", List.of("a", "b", "c")), nodes.start("c", List.of("a", "b", "c")));
            Node first = others.get(0);
            first.host().stand(first.group()); // an elected voter keeps checking for a while, which is not tested here
            append(nodes.awaitLeader(), "before");
            lead(nodes, old.id());
            nodes.awaitEntries(1, "a", "c");
            CompletableFuture<RaftError> stopped = new CompletableFuture<>();
            old.machine().leaderStop = status -> { // an earlier term may have ended meanwhile
                stopped.complete(status.getRaftError());
                old.host().standAgain(old.group());
            };

            others.forEach(other -> nodes.mesh().cut(old.id(), other.id()));
            assertThat(stopped.get(30, TimeUnit.SECONDS)).isEqualTo(RaftError.ERAFTTIMEDOUT);
            assertThat(others).allMatch(other -> other.group().leader().equals(old.id()));
            others.forEach(other -> nodes.mesh().heal(old.id(), other.id()));

            append(nodes.awaitLeader(), "after");
            nodes.awaitEntries(2, "a", "b", "c");
        }
    }

    /**
     * A leader that was elected a moment ago keeps checking whether there is a leader. There is none while the voter
     * that it has handed over to stores its own vote, here on a slow disk.
     */
    @Test
    void leaderThatHandsOverDoesNotTakeTheLeadershipBack() throws Exception {
        try (RaftNodes nodes = new RaftNodes(directory)) {
            nodes.startAll("a", "b", "c");
            Node a = nodes.get("a");
            Node b = nodes.get("b");
            a.host().onMemberCrashed("nobody"); // the others are not told, so that they never stand
            append(nodes.awaitLeader(), "before");
            nodes.awaitEntries(1, "b");
            CompletableFuture<Void> disk = new CompletableFuture<>();
            nodes.beforeVotes("b", disk::join);
            long before = termOf(a);
            await(() -> a.group().transferLeadershipTo("b").isOk());
            await(() -> termOf(a) > before);
            try {
                // it first checks three steps after it stood, of 400 ms, gives way once, and stands half a step later
                holds(
                        Duration.ofSeconds(3),
                        () -> termOf(a) == before + 1 && a.group().leader().isEmpty());
            } finally {
                disk.complete(null);
            }
            assertThat(nodes.awaitLeader().id()).isEqualTo("b");
            append(b, "after");
            assertThat(termOf(b)).isEqualTo(before + 1);
        }
    }

    /** The old leader still believes that it leads but commits nothing, and gives way when it can be reached again. */
    @Test
    void leaderThatIsCutOffCommitsNothing() throws Exception {
        try (RaftNodes nodes = new RaftNodes(directory)) {
            nodes.startAll("a", "b", "c");
            Node old = nodes.elect();
            append(old, "before");
            List<Node> others = nodes.followers();
            others.forEach(other -> nodes.mesh().cut(old.id(), other.id()));
            CompletableFuture<Status> lost = appending(old, "never");
            others.forEach(other -> other.host().onMemberCrashed(old.id()));
            await(() -> others.stream().anyMatch(Node::leads));
            Node fresh = others.stream().filter(Node::leads).findFirst().orElseThrow();
            append(fresh, "after");
            assertThat(lost).isNotDone();
            assertThat(old.machine().entries()).containsExactly("before");

            others.forEach(other -> nodes.mesh().heal(old.id(), other.id()));
            assertThat(lost.get(60, TimeUnit.SECONDS).isOk()).isFalse();
            nodes.awaitEntries(2, "a", "b", "c");
            assertThat(old.machine().entries()).containsExactly("before", "after");
        }
    }
}
