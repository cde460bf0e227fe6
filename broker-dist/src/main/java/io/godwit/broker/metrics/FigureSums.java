package io.godwit.broker.metrics;

import io.godwit.api.port.figure.NodeFigures;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/** Adds up the figures of nodes, if their meaning permits. */
final class FigureSums {
    /** Every node counts these for the whole cluster, so the largest value is the sum. */
    private static final List<String> IN_COMMON =
            List.of("topics", "routes", "subscriptions_stored", "subscriptions_shared_stored");

    /** These include a part that every node counts for the whole cluster; only the rest is added up. */
    private static final Map<String, String> WITH_COMMON = Map.of(
            "subscriptions", "subscriptions_stored",
            "subscriptions_shared", "subscriptions_shared_stored");

    private static final String RETAINED = "retained";

    private FigureSums() {}

    /** @param replicas how many nodes store each retained message, and count it */
    static Map<String, Number> of(List<NodeFigures> nodes, int replicas) {
        Set<String> names = new LinkedHashSet<>();
        nodes.forEach(node -> names.addAll(node.figures().keySet()));
        Map<String, Number> sums = new TreeMap<>();
        for (String name : names) {
            sums.put(name, of(name, nodes, replicas));
        }
        return sums;
    }

    private static Number of(String name, List<NodeFigures> nodes, int replicas) {
        int dot = name.indexOf('.');
        String base = dot < 0 ? name : name.substring(0, dot);
        String end = dot < 0 ? "" : name.substring(dot);
        String common = WITH_COMMON.get(base);
        if (IN_COMMON.contains(base)) {
            return most(name, nodes);
        } else if (common != null) {
            return whole(sum(name, nodes)
                    - sum(common + end, nodes)
                    + most(common + end, nodes).doubleValue());
        } else if (base.equals(RETAINED)) {
            double ofOne = Math.rint(sum(name, nodes) / Math.max(1, replicas));
            return whole(Math.max(ofOne, most(name, nodes).doubleValue()));
        }
        boolean isWhole = nodes.stream()
                .map(node -> node.figures().get(name))
                .allMatch(value -> value == null || value instanceof Long);
        double sum = sum(name, nodes);
        return isWhole ? whole(sum) : (Number) (Math.round(sum * 100) / 100.0);
    }

    private static Number whole(double value) {
        return (long) value;
    }

    private static double sum(String name, List<NodeFigures> nodes) {
        return nodes.stream()
                .map(node -> node.figures().get(name))
                .filter(value -> value != null)
                .mapToDouble(Number::doubleValue)
                .sum();
    }

    private static Number most(String name, List<NodeFigures> nodes) {
        return whole(nodes.stream()
                .map(node -> node.figures().get(name))
                .filter(value -> value != null)
                .mapToDouble(Number::doubleValue)
                .max()
                .orElse(0));
    }
}
