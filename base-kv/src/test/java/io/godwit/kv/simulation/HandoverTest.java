package io.godwit.kv.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import com.alipay.sofa.jraft.Status;
import com.alipay.sofa.jraft.error.RaftError;
import io.godwit.kv.raft.RaftGroup;
import io.godwit.kv.range.Range;
import io.godwit.kv.range.change.ChangeOutcome;
import io.godwit.kv.range.data.RocksResources;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What is reported of a hand-over. Raft ends the leadership when it begins, before the heir knows of it. */
class HandoverTest {
    @TempDir
    private Path root;

    private RocksResources rocks;
    private RangeSimulation simulation;

    @BeforeEach
    void open() throws IOException {
        rocks = new RocksResources(16 << 20, 8 << 20);
        simulation = new RangeSimulation(1, SimFault.NONE, root.resolve("nodes"), rocks);
        simulation.lead(1, "a");
        simulation.append(simulation.user("la"), "kla");
        simulation.settle();
    }

    @AfterEach
    void close() throws IOException {
        simulation.close();
        rocks.close();
    }

    @Test
    void isNotDoneIfTheHeirIsNotElected() {
        simulation.raft().cutOff("b");
        CompletableFuture<ChangeOutcome> transfer = transferTo("b");
        simulation.pass(3_000);

        assertThat(transfer).isCompletedWithValue(ChangeOutcome.BUSY);
        assertThat(range("a").leading()).as("the former leader serves again").isNotNull();
        CompletableFuture<byte[]> append = simulation.append(simulation.user("la"), "kla");
        simulation.settle();
        assertThat(append).isCompleted();
    }

    /** Raft may give a hand-over up, so there are several attempts. */
    @Test
    void isDoneWhenTheHeirIsElected() {
        ChangeOutcome outcome = ChangeOutcome.BUSY;
        for (int attempt = 0; attempt < 20 && outcome != ChangeOutcome.DONE; attempt++) {
            simulation.lead(1, "a");
            CompletableFuture<ChangeOutcome> transfer = transferTo("b");
            simulation.pass(1_000);
            assertThat(transfer).isDone();
            outcome = transfer.join();
        }
        simulation.settle();
        assertThat(outcome).isEqualTo(ChangeOutcome.DONE);
        assertThat(range("b").leading()).isNotNull();
        assertThat(range("a").leading()).isNull();
    }

    @Test
    void isNotDoneIfAThirdIsElected() {
        simulation.raft().cutOff("b");
        CompletableFuture<ChangeOutcome> transfer = transferTo("b");
        SimGroup group = simulation.raft().group(SimNode.STORE + "-1");
        for (int events = 0; !isHandingOver(range("a")); events++) {
            assertThat(events).as("events without a hand-over").isLessThan(10_000);
            simulation.event();
        }
        simulation.raft().elect(group, "c");
        simulation.pass(3_000);

        assertThat(group.leaders.lastEntry().getValue()).isEqualTo("c");
        assertThat(transfer).isCompletedWithValue(ChangeOutcome.UNKNOWN);
    }

    /** JRaft refuses it while the first entry of the term, which has the members, is not committed. */
    @Test
    void isRefusedBeforeTheTermHasBegun() {
        SimGroup group = simulation.raft().group(SimNode.STORE + "-1");
        long before = group.maxTerm;
        while (group.maxTerm == before) { // a majority may have no vote of a
            simulation.raft().elect(group, "a");
        }
        RaftGroup replica = group(range("a"));
        assertThat(replica.isLeading()).isTrue();

        Status status = replica.transferLeadershipTo("b");

        assertThat(status.getRaftError()).isEqualTo(RaftError.EBUSY);
        simulation.settle();
        assertThat(leaders()).containsExactly("a");
    }

    /** When JRaft takes a hand-over back, it reports the lead before anything that comes later. */
    @Test
    void canFollowAnotherThatWasTakenBack() {
        SimGroup group = simulation.raft().group(SimNode.STORE + "-1");
        for (int attempt = 0; attempt < 10; attempt++) { // events come in other orders each time
            simulation.lead(1, "a");
            RaftGroup replica = group(range("a"));
            simulation.raft().cutOff("b"); // so that b is not elected
            assertThat(replica.transferLeadershipTo("b").isOk()).isTrue();
            for (int events = 0; replica.isHandingOver(); events++) {
                assertThat(events).as("events without an end").isLessThan(10_000);
                simulation.event();
            }
            simulation.raft().cutOff("");

            assertThat(replica.transferLeadershipTo("c").isOk()).isTrue();

            simulation.pass(1_000);
            SimReplica newest = group.newestLeader();
            assertThat(newest).isNotNull();
            assertThat(leaders()).as("attempt %d", attempt).containsExactly(newest.node.id());
        }
    }

    /** The nodes whose ranges say that they lead. */
    private List<String> leaders() {
        return RangeSimulation.NODES.stream()
                .filter(node -> range(node).leading() != null)
                .toList();
    }

    private static RaftGroup group(Range range) {
        RaftGroup group = range.group();
        assertThat(group).isNotNull();
        return group;
    }

    private CompletableFuture<ChangeOutcome> transferTo(String heir) {
        return range("a").transfer(range("a").state().epoch(), heir);
    }

    private static boolean isHandingOver(Range range) {
        RaftGroup group = range.group();
        return group != null && group.isHandingOver();
    }

    private Range range(String node) {
        Range range = simulation.node(node).ranges().find(1);
        assertThat(range).isNotNull();
        return range;
    }
}
