package io.godwit.kv.raft;

import static io.godwit.kv.raft.RaftNodes.append;
import static io.godwit.kv.raft.RaftNodes.appending;
import static io.godwit.kv.raft.RaftNodes.ask;
import static io.godwit.kv.raft.RaftNodes.await;
import static io.godwit.kv.raft.RaftNodes.holds;
import static io.godwit.kv.raft.RaftNodes.told;
import static org.assertj.core.api.Assertions.assertThat;

import com.alipay.sofa.jraft.Status;
import com.alipay.sofa.jraft.error.RaftError;
import io.godwit.kv.raft.RaftGroup.Membership;
import io.godwit.kv.raft.RaftNodes.Node;
import io.godwit.kv.raft.snapshot.SnapshotMessages;
import io.godwit.kv.raft.snapshot.SnapshotTransfer;
import io.godwit.kv.raft.wire.AloneTransport;
import io.grpc.ForwardingServerCall;
import io.grpc.Metadata;
import io.grpc.ServerCall;
import io.grpc.ServerCallHandler;
import io.grpc.ServerInterceptor;
import io.grpc.ServerInterceptors;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.IntPredicate;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** JRaft's groups over our log and our RPC, several nodes in this process. */
@Tag("full")
class RaftOverGrpcTest {
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
            Node first = nodes.electFirst();
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
            Node leader = nodes.electFirst();
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
            Node first = nodes.electFirst();
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
            nodes.tellAllOfTheDeathOf("nobody");
            Node last = nodes.awaitLeader();
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
            nodes.electFirst();
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
            nodes.electFirst();
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
            nodes.electFirst();
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
            nodes.electFirst();
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
            nodes.electFirst();
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
            Node old = nodes.electFirst();
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

    /** The old leader still believes that it leads but commits nothing, and gives way when it can be reached again. */
    @Test
    void leaderThatIsCutOffCommitsNothing() throws Exception {
        try (RaftNodes nodes = new RaftNodes(directory)) {
            nodes.startAll("a", "b", "c");
            Node old = nodes.electFirst();
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

    /** Large and small ones, many at once; one of them above gRPC's own limit. */
    @Test
    void appendsOfAllSizesArriveInOrder() throws Exception {
        try (RaftNodes nodes = new RaftNodes(directory)) {
            nodes.startAll("a", "b", "c");
            Node leader = nodes.electFirst();
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
            append(nodes.electFirst(), "one");
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
            Node leader = nodes.electFirst();
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
            Node leader = nodes.electFirst();
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

    private static void assertOk(Status status) {
        assertThat(status.isOk()).as(status::toString).isTrue();
    }

    /**
     * The entries before the snapshot are in no log any more. The files have several parts, one part, or no content.
     */
    @Test
    void newVoterTakesInASnapshotAndTheEntriesBehindIt() throws Exception {
        int ballast = 1_500_000;
        try (RaftNodes nodes = new RaftNodes(directory).ballastBytes(ballast)) {
            nodes.startAll("a", "b");
            Node leader = nodes.electFirst();
            cutLog(leader);
            append(leader, "behind");

            Node c = nodes.start("c", List.of());
            assertOk(ask(done -> leader.group().addVoter("c", done)));
            nodes.awaitEntries(5, "c");
            assertThat(c.machine().entries()).isEqualTo(leader.machine().entries());
            assertThat(c.host().snapshotBytesReceived()).isGreaterThan(3L * ballast);

            // its snapshot is like one of its own: sealed, and enough to start from
            nodes.kill("c");
            Node again = nodes.start("c", List.of());
            assertThat(again.machine().count()).isGreaterThanOrEqualTo(4);
            append(leader, "later");
            nodes.awaitEntries(6, "c");
        }
    }

    /** JRaft keeps the entries since the snapshot before the last. */
    private static void cutLog(Node leader) throws Exception {
        append(leader, "one");
        append(leader, "two");
        assertOk(ask(done -> leader.group().snapshot(done)));
        append(leader, "three");
        append(leader, "four");
        assertOk(ask(done -> leader.group().snapshot(done)));
        await(() -> leader.log().firstIndex(leader.group().groupId()) > 2);
    }

    /** Like on a full disk: neither its directory nor its metadata can be written. JRaft would stop the group. */
    @Test
    void snapshotThatCannotBeWrittenIsTriedAgainLaterAndStopsNothing() throws Exception {
        try (RaftNodes nodes = new RaftNodes(directory)) {
            Node a = nodes.start("a", List.of("a"));
            await(a::leads);
            append(a, "one");
            Path snapshots = directory.resolve("a/snapshots");
            Path aside = directory.resolve("a/aside");
            Files.move(snapshots, aside);
            Files.writeString(snapshots, "no directory can be made here");
            assertThat(ask(done -> a.group().snapshot(done)).isOk()).isFalse();
            append(a, "two");
            Files.delete(snapshots);
            Files.move(aside, snapshots);

            a.machine().badLuck = temp -> Files.createDirectories(temp.resolve("__raft_snapshot_meta/in-the-way"));
            assertThat(ask(done -> a.group().snapshot(done)).isOk()).isFalse();
            append(a, "three");
            assertThat(a.group().isStopped()).isFalse();

            a.machine().badLuck = temp -> {};
            assertOk(ask(done -> a.group().snapshot(done)));
            assertThat(snapshots.resolve("snapshot_4")).isDirectory();
            nodes.kill("a");
            Node again = nodes.start("a", List.of("a"));
            await(() -> again.machine().count() == 3);
            assertThat(again.machine().entries()).containsExactly("one", "two", "three");
        }
    }

    /** It is refused without harm to the replica, and requested again until it is right. */
    @Test
    void snapshotThatIsNotWhatWasSealedIsNotTakenIn() throws Exception {
        try (RaftNodes nodes = new RaftNodes(directory)) {
            Node a = nodes.start("a", List.of("a"));
            await(a::leads);
            cutLog(a);
            Path seal = directory.resolve("a/snapshots/snapshot_5/SEAL");
            String sealed = Files.readString(seal);
            Files.writeString(seal, sealed.replaceFirst("notes=[0-9a-f]", "notes=x"));
            Node c = nodes.start("c", List.of());
            CompletableFuture<Status> added = told(done -> a.group().addVoter("c", done));
            await(() -> c.host().snapshotCopiesFailed() >= 2);
            assertThat(added).isNotDone();
            assertThat(c.machine().count()).isZero();
            assertThat(directory.resolve("c/snapshots/temp/SEAL")).doesNotExist();

            Files.writeString(seal, sealed);
            assertOk(added.get(30, TimeUnit.SECONDS));
            nodes.awaitEntries(4, "c");
        }
    }

    /** A bit flips between the nodes: the part is not written, the copy fails, and the leader starts it again. */
    @Test
    void partThatIsDamagedOnItsWayIsNotTakenIn() throws Exception {
        try (RaftNodes nodes = new RaftNodes(directory).ballastBytes(1_500_000)) {
            Node a = nodes.start("a", List.of("a"));
            await(a::leads);
            cutLog(a);
            SnapshotTransfer transfer = a.host().snapshots();
            AtomicInteger damaged = new AtomicInteger();
            nodes.mesh()
                    .node("a")
                    .server()
                    .add(ServerInterceptors.intercept(
                            transfer.files().definition(), new Damage(damaged, parts -> parts <= 3)));
            Node c = nodes.start("c", List.of());
            assertOk(ask(done -> a.group().addVoter("c", done)));
            nodes.awaitEntries(4, "c");
            assertThat(damaged.get()).isGreaterThan(3);
            assertThat(c.host().snapshotCopiesFailed()).isPositive();
            assertThat(c.machine().entries()).isEqualTo(a.machine().entries());
        }
    }

    /** Flips a bit in some of the parts that are sent. */
    private record Damage(AtomicInteger parts, IntPredicate which) implements ServerInterceptor {
        @Override
        public <Q, A> ServerCall.Listener<Q> interceptCall(
                ServerCall<Q, A> call, Metadata headers, ServerCallHandler<Q, A> next) {
            boolean isPart =
                    call.getMethodDescriptor().getFullMethodName().equals(SnapshotMessages.READ.getFullMethodName());
            return next.startCall(
                    new ForwardingServerCall.SimpleForwardingServerCall<>(call) {
                        @Override
                        public void sendMessage(A message) {
                            if (isPart && message instanceof byte[] bytes && which.test(parts.incrementAndGet())) {
                                bytes[bytes.length / 2 + 2] ^= 1;
                            }
                            super.sendMessage(message);
                        }
                    },
                    headers);
        }
    }

    /** The link breaks in the middle: what has arrived is not sent again. */
    @Test
    void brokenCopyGoesOnWhereItStopped() throws Exception {
        int ballast = 3 << 20;
        RaftSettings slow = new RaftSettings(2_000, 100, 6 << 20); // a second and a half
        try (RaftNodes nodes = new RaftNodes(directory).ballastBytes(ballast).settings(slow)) {
            Node a = nodes.start("a", List.of("a"));
            await(a::leads);
            cutLog(a);
            Node c = nodes.start("c", List.of());
            a.group().addLearner("c", status -> {});
            Path second = directory.resolve("c").resolve("snapshots/temp/db/ballast-1.sst");
            await(() -> Files.exists(second));
            nodes.mesh().cut("a", "c");
            await(() -> c.host().snapshotCopiesUnderWay() == 0);
            long before = c.host().snapshotBytesReceived();
            assertThat(before).isBetween((long) ballast, 3L * ballast - 1);

            nodes.mesh().heal("a", "c");
            nodes.awaitEntries(4, "c");
            // parts in transit when it broke are requested again
            assertThat(c.host().snapshotBytesReceived()).isLessThan(3L * ballast + (4L << 20));
        }
    }

    /** Bytes that were written but not recorded are copied again: after a power loss they may be wrong. */
    @Test
    void copyOfAKilledNodeGoesOnWhereItStopped() throws Exception {
        int ballast = 3 << 20;
        RaftSettings slow = new RaftSettings(2_000, 100, 6 << 20);
        try (RaftNodes nodes = new RaftNodes(directory).ballastBytes(ballast).settings(slow)) {
            Node a = nodes.start("a", List.of("a"));
            await(a::leads);
            cutLog(a);
            nodes.start("c", List.of());
            a.group().addLearner("c", status -> {});
            Path second = directory.resolve("c/snapshots/temp/db/ballast-1.sst");
            await(() -> Files.exists(second));
            nodes.kill("c");
            Files.write(second, new byte[1_000], StandardOpenOption.APPEND);

            Node again = nodes.start("c", List.of());
            nodes.awaitEntries(4, "c");
            assertThat(again.host().snapshotBytesReceived()).isLessThan(2L * ballast + (1L << 20));
        }
    }

    /** There is a newer snapshot by then: only tables that both share are kept. */
    @Test
    void copyOfAnotherSnapshotKeepsTablesThatAreTheSame() throws Exception {
        int ballast = 3 << 20;
        RaftSettings slow = new RaftSettings(2_000, 100, 6 << 20);
        try (RaftNodes nodes = new RaftNodes(directory).ballastBytes(ballast).settings(slow)) {
            Node a = nodes.start("a", List.of("a"));
            await(a::leads);
            cutLog(a);
            nodes.start("c", List.of());
            a.group().addLearner("c", status -> {});
            Path temp = directory.resolve("c/snapshots/temp/db");
            await(() -> Files.exists(temp.resolve("ballast-2.sst")));
            nodes.kill("c");
            // like a table of another database with the same number
            Path second = temp.resolve("ballast-1.sst");
            byte[] other = Files.readAllBytes(second);
            other[other.length - 1]++;
            Files.write(second, other);
            append(a, "five");
            assertOk(ask(done -> a.group().snapshot(done)));

            Node again = nodes.start("c", List.of());
            nodes.awaitEntries(5, "c");
            assertThat(again.machine().entries()).isEqualTo(a.machine().entries());
            assertThat(again.host().snapshotBytesReceived()).isBetween(2L * ballast, 2L * ballast + (1L << 20));
        }
    }
}
