package io.godwit.kv.remote;

import io.godwit.kv.facts.ClusterFacts;
import java.util.List;
import java.util.Map;

/**
 * What a node tells the others of itself and its replicas, every second or so and whenever something has changed.
 *
 * @param incarnation of the process
 * @param revision rises with every report of the process
 * @param replicas by the name of the store
 * @param facts of the cluster, as the node has noted them
 */
public record NodeReport(
        String storeId,
        long incarnation,
        long revision,
        NodeStatus status,
        Map<String, List<ReplicaReport>> replicas,
        ClusterFacts facts) {
    public NodeReport {
        replicas = Map.copyOf(replicas);
    }

    /** Of a node that has noted nothing of its cluster. */
    public NodeReport(
            String storeId,
            long incarnation,
            long revision,
            NodeStatus status,
            Map<String, List<ReplicaReport>> replicas) {
        this(storeId, incarnation, revision, status, replicas, ClusterFacts.NONE);
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
