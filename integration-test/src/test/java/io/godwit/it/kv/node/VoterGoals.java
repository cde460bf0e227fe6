package io.godwit.it.kv.node;

import io.godwit.kv.balance.policy.ShippedBalancers;
import io.godwit.plugin.balance.BalanceAction;
import io.godwit.plugin.balance.ClusterView;
import io.godwit.plugin.balance.RangeBalancer;
import io.godwit.plugin.balance.RangeBalancerFactory;
import io.godwit.plugin.balance.RangeView;
import io.godwit.plugin.balance.ReplicaGoal;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Predicate;

/**
 * How many voters the ranges under test get: three; but where there are five nodes, those that begin below the first
 * key that the store is cut at get five. So ranges that can be moved and ranges that are everywhere lie side by side.
 * It is the shipped balancer that sees to it, asked for each kind by itself.
 */
public final class VoterGoals implements RangeBalancerFactory {
    public static final int USUAL = 3;
    private static final int MOST = 5;

    private final RangeBalancerFactory shipped = ShippedBalancers.ALL.stream()
            .filter(factory -> factory.name().equals("replica-count"))
            .findFirst()
            .orElseThrow();
    private final int nodes;
    private final List<String> splitKeys;

    /** @param splitKeys where the store is cut when it is made */
    VoterGoals(int nodes, List<String> splitKeys) {
        this.nodes = nodes;
        this.splitKeys = splitKeys;
    }

    /** Of a range that begins at {@code start}. */
    public static int of(int nodes, List<String> splitKeys, String start) {
        return nodes >= MOST && !splitKeys.isEmpty() && start.compareTo(splitKeys.get(0)) < 0 ? MOST : USUAL;
    }

    @Override
    public String name() {
        return shipped.name();
    }

    @Override
    public Map<String, String> defaults() {
        return shipped.defaults();
    }

    @Override
    public RangeBalancer create(Map<String, String> settings) {
        RangeBalancer one = shipped.create(settings);
        return view -> {
            Optional<BalanceAction> most = one.next(part(view, MOST, range -> goal(range) == MOST));
            return most.isPresent() ? most : one.next(part(view, USUAL, range -> goal(range) == USUAL));
        };
    }

    private int goal(RangeView range) {
        return of(nodes, splitKeys, new String(range.start().bytes(), StandardCharsets.UTF_8));
    }

    private static ClusterView part(ClusterView view, int voters, Predicate<RangeView> which) {
        return new ClusterView(
                view.keySpace(),
                view.self(),
                new ReplicaGoal(voters, view.goal().isOnEveryStore()),
                view.stores(),
                view.ranges().stream().filter(which).toList());
    }
}
