package io.godwit.api.port.figure;

import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * The last hour of one node.
 *
 * @param id store id
 * @param name for people, such as the RPC address
 * @param boundsMillis upper bounds of the latency buckets, ascending; empty when latencies are not measured
 * @param samples by time, one for each {@link HistorySource#STEP}, without gaps since the node started
 */
public record NodeHistory(String id, String name, List<Double> boundsMillis, List<Sample> samples) {
    public NodeHistory {
        boundsMillis = List.copyOf(boundsMillis);
        samples = List.copyOf(samples);
    }

    /**
     * Values of one step.
     *
     * @param atMillis its end, a multiple of {@link HistorySource#STEP} since 1970
     * @param connections of clients at the end of the step
     * @param inPerSecond PUBLISH packets that clients sent
     * @param outPerSecond PUBLISH packets sent to clients
     * @param droppedPerSecond messages, by reason; reasons without any are left out
     * @param latencies count of each bucket, with those beyond all bounds last; empty for none
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
