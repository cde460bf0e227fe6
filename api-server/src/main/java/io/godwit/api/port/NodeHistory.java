package io.godwit.api.port;

import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * The last hour of one node.
 *
 * @param id store id
 * @param name for people, such as the RPC address
 * @param boundsMillis upper bounds of the buckets of latencies, ascending; empty when they are not measured
 * @param samples by time, one for each {@link HistorySource#STEP}, without gaps since the node started
 */
public record NodeHistory(String id, String name, List<Double> boundsMillis, List<Sample> samples) {
    public NodeHistory {
        boundsMillis = List.copyOf(boundsMillis);
        samples = List.copyOf(samples);
    }

    /**
     * What happened in one step.
     *
     * @param atMillis its end, a multiple of {@link HistorySource#STEP} since 1970
     * @param connections of clients, then
     * @param inPerSecond PUBLISH packets that clients sent
     * @param outPerSecond PUBLISH packets sent to clients
     * @param droppedPerSecond messages, by reason; reasons without any are left out
     * @param latencies how many fell into each bucket, and at last those beyond all bounds; empty for none
     */
    public record Sample(
            long atMillis,
            double connections,
            double inPerSecond,
            double outPerSecond,
            Map<String, Double> droppedPerSecond,
            List<Long> latencies) {
        public Sample {
            droppedPerSecond = Collections.unmodifiableMap(new TreeMap<>(droppedPerSecond));
            latencies = List.copyOf(latencies);
        }
    }
}
