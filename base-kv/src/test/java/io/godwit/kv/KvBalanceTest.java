package io.godwit.kv;

import static io.godwit.kv.KvCluster.append;
import static io.godwit.kv.KvCluster.await;
import static io.godwit.kv.KvCluster.eventually;
import static io.godwit.kv.KvCluster.read;
import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.kv.balance.BalanceLoopConfig;
import io.godwit.kv.balance.policy.BalancePlan;
import io.godwit.kv.operate.NodeOperations;
import io.godwit.kv.operate.OperationResult;
import io.godwit.kv.store.StoreBalance;
import io.godwit.plugin.balance.ReplicaGoal;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The shipped balancers on real nodes, and operators that use the same operations. */
@Tag("slow")
@Timeout(180)
class KvBalanceTest {
    private static final BalanceLoopConfig QUICK = new BalanceLoopConfig(
            Duration.ofMillis(200),
            Duration.ofSeconds(20),
            Duration.ofSeconds(5),
            Duration.ofMillis(500),
            Duration.ofSeconds(2),
            3);

    @TempDir
    Path directory;

    /** One voter becomes three without help; a draining node is emptied; the others serve after it has gone. */
    @Test
    @Tag("full")
    void rangesGetTheirVotersAndADrainedNodeIsEmptied() throws Exception {
        StoreBalance balance =
                new StoreBalance(new ReplicaGoal(3, false), BalancePlan.shipped(Map.of("settleSeconds", "1")), QUICK);
        try (KvCluster cluster = new KvCluster(directory).balance(balance)) {
            cluster.startAll();
            append(cluster.client(2), "k", "a").get(30, TimeUnit.SECONDS);
            await(
                    "three voters",
                    () -> cluster.only(2).voters().size() == 3
                            && cluster.only(2).learners().isEmpty());

            assertThat(cluster.operations(1).balance().list().get(10, TimeUnit.SECONDS))
                    .isNotEmpty();
            NodeOperations operator = cluster.node(3).operations();
            assertThat(operator.nodes()).hasSize(3);
            String leaving = cluster.id(1);
            assertThat(operator.drain(leaving, true, true).get(10, TimeUnit.SECONDS))
                    .matches(OperationResult::isDone);
            await("drained", () -> operator.drainStatus(leaving).isSafeToStop());
            cluster.stop(1);
            append(cluster.client(2), "k", "b").get(30, TimeUnit.SECONDS);
            assertThat(read(cluster.client(3), "k")).isEqualTo("ab");
        }
    }

    /** Two of three nodes are lost for ever: nothing goes on until an operator says so, then everything does. */
    @Test
    void survivorGoesOnWhenAnOperatorGivesUpTheMajority() throws Exception {
        try (KvCluster cluster = new KvCluster(directory)) {
            cluster.startAll();
            cluster.replicate();
            append(cluster.client(1), "k", "a").get(30, TimeUnit.SECONDS);
            Set<String> lost = Set.of(cluster.id(2), cluster.id(3));
            NodeOperations operator = cluster.node(1).operations();
            assertThat(operator.recover(KvCluster.STORE, lost, true).get().errors())
                    .as("nodes that are members cannot be declared lost")
                    .hasSize(2);
            eventually("one has it", () -> read(cluster.client(1), "k").equals("a"));
            cluster.crash(2);
            cluster.crash(3);
            await(
                    "both are missed",
                    () -> operator.nodes().stream()
                                    .filter(node -> node.liveness() == io.godwit.plugin.balance.Liveness.DOWN)
                                    .count()
                            == 2);
            NodeOperations.RecoveryResult dry =
                    operator.recover(KvCluster.STORE, lost, true).get();
            assertThat(dry.errors()).isEmpty();
            assertThat(dry.steps()).singleElement().asString().contains("test-1", "go on by themselves");
            assertThat(cluster.only(1).voters()).hasSize(3);

            NodeOperations.RecoveryResult done =
                    operator.recover(KvCluster.STORE, lost, false).get();
            assertThat(done.errors()).isEmpty();
            // what the former leadership still accepts may or may not be applied
            eventually(
                    "a leader of one has begun",
                    () -> read(cluster.client(1), "k").equals("a"));
            append(cluster.client(1), "k", "b").get(30, TimeUnit.SECONDS);
            assertThat(read(cluster.client(1), "k")).isEqualTo("ab");
            await("noted", () -> cluster.only(1).voters().equals(java.util.List.of(cluster.id(1))));
        }
    }
}
