package io.godwit.kv.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.kv.range.SimRanges;
import io.godwit.kv.range.data.RocksResources;
import java.io.IOException;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * A leader has changed the members and ended before it wrote them into the range's state: the next leader does that.
 */
class MembersNotedTest {
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

    @Test
    void membersAreNotedByTheNextLeader() {
        simulation.raft().group(SimNode.STORE + "-1").learners.add("d");
        simulation.lead(1, "b");
        assertThat(learners()).containsExactly("d");
    }

    @Test
    void membersAreNotedAlthoughTheLogRefusesOnce() {
        simulation.raft().group(SimNode.STORE + "-1").learners.add("d");
        simulation.raft().refuseOnce(SimRanges.REPLICAS);
        simulation.lead(1, "b");
        simulation.pass(3_000);
        assertThat(learners()).containsExactly("d");
    }

    private Iterable<String> learners() {
        return simulation
                .node("b")
                .ranges()
                .all()
                .iterator()
                .next()
                .state()
                .members()
                .learners();
    }
}
