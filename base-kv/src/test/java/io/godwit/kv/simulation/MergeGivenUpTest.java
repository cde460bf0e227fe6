package io.godwit.kv.simulation;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.kv.range.Range;
import io.godwit.kv.range.SimRanges;
import io.godwit.kv.range.change.ChangeOutcome;
import io.godwit.kv.range.data.RocksResources;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A merge that is given up midway, while no other node takes over the leaderships. */
class MergeGivenUpTest {
    @TempDir
    private Path root;

    private RocksResources rocks;
    private RangeSimulation simulation;

    @BeforeEach
    void open() throws IOException {
        rocks = new RocksResources(16 << 20, 8 << 20);
        simulation = new RangeSimulation(1, SimFault.NONE, root.resolve("nodes"), rocks);
        simulation.lead(1, "a");
        range(1).split(range(1).state().epoch(), 2, "h".getBytes(UTF_8));
        simulation.settle();
        simulation.lead(1, "a");
        simulation.lead(2, "a");
        simulation.append(simulation.user("la"), "kla");
        simulation.settle();
    }

    @AfterEach
    void close() throws IOException {
        simulation.close();
        rocks.close();
    }

    @Test
    void bothRangesServeAgainAfterTheLogRefusedTheCopyAndItsEnd() {
        simulation.raft().refuseOnce(SimRanges.COPY);
        simulation.raft().refuseOnce(SimRanges.REFRAIN);
        CompletableFuture<ChangeOutcome> merge = merge(1, 2);
        simulation.pass(3_000);

        assertThat(merge).isCompletedWithValue(ChangeOutcome.UNKNOWN);
        assertThat(range(1).state().isSettled()).as("%s", range(1).state()).isTrue();
        assertThat(range(2).state().isSettled()).as("%s", range(2).state()).isTrue();
        CompletableFuture<byte[]> append = simulation.append(simulation.user("la"), "kla");
        simulation.settle();
        assertThat(append).isCompleted();
    }

    /** Range 2 was to absorb range 3, which then waits for the outcome. */
    private void giveUpAMergeOfRangesTwoAndThree() {
        range(2).split(range(2).state().epoch(), 3, "k".getBytes(UTF_8));
        simulation.settle();
        simulation.lead(2, "a");
        simulation.lead(3, "a");
        simulation.raft().refuseOnce(SimRanges.COPY);
        simulation.raft().refuse(SimRanges.RESUME); // as without a majority
        CompletableFuture<ChangeOutcome> merge = merge(2, 3);
        simulation.settle();
        assertThat(merge).isCompletedWithValue(ChangeOutcome.UNKNOWN);
        assertThat(range(2).state().isSettled()).as("%s", range(2).state()).isTrue();
        assertThat(range(3).state().isLeaving()).as("%s", range(3).state()).isTrue();
    }

    @Test
    void theRightRangeServesAgainWhenTheLeftOneHasEnded() {
        giveUpAMergeOfRangesTwoAndThree();
        CompletableFuture<ChangeOutcome> merge = merge(1, 2);
        simulation.pass(10_000);
        assertThat(simulation.node("a").ranges().find(2)).isNull();
        assertThat(merge).isCompletedWithValue(ChangeOutcome.DONE);
        assertThat(range(3).state().isLeaving()).as("%s", range(3).state()).isTrue();
        simulation.raft().accept(SimRanges.RESUME);
        simulation.pass(3_000);
        assertThirdServes();
    }

    /** The left range has moved to other nodes. */
    @Test
    void theRightRangeServesAgainWhenItsLeaderHasNoReplicaOfTheLeftOne() {
        giveUpAMergeOfRangesTwoAndThree();
        simulation.node("a").ranges().leave(2, range(2).state().epoch() + 1);
        simulation.settle();
        assertThat(simulation.node("a").ranges().find(2)).isNull();
        simulation.raft().accept(SimRanges.RESUME);
        simulation.pass(10_000);
        assertThirdServes();
    }

    private void assertThirdServes() {
        Range third = Objects.requireNonNull(simulation.node("c").ranges().find(3));
        assertThat(third.state().isSettled()).as("%s", third.state()).isTrue();
        for (String from : RangeSimulation.NODES) {
            simulation.tellRoutes(from, simulation.user("r"));
        }
        CompletableFuture<byte[]> append = simulation.append(simulation.user("r"), "kr");
        simulation.settle();
        assertThat(append).isCompleted();
    }

    private CompletableFuture<ChangeOutcome> merge(long left, long right) {
        return simulation
                .node("a")
                .ranges()
                .merge(
                        left,
                        range(left).state().epoch(),
                        right,
                        range(right).state().epoch());
    }

    private Range range(long id) {
        Range range = simulation.node("a").ranges().find(id);
        assertThat(range).isNotNull();
        return range;
    }
}
