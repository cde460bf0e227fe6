package io.godwit.kv.remote;

import io.godwit.kv.facts.ClusterFacts;
import java.util.List;
import java.util.Map;

/**
 * A node's report about itself and its replicas, sent to the others every two seconds and whenever something has
 * changed.
 *
 * @param incarnation incarnation of the process
 * @param revision rises with every report of the process
 * @param replicas all replicas of the node, by the name of the store
 * @param facts facts of the cluster, as the node has noted them
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

    /** For a node that has noted no facts. */
    public NodeReport(
            String storeId,
            long incarnation,
            long revision,
            NodeStatus status,
            Map<String, List<ReplicaReport>> replicas) {
        this(storeId, incarnation, revision, status, replicas, ClusterFacts.NONE);
    }

    /**
     * The status of a node.
     *
     * @param isDraining whether the node is draining
     * @param cpuLoad 0 to 1, over all cores
     */
    public record NodeStatus(boolean isDraining, int cores, double cpuLoad, long diskTotalBytes, long diskFreeBytes) {}

    boolean isNewerThan(NodeReport other) {
        return incarnation != other.incarnation ? incarnation > other.incarnation : revision > other.revision;
    }
}
