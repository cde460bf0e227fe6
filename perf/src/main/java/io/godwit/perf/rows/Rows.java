package io.godwit.perf.rows;

import io.godwit.perf.rows.Row.Comparison;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;

/** All rows, with the figures to reach. */
public final class Rows {
    private static final double NONE = Double.NaN;
    /**
     * Ratio up to which a figure counts as unchanged: two runs of one load on a busy machine differ by about as much.
     */
    private static final double FLAT = 1.1;

    private Rows() {}

    /**
     * @param many the cluster that is compared with one node; it has several nodes
     * @param sizes the clusters whose CPU per message is compared, each with at least one node; the base is the first
     * with at least three nodes, or else the last
     * @param only ids; empty for all except those whose loads run on a cluster of their own
     * @return in the order of the table
     * @throws IllegalArgumentException if an id is unknown; its message is for the user
     */
    static List<Row> of(Setup many, List<Setup> sizes, Set<String> only) {
        List<Row> all = new ArrayList<>(List.of(
                ratio("cpu-qos0", "QoS 0 from node 1 to node 2", Load.QOS0, Value.CPU, many, 1.6, 1.3),
                ratio("max-qos0", "the same, highest rate", Load.QOS0_MAX, Value.RATE, many, 0.4, 0.6),
                ratio("cpu-qos1", "QoS 1, clean, from node 1 to node 2", Load.QOS1, Value.CPU, many, 1.7, 1.4),
                alone("p99-qos1", "the same, latency", Load.QOS1, Value.P99, many, 5, NONE),
                new Row(
                        "max-persistent",
                        "QoS 1, persistent, across nodes, highest rate",
                        Load.PERSISTENT_MAX,
                        Value.RATE,
                        many,
                        Setup.ONE_WITHOUT_EARLY_PUSH,
                        Comparison.RATIO,
                        0.25,
                        0.4),
                alone(
                        "p99-persistent",
                        "the same at a fixed rate, latency",
                        Load.PERSISTENT,
                        Value.P99,
                        many,
                        20,
                        NONE)));
        all.addAll(ofSizes(sizes));
        all.addAll(List.of(
                alone("suback-live", "SUBSCRIBE to SUBACK, clean", Load.SUBSCRIBE_LIVE, Value.SUBACK_P99, many, 5, 2),
                alone(
                        "suback-persistent",
                        "SUBSCRIBE to SUBACK, persistent",
                        Load.SUBSCRIBE_PERSISTENT,
                        Value.SUBACK_P99,
                        many,
                        15,
                        8),
                ratio("connect", "CONNECT, clean, as fast as answered", Load.CONNECT, Value.CONNECTS, many, 0.6, NONE),
                new Row(
                        "idle",
                        "a node that nobody uses",
                        Load.IDLE,
                        Value.CORES,
                        many,
                        Setup.ONE,
                        Comparison.DIFFERENCE,
                        0.01,
                        NONE),
                alone("reconnect", "a node with 15,000 clients dies", Load.RECONNECT, Value.ALL_SERVED, many, 5, 3),
                alone(
                        "large-beside-small",
                        "QoS 1 beside 20 MiB messages on the same link, latency",
                        Load.SMALL_BESIDE_LARGE,
                        Value.P99,
                        many,
                        20,
                        NONE),
                alone("resync", "a node learns a million filters", Load.RESYNC, Value.SERVING, many, 5, NONE),
                alone("resync", "the same, latency between others", Load.RESYNC, Value.P99, many, 50, NONE)));
        requireKnown(only, all);
        return all.stream()
                .filter(row -> only.isEmpty() ? !row.load().isApart() : only.contains(row.id()))
                .toList();
    }

    private static void requireKnown(Set<String> only, List<Row> all) {
        Set<String> known = all.stream().map(Row::id).collect(Collectors.toCollection(LinkedHashSet::new));
        for (String id : only) {
            if (!known.contains(id)) {
                throw new IllegalArgumentException(
                        "--only: no row is '" + id + "'; there are " + String.join(", ", known));
            }
        }
    }

    private static Row ratio(
            String id, String title, Load load, Value value, Setup many, double target, double stretch) {
        return new Row(id, title, load, value, many, Setup.ONE, Comparison.RATIO, target, stretch);
    }

    private static Row alone(
            String id, String title, Load load, Value value, Setup many, double target, double stretch) {
        return new Row(id, title, load, value, many, null, Comparison.ALONE, target, stretch);
    }

    private static List<Row> ofSizes(List<Setup> sizes) {
        List<Row> rows = new ArrayList<>();
        if (sizes.isEmpty()) {
            return rows;
        }
        Setup base =
                sizes.stream().filter(setup -> setup.nodes() >= 3).findFirst().orElse(sizes.get(sizes.size() - 1));
        for (Setup setup : sizes) {
            if (!setup.equals(base)) {
                rows.add(new Row(
                        "nodes",
                        "pairs on random nodes, " + setup.describe() + " beside " + base.describe(),
                        Load.PAIRS,
                        Value.CPU,
                        setup,
                        base,
                        Comparison.RATIO,
                        setup.nodes() > base.nodes() ? FLAT : NONE,
                        NONE));
            }
        }
        return rows;
    }
}
