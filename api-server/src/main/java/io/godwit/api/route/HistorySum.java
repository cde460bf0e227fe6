package io.godwit.api.route;

import io.godwit.api.port.HistorySource;
import io.godwit.api.port.NodeHistory;
import io.godwit.api.port.NodeHistory.Sample;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** Adds the histories of nodes, step by step. */
final class HistorySum {
    /** A node that is further behind the newest than this is not waited for. */
    private static final long LATE_MILLIS = HistorySource.STEP.toMillis() * 3;

    private HistorySum() {}

    /**
     * All nodes as one. It ends with the last step that every node has told of: else it would seem that messages stop
     * whenever a node is asked a moment before its next sample. Latencies are of the nodes with the bounds of the
     * first.
     */
    static NodeHistory of(List<NodeHistory> nodes) {
        List<Double> bounds = nodes.stream()
                .map(NodeHistory::boundsMillis)
                .filter(each -> !each.isEmpty())
                .findFirst()
                .orElse(List.of());
        long end = end(nodes);
        Map<Long, Sample> sums = new TreeMap<>();
        for (NodeHistory node : nodes) {
            boolean hasLatencies = node.boundsMillis().equals(bounds);
            for (Sample sample : node.samples()) {
                if (sample.atMillis() <= end) {
                    sums.merge(sample.atMillis(), hasLatencies ? sample : withoutLatencies(sample), HistorySum::plus);
                }
            }
        }
        return new NodeHistory("", "", bounds, List.copyOf(sums.values()));
    }

    private static long end(List<NodeHistory> nodes) {
        List<Long> ends = nodes.stream()
                .filter(node -> !node.samples().isEmpty())
                .map(node -> node.samples().get(node.samples().size() - 1).atMillis())
                .sorted()
                .toList();
        if (ends.isEmpty()) {
            return Long.MIN_VALUE;
        }
        long newest = ends.get(ends.size() - 1);
        return ends.stream()
                .filter(each -> each >= newest - LATE_MILLIS)
                .findFirst()
                .orElse(newest);
    }

    private static Sample withoutLatencies(Sample sample) {
        return new Sample(
                sample.atMillis(),
                sample.connections(),
                sample.inPerSecond(),
                sample.outPerSecond(),
                sample.droppedPerSecond(),
                List.of());
    }

    private static Sample plus(Sample one, Sample other) {
        Map<String, Double> dropped = new TreeMap<>(one.droppedPerSecond());
        other.droppedPerSecond().forEach((reason, rate) -> dropped.merge(reason, rate, Double::sum));
        return new Sample(
                one.atMillis(),
                one.connections() + other.connections(),
                one.inPerSecond() + other.inPerSecond(),
                one.outPerSecond() + other.outPerSecond(),
                dropped,
                plus(one.latencies(), other.latencies()));
    }

    private static List<Long> plus(List<Long> one, List<Long> other) {
        if (one.isEmpty() || other.isEmpty()) {
            return one.isEmpty() ? other : one;
        }
        List<Long> sums = new ArrayList<>();
        for (int i = 0; i < Math.min(one.size(), other.size()); i++) {
            sums.add(one.get(i) + other.get(i));
        }
        return sums;
    }

    /**
     * What {@code share} of the latencies do not exceed, in milliseconds, as if they lay evenly in their bucket. Those
     * beyond all bounds count as the last bound.
     *
     * @param counts by bucket, and those beyond; 0 when there are none
     */
    static double quantile(List<Double> bounds, List<Long> counts, double share) {
        long all = counts.stream().mapToLong(Long::longValue).sum();
        double wanted = all * share;
        double below = 0;
        for (int i = 0; i < Math.min(bounds.size(), counts.size()); i++) {
            long here = counts.get(i);
            if (here > 0 && below + here >= wanted) {
                double from = i == 0 ? 0 : bounds.get(i - 1);
                return from + (bounds.get(i) - from) * (wanted - below) / here;
            }
            below += here;
        }
        return all == 0 || bounds.isEmpty() ? 0 : bounds.get(bounds.size() - 1);
    }
}
