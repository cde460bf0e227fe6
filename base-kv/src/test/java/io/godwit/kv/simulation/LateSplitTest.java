package io.godwit.kv.simulation;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.kv.range.Range;
import io.godwit.kv.range.data.RocksResources;
import io.godwit.kv.store.RangeDescriptor;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Two of three voters apply a split late, and have made empty replicas of the right part meanwhile. The third cannot be
 * elected, because empty replicas do not vote.
 */
class LateSplitTest {
    private static final long CHILD = 2;

    @TempDir
    private Path root;

    private RocksResources rocks;
    private RangeSimulation simulation;

    @BeforeEach
    void open() {
        rocks = new RocksResources(16 << 20, 8 << 20);
    }

    @AfterEach
    void close() throws IOException {
        simulation.close();
        rocks.close();
    }

    /** Node a applies the split alone; b and c make empty replicas. */
    private void splitWithLateVoters(long seed) throws IOException {
        simulation = new RangeSimulation(seed, SimFault.NONE, root.resolve("nodes"), rocks);
        simulation.lead(1, "a");
        simulation.append(simulation.user("la"), "kla");
        simulation.settle();
        parent("b").holds = true;
        parent("c").holds = true;
        Range whole = range("a", 1);
        whole.split(whole.state().epoch(), CHILD, "h".getBytes(UTF_8));
        simulation.settle();
        RangeDescriptor descriptor =
                Objects.requireNonNull(simulation.node("a").ranges().descriptor(CHILD));
        for (String late : new String[] {"b", "c"}) {
            assertThat(simulation.node(late).ranges().find(CHILD)).isNull();
            simulation
                    .node(late)
                    .ranges()
                    .join(descriptor.joinedAt(range("a", CHILD).state().epoch()));
        }
        simulation.pass(3_000);
        assertThat(simulation.raft().group(SimNode.STORE + "-" + CHILD).newestLeader())
                .as("leader while two of three are empty")
                .isNull();
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3})
    void emptyReplicasAreMadeAgainWhenTheSplitIsApplied(long seed) throws IOException {
        splitWithLateVoters(seed);
        Range empty = range("b", CHILD);
        parent("b").holds = false;
        parent("c").holds = false;
        simulation.pass(3_000);

        assertThat(range("b", CHILD)).isNotSameAs(empty);
        assertServes();
    }

    /** One of them is enough for a majority, and the other is then brought up to date by the leader. */
    @Test
    void oneThatIsMadeAgainIsEnough() throws IOException {
        splitWithLateVoters(4);
        parent("b").holds = false;
        simulation.pass(3_000);
        assertServes();
        parent("c").holds = false;
        simulation.pass(3_000);
        assertServes();
    }

    @ParameterizedTest
    @EnumSource(SimNode.CrashPoint.class)
    void aCrashWhileItIsMadeAgainLosesNothing(SimNode.CrashPoint point) throws IOException {
        splitWithLateVoters(5);
        parent("b").holds = false;
        simulation.crashNextSplitOf("b", point);
        simulation.pass(3_000);
        assertThat(simulation.happened()).containsKey("crash " + point);
        simulation.restart("b");
        simulation.pass(3_000);
        assertServes();
    }

    private void assertServes() {
        assertThat(simulation.raft().group(SimNode.STORE + "-" + CHILD).newestLeader())
                .isNotNull();
        CompletableFuture<byte[]> append = simulation.append(simulation.user("r"), "kr");
        for (String from : RangeSimulation.NODES) {
            simulation.tellRoutes(from, simulation.user("r"));
        }
        simulation.pass(1_000);
        assertThat(append).isCompleted();
        assertThat(append).isNotCompletedExceptionally();
    }

    private SimReplica parent(String node) {
        return Objects.requireNonNull(
                simulation.raft().group(SimNode.STORE + "-1").replicas.get(node));
    }

    private Range range(String node, long id) {
        return Objects.requireNonNull(simulation.node(node).ranges().find(id));
    }
}
