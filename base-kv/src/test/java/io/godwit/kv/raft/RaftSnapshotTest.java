package io.godwit.kv.raft;

import static io.godwit.kv.raft.RaftNodes.append;
import static io.godwit.kv.raft.RaftNodes.ask;
import static io.godwit.kv.raft.RaftNodes.assertOk;
import static io.godwit.kv.raft.RaftNodes.await;
import static io.godwit.kv.raft.RaftNodes.told;
import static org.assertj.core.api.Assertions.assertThat;

import com.alipay.sofa.jraft.Status;
import io.godwit.kv.protocol.NodeProtocol;
import io.godwit.kv.raft.RaftNodes.Node;
import io.godwit.kv.raft.snapshot.SnapshotForm;
import io.godwit.kv.raft.snapshot.SnapshotTransfer;
import io.grpc.ForwardingServerCall;
import io.grpc.Metadata;
import io.grpc.ServerCall;
import io.grpc.ServerCallHandler;
import io.grpc.ServerInterceptor;
import io.grpc.ServerInterceptors;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.IntPredicate;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Snapshots that are taken, copied to another node, damaged or interrupted; several nodes in this process. */
@Tag("full")
class RaftSnapshotTest {
    private static final SnapshotForm.Ask<?, ?> PART =
            SnapshotForm.of(NodeProtocol.VERSION).read();

    @TempDir
    Path directory;

    /** During a rolling upgrade a copy may go either way. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void nodesOfBothVersionsCopyFromEachOther(boolean isSourceNew) throws Exception {
        try (RaftNodes nodes = new RaftNodes(directory).ballastBytes(1_500_000)) {
            nodes.protocol(isSourceNew ? NodeProtocol.CURRENT : NodeProtocol.BEFORE_PROTOBUF);
            Node a = nodes.start("a", List.of("a"));
            await(a::leads);
            cutLog(a);
            append(a, "behind");

            nodes.protocol(isSourceNew ? NodeProtocol.BEFORE_PROTOBUF : NodeProtocol.CURRENT);
            Node b = nodes.start("b", List.of());
            assertOk(ask(done -> a.group().addVoter("b", done)));
            await(() -> b.machine().count() == a.machine().count());
            assertThat(b.machine().entries()).isEqualTo(a.machine().entries());
            assertThat(b.host().snapshotBytesReceived()).isGreaterThan(1_500_000);
        }
    }

    /**
     * The entries before the snapshot are in no log any more. The files have several parts, one part, or no content.
     */
    @Test
    void newVoterTakesInASnapshotAndTheEntriesBehindIt() throws Exception {
        int ballast = 1_500_000;
        try (RaftNodes nodes = new RaftNodes(directory).ballastBytes(ballast)) {
            nodes.startAll("a", "b");
            Node leader = nodes.elect();
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
            boolean isPart = call.getMethodDescriptor()
                    .getFullMethodName()
                    .equals(PART.method().getFullMethodName());
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
