package io.godwit.kv;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.kv.balance.BalanceControl;
import io.godwit.kv.balance.BalanceLoopConfig;
import io.godwit.kv.balance.BalancePlan;
import io.godwit.kv.balance.BalancerStatus;
import io.godwit.kv.testing.AppendCoprocessor;
import io.godwit.plugin.balance.ReplicaGoal;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class NotedPausesTest {
    @TempDir
    private Path data;

    /** An operator who has stopped the splitting of ranges finds it stopped after a restart. */
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
