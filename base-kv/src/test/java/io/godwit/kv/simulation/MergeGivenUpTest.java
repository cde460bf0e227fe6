package io.godwit.kv.simulation;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.kv.range.Range;
import io.godwit.kv.range.SimRanges;
import io.godwit.kv.range.change.ChangeOutcome;
import io.godwit.kv.range.data.RocksResources;
import java.io.IOException;
import java.nio.file.Path;
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
        CompletableFuture<ChangeOutcome> merge = simulation
                .node("a")
                .ranges()
                .merge(1, range(1).state().epoch(), 2, range(2).state().epoch());
        simulation.pass(3_000);

        assertThat(merge).isCompletedWithValue(ChangeOutcome.UNKNOWN);
        assertThat(range(1).state().isSettled()).as("%s", range(1).state()).isTrue();
        assertThat(range(2).state().isSettled()).as("%s", range(2).state()).isTrue();
        CompletableFuture<byte[]> append = simulation.append(simulation.user("la"), "kla");
        simulation.settle();
        assertThat(append).isCompleted();
    }

    private Range range(long id) {
        Range range = simulation.node("a").ranges().find(id);
        assertThat(range).isNotNull();
        return range;
    }
}
