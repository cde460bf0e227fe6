package io.godwit.api.route.figure;

import io.godwit.api.port.figure.HistorySource;
import io.godwit.api.port.figure.NodeHistory;
import io.godwit.api.port.figure.NodeHistory.Sample;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** Adds up the histories of nodes, step by step. */
final class HistorySum {
    /** A node further behind the newest than this does not hold the sum back. */
    private static final long LATE_MILLIS = HistorySource.STEP.toMillis() * 3;

    private HistorySum() {}

    /**
     * All nodes as one. The sum ends with the last step that every node has reported: else traffic would seem to drop
     * whenever a node is asked just before its next sample. Latencies come only from nodes with the same bounds as the
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
     * A quantile of the latencies in milliseconds, interpolated within its bucket. Latencies beyond all bounds count as
     * the last bound.
     *
     * @param counts of each bucket, with those beyond all bounds last
     * @param share of the latencies that do not exceed the result, 0 to 1
     * @return 0 when there are no latencies
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
