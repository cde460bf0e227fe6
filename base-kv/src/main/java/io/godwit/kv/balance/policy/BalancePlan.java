package io.godwit.kv.balance.policy;

import io.godwit.plugin.balance.RangeBalancer;
import io.godwit.plugin.balance.RangeBalancerFactory;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

/** The balancers of a key space in the order in which they are asked, each with its settings. */
public record BalancePlan(List<Step> steps) {

    public BalancePlan {
        steps = List.copyOf(steps);
        Set<String> names = new HashSet<>();
        for (Step step : steps) {
            if (!names.add(step.name())) {
                throw new IllegalArgumentException("balancer " + step.name() + " is named twice");
            }
        }
    }

    /**
     * One balancer of a plan.
     *
     * @param settings only the values that differ from the factory's defaults
     */
    public record Step(RangeBalancerFactory factory, Map<String, String> settings) {
        public Step {
            settings = Map.copyOf(settings);
        }

        public String name() {
            return factory.name();
        }

        /** All settings, including those left at their defaults. */
        public Map<String, String> effective() {
            Map<String, String> all = new HashMap<>(factory.defaults());
            all.putAll(settings);
            return Map.copyOf(all);
        }

        /** A copy with some settings changed. */
        public Step with(Map<String, String> changes) {
            Map<String, String> all = new HashMap<>(settings);
            all.putAll(changes);
            return new Step(factory, all);
        }

        /** @throws IllegalArgumentException if a setting is unknown or its value is not valid; names the setting */
        public RangeBalancer create() {
            Map<String, String> known = factory.defaults();
            for (String key : new TreeSet<>(settings.keySet())) {
                if (!known.containsKey(key)) {
                    throw new IllegalArgumentException("balancer " + name() + " has no setting \"" + key + "\", only "
                            + new TreeSet<>(known.keySet()));
                }
            }
            try {
                return factory.create(effective());
            } catch (IllegalArgumentException e) {
                throw new IllegalArgumentException("balancer " + name() + ": " + e.getMessage(), e);
            }
        }
    }

    /**
     * The longest grace period of the balancers: how long they wait for a store that is down before they replace its
     * replicas.
     */
    public Duration grace() {
        return steps.stream()
                .map(step -> step.effective().getOrDefault(PlacementRules.GRACE, ""))
                .filter(seconds -> seconds.matches("[0-9]{1,9}"))
                .map(seconds -> Duration.ofSeconds(Long.parseLong(seconds)))
                .max(Duration::compareTo)
                .orElseGet(PlacementRules::defaultGrace);
    }

    /**
     * The shipped balancers. A setting that several of them know (the limits of a range, the grace period) is given to
     * each of these.
     *
     * @param settings only the values that differ from the defaults
     * @throws IllegalArgumentException if no shipped balancer knows one of the settings
     */
    public static BalancePlan shipped(Map<String, String> settings) {
        Set<String> unknown = new TreeSet<>(settings.keySet());
        List<Step> steps = new ArrayList<>();
        for (RangeBalancerFactory factory : ShippedBalancers.ALL) {
            Map<String, String> own = new HashMap<>(settings);
            own.keySet().retainAll(factory.defaults().keySet());
            unknown.removeAll(own.keySet());
            steps.add(new Step(factory, own));
        }
        if (!unknown.isEmpty()) {
            throw new IllegalArgumentException("no shipped balancer has a setting of " + unknown);
        }
        return new BalancePlan(steps);
    }
}
