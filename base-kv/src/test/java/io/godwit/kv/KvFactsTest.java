package io.godwit.kv;

import static io.godwit.kv.KvCluster.append;
import static io.godwit.kv.KvCluster.await;
import static io.godwit.kv.KvCluster.holds;
import static io.godwit.kv.KvCluster.read;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.godwit.kv.balance.ActionOutcome;
import io.godwit.kv.balance.BalanceLoopConfig;
import io.godwit.kv.balance.policy.BalancePlan;
import io.godwit.kv.operate.NodeOperations;
import io.godwit.kv.operate.OperationResult;
import io.godwit.kv.store.StoreBalance;
import io.godwit.plugin.balance.BalanceAction.ChangeReplica.Step;
import io.godwit.plugin.balance.Liveness;
import io.godwit.plugin.balance.ReplicaGoal;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/**
 * What the nodes of a cluster agree on besides their data: the number of voters wanted, and the forgotten nodes. The
 * tests wait more than they work, and do so side by side.
 */
@Tag("slow")
@Timeout(180)
class KvFactsTest {
    private static final BalanceLoopConfig QUICK = new BalanceLoopConfig(
            Duration.ofMillis(200),
            Duration.ofSeconds(20),
            Duration.ofSeconds(5),
            Duration.ofMillis(500),
            Duration.ofSeconds(2),
            3);

    @TempDir
    Path directory;

    /** With the grace period of ten minutes. */
    private static StoreBalance balance(int voters, boolean isGiven) {
        return new StoreBalance(
                new ReplicaGoal(voters, false), isGiven, BalancePlan.shipped(Map.of("settleSeconds", "1")), QUICK);
    }

    private static void awaitVoters(KvCluster cluster, int seenBy, int count) {
        await(
                count + " voters",
                () -> cluster.only(seenBy).voters().size() == count
                        && cluster.only(seenBy).learners().isEmpty()
                        && !cluster.only(seenBy).leader().isEmpty());
    }

    private static OperationResult want(KvCluster cluster, int by, int count, boolean mayReduce) throws Exception {
        return cluster.operations(by).wantVoters(count, mayReduce).get(30, TimeUnit.SECONDS);
    }

    private static boolean allWant(KvCluster cluster, int count) {
        return List.of(1, 2, 3).stream()
                .allMatch(number -> cluster.operations(number).wantedVoters() == count);
    }

    /** A node that is restarted with a stale configuration reduces no range. */
    @Test
    @Execution(ExecutionMode.CONCURRENT) // of the class, it would run beside other classes
    @Tag("full")
    void theConfigurationOfOneNodeDoesNotLowerTheNumberOfVoters() throws Exception {
        try (KvCluster cluster = new KvCluster(directory).balance(balance(3, true))) {
            cluster.startAll();
            awaitVoters(cluster, 1, 3);
            for (StoreBalance forgetful : List.of(balance(1, false), balance(1, true))) {
                cluster.balance(forgetful);
                for (int number = 1; number <= 3; number++) { // whichever node leads then knows it
                    cluster.stop(number);
                    cluster.start(number);
                    cluster.ready();
                }
                assertThat(allWant(cluster, 3)).isTrue();
                holds(
                        "three voters",
                        Duration.ofSeconds(5),
                        () -> cluster.only(1).voters().size() == 3);
            }
        }
    }

    @Test
    @Execution(ExecutionMode.CONCURRENT)
    @Tag("full")
    void fewerVotersNeedAnExplicitRequest() throws Exception {
        try (KvCluster cluster = new KvCluster(directory).balance(balance(3, true))) {
            cluster.startAll();
            awaitVoters(cluster, 1, 3);
            OperationResult unmeant = want(cluster, 2, 1, false);
            assertThat(unmeant.outcome()).isEqualTo(ActionOutcome.REFUSED);
            assertThat(unmeant.detail())
                    .contains("3 voters, which survive the loss of 1", "1 voter, which survive the loss of 0");
            assertThat(allWant(cluster, 3)).isTrue();
            assertThat(want(cluster, 2, 9, true).outcome()).isEqualTo(ActionOutcome.REFUSED);

            assertThat(want(cluster, 2, 1, true).isDone()).isTrue();
            assertThat(allWant(cluster, 1))
                    .as("all nodes know the number when the answer comes")
                    .isTrue();
            awaitVoters(cluster, 1, 1);

            // a configuration older than the command does not undo it; a newer one counts
            cluster.balance(balance(3, true));
            cluster.stop(3);
            cluster.start(3);
            cluster.ready();
            holds("one voter", Duration.ofSeconds(3), () -> allWant(cluster, 1));
            assertThat(want(cluster, 3, 3, false).isDone()).isTrue();
            awaitVoters(cluster, 1, 3);
        }
    }

    /** A node that joins takes over the noted number, unless its configuration explicitly asks for more. */
    @Test
    @Execution(ExecutionMode.CONCURRENT)
    @Tag("full")
    void aGivenNumberRaisesWhatIsNotedAndADefaultDoesNot() throws Exception {
        try (KvCluster cluster = new KvCluster(directory).balance(balance(1, true))) {
            cluster.start(1);
            cluster.ready();
            cluster.balance(balance(3, false));
            cluster.start(2);
            cluster.ready();
            await("known", () -> cluster.operations(2).wantedVoters() == 1);
            cluster.balance(balance(3, true));
            cluster.start(3);
            cluster.ready();
            await("raised", () -> allWant(cluster, 3));
            awaitVoters(cluster, 1, 3);
        }
    }

    private static void awaitDown(KvCluster cluster, int seenBy, String storeId) {
        await(
                "missed",
                () -> cluster.node(seenBy).operations().nodes().stream()
                        .anyMatch(node -> node.storeId().equals(storeId) && node.liveness() == Liveness.DOWN));
    }

    private static OperationResult forget(KvCluster cluster, int by, String storeId) throws Exception {
        return cluster.node(by).operations().forget(storeId).get(30, TimeUnit.SECONDS);
    }

    /**
     * A node that has lost its disk comes back as a new node, and gets the replicas of the old one without a long wait.
     */
    @Test
    @Execution(ExecutionMode.CONCURRENT)
    @Tag("full")
    void aWipedNodeIsGivenItsReplicasWhenTheOldOneIsForgotten() throws Exception {
        try (KvCluster cluster = new KvCluster(directory).balance(balance(3, true))) {
            cluster.startAll();
            awaitVoters(cluster, 1, 3);
            append(cluster.client(1), "k", "a").get(30, TimeUnit.SECONDS);
            String old = cluster.id(3);
            assertThat(forget(cluster, 1, old).outcome())
                    .as("a running node cannot be forgotten")
                    .isEqualTo(ActionOutcome.REFUSED);
            assertThat(forget(cluster, 1, cluster.id(1)).outcome())
                    .as("a node cannot forget itself")
                    .isEqualTo(ActionOutcome.REFUSED);
            assertThat(forget(cluster, 1, "somebody").detail()).contains("there is no node somebody");
            KvNodeConfig oldData = cluster.config(3, false);
            cluster.crash(3);
            cluster.start(3, cluster.config(3, false, directory.resolve("empty"), Duration.ofSeconds(30)));
            cluster.ready();
            awaitDown(cluster, 1, old);
            assertThat(cluster.only(1).voters())
                    .as("the replica of the wiped node is not replaced yet")
                    .contains(old);

            OperationResult drained =
                    cluster.node(1).operations().drain(old, true, true).get(30, TimeUnit.SECONDS);
            assertThat(drained.outcome()).isEqualTo(ActionOutcome.REFUSED);
            assertThat(drained.detail()).contains("is not running", "forget").doesNotContain("Exception");

            awaitDown(cluster, 2, old);
            await("the new one has told", () -> cluster.node(2).links().silent().isEmpty());
            long asked = System.nanoTime();
            OperationResult forgotten = forget(cluster, 2, old);
            assertThat(forgotten.isDone()).as("%s", forgotten).isTrue();
            assertThat(forgotten.detail()).contains("1 range of test get a voter elsewhere");
            await(
                    "three voters again",
                    () -> cluster.only(1).voters().size() == 3
                            && cluster.only(1).voters().contains(cluster.id(3)));
            assertThat(TimeUnit.NANOSECONDS.toSeconds(System.nanoTime() - asked))
                    .isLessThan(60);
            await(
                    "not listed",
                    () -> List.of(1, 2, 3).stream()
                            .allMatch(number -> cluster.node(number).operations().nodes().stream()
                                    .noneMatch(node -> node.storeId().equals(old))));

            aForgottenNodeThatComesBackIsToldSo(cluster, oldData, old);
        }
    }

    private void aForgottenNodeThatComesBackIsToldSo(KvCluster cluster, KvNodeConfig oldData, String old)
            throws Exception {
        cluster.stop(3); // its address is that of the old node
        append(cluster.client(1), "k", "b").get(30, TimeUnit.SECONDS);
        assertThatThrownBy(() -> {
                    try (KvNode back = KvNode.open(oldData)) {
                        back.open(cluster.spec());
                        back.ready().get(40, TimeUnit.SECONDS);
                    }
                })
                .hasStackTraceContaining("was forgotten by an operator");
        assertThatThrownBy(() -> KvNode.open(oldData))
                .as("the node remembers that it was forgotten")
                .hasMessageContaining("was forgotten by an operator")
                .hasMessageContaining("move its data directory aside");
        assertThat(cluster.only(1).voters()).doesNotContain(old);
        assertThat(cluster.node(1).operations().nodes())
                .noneMatch(node -> node.storeId().equals(old));
        append(cluster.client(1), "k", "c").get(30, TimeUnit.SECONDS);
        assertThat(read(cluster.client(2), "k")).isEqualTo("abc");
    }

    /** Also after a restart of the nodes that know of it. */
    @Test
    @Execution(ExecutionMode.CONCURRENT)
    @Tag("full")
    void restartedNodesRefuseAForgottenNode() throws Exception {
        try (KvCluster cluster = new KvCluster(directory).balance(balance(3, true))) {
            cluster.startAll();
            awaitVoters(cluster, 1, 3);
            String old = cluster.id(3);
            cluster.crash(3);
            awaitDown(cluster, 1, old);
            OperationResult forgotten = forget(cluster, 1, old);
            assertThat(forgotten.detail()).contains("1 range of test go on with 2 until another node joins");
            awaitVoters(cluster, 1, 2);
            for (int number : List.of(1, 2)) {
                cluster.stop(number);
                cluster.start(number);
            }
            cluster.ready();
            assertThat(cluster.operations(1).wantedVoters()).isEqualTo(3);
            assertThatThrownBy(() -> {
                        cluster.start(3);
                        cluster.node(3).ready().get(40, TimeUnit.SECONDS);
                    })
                    .hasStackTraceContaining("was forgotten by an operator");
            assertThat(cluster.only(1).voters()).hasSize(2);
        }
    }

    /** A node with the only copy, or with a vote that a range needs, is not given up. */
    @Test
    @Execution(ExecutionMode.CONCURRENT)
    void aNodeThatARangeNeedsIsNotForgotten() throws Exception {
        try (KvCluster cluster = new KvCluster(directory)) {
            cluster.startAll();
            cluster.replicate();
            String third = cluster.id(3);
            String second = cluster.id(2);
            cluster.crash(2);
            cluster.crash(3);
            awaitDown(cluster, 1, second);
            awaitDown(cluster, 1, third);
            OperationResult refused = forget(cluster, 1, third);
            assertThat(refused.outcome()).isEqualTo(ActionOutcome.REFUSED);
            assertThat(refused.detail()).contains("test-1 needs its vote", "recover");
        }
    }

    /** After its restart, the asked node hears nothing of a range that is on no other node. */
    @Test
    @Execution(ExecutionMode.CONCURRENT)
    @Tag("full")
    void aNodeThatMayHaveTheOnlyCopyOfSomeKeysIsNotForgotten() throws Exception {
        try (KvCluster cluster = new KvCluster(directory)) {
            cluster.startAll();
            String first = cluster.id(1);
            String third = cluster.id(3);
            cluster.change(1, Step.ADD_LEARNER, third);
            cluster.change(1, Step.PROMOTE, third);
            cluster.moveLeader(1, 3);
            cluster.change(1, Step.DEMOTE, first);
            cluster.change(1, Step.REMOVE, first);
            await(
                    "on the third alone",
                    () -> cluster.only(1).voters().equals(List.of(third))
                            && cluster.only(1).learners().isEmpty());
            cluster.crash(3);
            cluster.stop(1);
            cluster.start(1);
            awaitDown(cluster, 2, third);
            await(
                    "reports",
                    () -> cluster.node(1).links().exchange().reports().containsKey(cluster.id(2))
                            && cluster.node(1).links().silent().isEmpty());
            OperationResult refused = forget(cluster, 1, third);
            assertThat(refused.outcome()).as("%s", refused).isEqualTo(ActionOutcome.REFUSED);
            assertThat(refused.detail()).contains("some keys of test have no range");
        }
    }

    @Test
    @Execution(ExecutionMode.CONCURRENT)
    @Tag("full")
    void aVoterThatHasStoppedAfterAFaultIsNotCountedOn() throws Exception {
        try (KvCluster cluster = new KvCluster(directory)) {
            cluster.startAll();
            cluster.replicate();
            cluster.moveLeader(1, 1);
            String third = cluster.id(3);
            cluster.store(2).ranges().all().forEach(range -> range.fail("told to"));
            cluster.crash(3);
            awaitDown(cluster, 1, third);
            await("the fault is told", () -> !cluster.only(1).faults().isEmpty());
            OperationResult refused = forget(cluster, 1, third);
            assertThat(refused.outcome()).as("%s", refused).isEqualTo(ActionOutcome.REFUSED);
            assertThat(refused.detail()).contains("test-1 needs its vote", "recover");
        }
    }

    /** Operators are answered before any store is open. */
    @Test
    @Execution(ExecutionMode.CONCURRENT)
    @Tag("full")
    void aNodeThatIsStartingKnowsTooLittleForADrain() throws Exception {
        try (KvCluster cluster = new KvCluster(directory).balance(balance(3, true))) {
            cluster.startAll();
            awaitVoters(cluster, 1, 3);
            String third = cluster.id(3);
            cluster.stop(1);
            try (KvNode starting = KvNode.open(cluster.config(1, false))) {
                NodeOperations operator = starting.operations();
                await(
                        "the others are seen",
                        () -> operator.nodes().stream()
                                .anyMatch(node -> node.storeId().equals(third) && node.liveness() == Liveness.ALIVE));
                OperationResult refused = operator.drain(third, true, false).get(30, TimeUnit.SECONDS);
                assertThat(refused.outcome()).as("%s", refused).isEqualTo(ActionOutcome.REFUSED);
                assertThat(refused.detail()).contains("not open on this node yet");

                NodeOperations other = cluster.node(2).operations();
                assertThat(other.drain(third, true, true)
                                .get(30, TimeUnit.SECONDS)
                                .isDone())
                        .isTrue();
                await("known", () -> operator.drainStatus(third).isDraining());
                assertThat(operator.drainStatus(third).isSafeToStop())
                        .as("%s", operator.drainStatus(third))
                        .isFalse();
            }
        }
    }

    @Test
    @Execution(ExecutionMode.CONCURRENT)
    @Tag("full")
    void aDrainThatWouldLeaveFewerVotersIsRefusedUnlessItIsMeant() throws Exception {
        try (KvCluster cluster = new KvCluster(directory).balance(balance(3, true))) {
            cluster.startAll();
            awaitVoters(cluster, 1, 3);
            NodeOperations operator = cluster.node(1).operations();
            String third = cluster.id(3);
            OperationResult refused = operator.drain(third, true, false).get(30, TimeUnit.SECONDS);
            assertThat(refused.outcome()).isEqualTo(ActionOutcome.REFUSED);
            assertThat(refused.detail())
                    .contains("1 range of test with 3 voters would have 2, which survive the loss of 0", "--reduce");
            assertThat(operator.drainStatus(third).isDraining()).isFalse();
            holds(
                    "three voters",
                    Duration.ofSeconds(3),
                    () -> cluster.only(1).voters().size() == 3);

            OperationResult meant = operator.drain(third, true, true).get(30, TimeUnit.SECONDS);
            assertThat(meant.isDone()).isTrue();
            assertThat(meant.detail()).contains("would have 2");
            await("drained", () -> operator.drainStatus(third).isSafeToStop());
        }
    }
}
