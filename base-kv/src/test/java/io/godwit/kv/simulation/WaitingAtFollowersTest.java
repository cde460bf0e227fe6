package io.godwit.kv.simulation;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.kv.range.Range;
import io.godwit.kv.range.change.ChangeOutcome;
import io.godwit.kv.range.data.RocksResources;
import java.io.IOException;
import java.nio.file.Path;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Requests that wait on node b, which does not lead, and the changes that b applies meanwhile. */
class WaitingAtFollowersTest {
    @TempDir
    private Path root;

    private RocksResources rocks;
    private RangeSimulation simulation;

    @BeforeEach
    void open() throws IOException {
        rocks = new RocksResources(16 << 20, 8 << 20);
        simulation = new RangeSimulation(1, SimFault.NONE, root.resolve("nodes"), rocks);
        simulation.lead(1, "a");
    }

    @AfterEach
    void close() throws IOException {
        simulation.close();
        rocks.close();
    }

    @ParameterizedTest
    @ValueSource(strings = {"lb", "mb"})
    void laterRequestsDoNotPassWaitingOnesInTheRightPartOfASplit(String user) {
        CompletableFuture<byte[]> first = append(user);
        simulation.settle();
        assertThat(first).isNotDone();
        CompletableFuture<ChangeOutcome> split =
                range("a", 1).split(range("a", 1).state().epoch(), 2, "h".getBytes(UTF_8));
        simulation.settle();
        assertThat(split).isCompletedWithValue(ChangeOutcome.DONE);

        CompletableFuture<byte[]> second = append(user);
        simulation.lead(2, "b");
        assertThat(first).isCompleted();
        assertThat(second).isCompleted();
        assertThat(new String(second.join(), UTF_8)).startsWith(new String(first.join(), UTF_8));
    }

    @ParameterizedTest
    @ValueSource(strings = {"lb", "mb"})
    void laterRequestsDoNotPassWaitingOnesInTheLeftPartOfAMerge(String user) {
        range("a", 1).split(range("a", 1).state().epoch(), 2, "h".getBytes(UTF_8));
        simulation.settle();
        simulation.lead(1, "a");
        simulation.lead(2, "a");
        CompletableFuture<byte[]> first = append(user);
        simulation.settle();
        assertThat(first).isNotDone();
        CompletableFuture<ChangeOutcome> merge = simulation
                .node("a")
                .ranges()
                .merge(
                        1,
                        range("a", 1).state().epoch(),
                        2,
                        range("a", 2).state().epoch());
        simulation.settle();
        assertThat(merge).isCompletedWithValue(ChangeOutcome.DONE);

        CompletableFuture<byte[]> second = append(user);
        simulation.lead(1, "b");
        assertThat(first).isCompleted();
        assertThat(second).isCompleted();
        assertThat(new String(second.join(), UTF_8)).startsWith(new String(first.join(), UTF_8));
    }

    /**
     * A node was away while the range was split, and gets the left part by a snapshot and an empty replica of the right
     * part.
     */
    @ParameterizedTest
    @ValueSource(strings = {"lb", "mb"})
    void aRequestFailsWhenASnapshotTakesItsKeyAway(String user) {
        simulation.raft().cutOff("b");
        CompletableFuture<byte[]> first = append(user);
        CompletableFuture<ChangeOutcome> split =
                range("a", 1).split(range("a", 1).state().epoch(), 2, "h".getBytes(UTF_8));
        simulation.settle();
        assertThat(split).isCompletedWithValue(ChangeOutcome.DONE);
        for (int i = 0; i < 2; i++) { // with two snapshots the log goes back to the first
            simulation.append(simulation.user("la"), "bla");
            simulation.settle();
            SimReplica leader = simulation.raft().group("sim-1").newestLeader();
            assertThat(leader).isNotNull();
            leader.snapshot(status -> assertThat(status.isOk()).isTrue());
            simulation.settle();
        }
        assertThat(first).isNotDone();
        simulation.raft().cutOff("");
        simulation.settle();
        assertThat(range("b", 1).state().epoch())
                .isEqualTo(range("a", 1).state().epoch());
        assertThat(first)
                .isCompletedExceptionally(); // long before its deadline, because a later one may be applied from now on
    }

    /** Appends to the user's key in the right part. */
    private CompletableFuture<byte[]> append(String user) {
        return simulation.append(simulation.user(user), "k" + user);
    }

    private Range range(String node, long id) {
        Range range = simulation.node(node).ranges().find(id);
        assertThat(range).isNotNull();
        return range;
    }
}
