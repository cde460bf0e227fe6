package io.godwit.api.port.cluster;

/**
 * A node that is a member of the cluster, or has replicas.
 *
 * @param id store id
 * @param rpcAddress host and port for other nodes; empty when it has not been seen, and for a node without a cluster
 * @param version of its software; empty when not known
 * @param zone empty for none
 * @param cores 0 when not known
 * @param cpuLoad share of all cores that are busy, 0 to 1; negative when not known
 * @param diskTotalBytes of the file system with its data; 0 when not known
 * @param leaders ranges that it leads, over all stores
 * @param replicas ranges that it has a replica of
 * @param forgotten whether an operator has removed it from the cluster for ever
 * @param thisNode whether it is the node that answers
 */
public record NodeView(
        String id,
        String rpcAddress,
        String version,
        String zone,
        Liveness liveness,
        boolean draining,
        int cores,
        double cpuLoad,
        long diskTotalBytes,
        long diskFreeBytes,
        int leaders,
        int replicas,
        boolean forgotten,
        boolean thisNode) {}
