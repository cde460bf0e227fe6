package io.godwit.kv.balance.policy;

import io.godwit.plugin.balance.RangeBalancer;
import io.godwit.plugin.balance.RangeBalancerFactory;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;

/** The balancers that come with the broker. */
public final class ShippedBalancers {
    /** In the default order in which they are asked: safety of the data before speed. */
    public static final List<RangeBalancerFactory> ALL = List.of(
            factory("replica-count", Map.of(), settings -> new ReplicaCount(PlacementRules.of(settings))),
            factory("drain", Map.of(), settings -> new Drain(PlacementRules.of(settings))),
            factory("split", LoadSplit.DEFAULTS, LoadSplit::of),
            factory("merge", ColdMerge.DEFAULTS, ColdMerge::of),
            factory("leader-spread", LeaderSpread.DEFAULTS, LeaderSpread::of),
            factory("range-spread", RangeSpread.DEFAULTS, RangeSpread::of));

    private ShippedBalancers() {}

    private static RangeBalancerFactory factory(
            String name, Map<String, String> own, Function<PolicySettings, RangeBalancer> creator) {
        Map<String, String> defaults = new HashMap<>(PlacementRules.DEFAULTS);
        defaults.putAll(own);
        return new Shipped(name, Map.copyOf(defaults), creator);
    }

    private record Shipped(String name, Map<String, String> defaults, Function<PolicySettings, RangeBalancer> creator)
            implements RangeBalancerFactory {
        @Override
        public RangeBalancer create(Map<String, String> settings) {
            return creator.apply(new PolicySettings(settings));
        }
    }
}
