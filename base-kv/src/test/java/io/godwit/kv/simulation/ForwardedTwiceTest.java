package io.godwit.kv.simulation;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.kv.range.Range;
import io.godwit.kv.range.change.ChangeOutcome;
import io.godwit.kv.range.data.RocksResources;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A node that is behind learns at once that a range has joined another and was split again. */
class ForwardedTwiceTest {
    private static final String KEY = "klb";
    private static final int SEEDS = 6;

    private static RocksResources rocks;

    @TempDir
    private Path root;

    @BeforeAll
    static void open() {
        rocks = new RocksResources(16 << 20, 8 << 20);
    }

    @AfterAll
    static void close() {
        rocks.close();
    }

    @Test
    void requestsOfAnEndedRangeReachTheNewestBeforeLaterOnes() throws IOException {
        for (long seed = 1; seed <= SEEDS; seed++) {
            Path files = root.resolve("seed-" + seed);
            try (RangeSimulation simulation = new RangeSimulation(seed, SimFault.NONE, files, rocks)) {
                joinAndCutWhileAway(simulation);
            }
        }
    }

    private static void joinAndCutWhileAway(RangeSimulation simulation) {
        simulation.lead(1, "a");
        split(simulation, 2);
        simulation.lead(1, "a");
        simulation.lead(2, "a");
        List<CompletableFuture<byte[]>> appends = new ArrayList<>();
        appends.add(simulation.append(simulation.user("lb"), KEY)); // waits at range 2, which b does not lead
        simulation.settle();
        simulation.raft().cutOff("b");
        CompletableFuture<ChangeOutcome> merge = simulation
                .node("a")
                .ranges()
                .merge(
                        1,
                        range(simulation, 1).state().epoch(),
                        2,
                        range(simulation, 2).state().epoch());
        simulation.pass(1_000);
        assertThat(merge).isCompletedWithValue(ChangeOutcome.DONE);
        split(simulation, 3);
        simulation.raft().cutOff("");
        for (int i = 0; i < 300; i++) {
            simulation.event();
            if (i % 5 == 0) {
                appends.add(simulation.append(simulation.user("lb"), KEY));
            }
        }
        simulation.settle();
        simulation.lead(3, "b"); // their order is checked with each answer
        assertThat(appends).allMatch(CompletableFuture::isDone);
    }

    private static void split(RangeSimulation simulation, long childId) {
        CompletableFuture<ChangeOutcome> split =
                range(simulation, 1).split(range(simulation, 1).state().epoch(), childId, "h".getBytes(UTF_8));
        simulation.settle();
        assertThat(split).isCompletedWithValue(ChangeOutcome.DONE);
    }

    private static Range range(RangeSimulation simulation, long id) {
        Range range = simulation.node("a").ranges().find(id);
        assertThat(range).isNotNull();
        return range;
    }
}
