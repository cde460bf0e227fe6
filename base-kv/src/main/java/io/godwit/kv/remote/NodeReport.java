package io.godwit.kv.remote;

import java.util.List;
import java.util.Map;

/**
 * What a node tells the others of itself and its replicas, every second or so and whenever something has changed.
 *
 * @param incarnation of the process
 * @param revision rises with every report of the process
 * @param replicas by the name of the store
 */
public record NodeReport(
        String storeId, long incarnation, long revision, NodeStatus status, Map<String, List<ReplicaReport>> replicas) {
    public NodeReport {
        replicas = Map.copyOf(replicas);
    }

    /**
     * How a node is.
     *
     * @param isDraining whether it is to go
     * @param cpuLoad 0 to 1, over all cores
     */
    public record NodeStatus(boolean isDraining, int cores, double cpuLoad, long diskTotalBytes, long diskFreeBytes) {}

    boolean isNewerThan(NodeReport other) {
        return incarnation != other.incarnation ? incarnation > other.incarnation : revision > other.revision;
    }
}
