package io.godwit.kv;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.kv.balance.BalanceControl;
import io.godwit.kv.balance.BalanceLoopConfig;
import io.godwit.kv.balance.BalancerStatus;
import io.godwit.kv.balance.policy.BalancePlan;
import io.godwit.kv.operate.NotedPauses;
import io.godwit.kv.store.StoreBalance;
import io.godwit.kv.store.StoreSpec;
import io.godwit.kv.testing.AppendCoprocessor;
import io.godwit.plugin.balance.ReplicaGoal;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class NotedPausesTest {
    @TempDir
    private Path data;

    /** After a restart, balancers that an operator has paused are still paused. */
    @Test
    void aPauseLastsOverRestartsAndARestDoesNot() throws Exception {
        try (KvNode node = KvNode.open(KvNodeConfig.standalone(data))) {
            BalanceControl balancers = open(node);
            balancers.pause("split").get(20, TimeUnit.SECONDS);
            balancers.pause("merge").get(20, TimeUnit.SECONDS);
            balancers.rest("drain").get(20, TimeUnit.SECONDS);
            balancers.resume("merge").get(20, TimeUnit.SECONDS);
            assertThat(paused(balancers)).containsExactly("drain", "split");
        }
        List<List<String>> told = new CopyOnWriteArrayList<>();
        try (KvNode node = KvNode.open(KvNodeConfig.standalone(data))) {
            node.onPauses(told::add);
            BalanceControl balancers = open(node);
            assertThat(paused(balancers)).containsExactly("split");
            assertThat(told).containsOnly(List.of("test split"));
            balancers.resume("split").get(20, TimeUnit.SECONDS);
            assertThat(paused(balancers)).isEmpty();
            assertThat(told.get(told.size() - 1)).isEmpty();
        }
        try (KvNode node = KvNode.open(KvNodeConfig.standalone(data))) {
            assertThat(paused(open(node))).isEmpty();
        }
    }

    @Test
    void theEndOfARestLeavesThePauseOfAnOperator() throws Exception {
        try (KvNode node = KvNode.open(KvNodeConfig.standalone(data))) {
            BalanceControl balancers = open(node);
            balancers.rest("split").get(20, TimeUnit.SECONDS);
            balancers.rest("merge").get(20, TimeUnit.SECONDS);
            balancers.pause("split").get(20, TimeUnit.SECONDS);
            balancers.unrest("split").get(20, TimeUnit.SECONDS);
            balancers.unrest("merge").get(20, TimeUnit.SECONDS);
            assertThat(paused(balancers)).containsExactly("split");
            assertThat(node.operations().store("test").orElseThrow().pausedBalancers())
                    .containsExactly("split");

            balancers.rest("split").get(20, TimeUnit.SECONDS);
            balancers.resume("split").get(20, TimeUnit.SECONDS);
            assertThat(paused(balancers))
                    .as("the pause of a killed program has ended")
                    .isEmpty();
        }
    }

    /** I/O threads run their tasks in any order. */
    @Test
    void whatIsAskedForLastIsNotedLast() {
        Deque<Runnable> io = new ArrayDeque<>();
        List<String> kept = new ArrayList<>();
        NotedPauses pauses = new NotedPauses(
                "test",
                new AtOnce(),
                null,
                record -> kept.add(new String(record, StandardCharsets.UTF_8)),
                () -> {},
                io::push);
        CompletableFuture<Void> paused = pauses.pause("split");
        CompletableFuture<Void> resumed = pauses.resume("split");
        while (!io.isEmpty()) {
            io.pop().run(); // the last one first
        }
        assertThat(paused).isCompleted();
        assertThat(resumed).isCompleted();
        assertThat(pauses.paused()).isEmpty();
        assertThat(kept).containsExactly("split", "");
    }

    /** A loop that carries out requests at once. */
    private static final class AtOnce implements BalanceControl {
        private static CompletableFuture<Void> done() {
            return CompletableFuture.completedFuture(null);
        }

        @Override
        public CompletableFuture<List<BalancerStatus>> list() {
            return CompletableFuture.completedFuture(List.of());
        }

        @Override
        public CompletableFuture<Void> pause(String balancer) {
            return done();
        }

        @Override
        public CompletableFuture<Void> rest(String balancer) {
            return done();
        }

        @Override
        public CompletableFuture<Void> unrest(String balancer) {
            return done();
        }

        @Override
        public CompletableFuture<Void> resume(String balancer) {
            return done();
        }

        @Override
        public CompletableFuture<Void> tune(String balancer, Map<String, String> settings) {
            return done();
        }
    }

    private static BalanceControl open(KvNode node) throws IOException {
        StoreBalance balance =
                new StoreBalance(new ReplicaGoal(1, false), BalancePlan.shipped(Map.of()), BalanceLoopConfig.DEFAULT);
        node.open(new StoreSpec("test", AppendCoprocessor::new, List.of()).balancedBy(balance));
        return node.operations().store("test").orElseThrow().balance();
    }

    private static List<String> paused(BalanceControl balancers) throws Exception {
        List<String> names = new ArrayList<>();
        for (BalancerStatus each : balancers.list().get(20, TimeUnit.SECONDS)) {
            if (each.isPaused()) {
                names.add(each.name());
            }
        }
        names.sort(null);
        return names;
    }
}
