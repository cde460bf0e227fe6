package io.godwit.kv.operate;

import io.godwit.plugin.balance.Liveness;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;

/**
 * What an operator may ask of a node: about the cluster and, by {@link #store}, about one store. Any thread; unless
 * stated otherwise, methods do not block. Futures complete on any thread and never fail: results say what went wrong.
 */
public interface NodeOperations {
    /** The id of the cluster that this node's data belongs to. */
    String clusterId();

    /** The store id of this node. */
    String self();

    /**
     * All nodes that are members or have a replica, including those that are gone, by store id. Outside a cluster it is
     * this node alone.
     */
    List<NodeInfo> nodes();

    /** Names of the open stores. */
    List<String> stores();

    Optional<StoreOperations> store(String name);

    /**
     * Marks a node as draining, so that the balancers move leaders and replicas off it, or ends that. The node must be
     * running; the mark survives its restarts. Unless {@code mayReduce}, it is refused if too few nodes are left for
     * ranges to keep their number of voters, or if this node cannot tell what the other has.
     */
    CompletableFuture<OperationResult> drain(String storeId, boolean isToGo, boolean mayReduce);

    /** What is left on a node. If nothing is, it may be stopped for good. */
    DrainStatus drainStatus(String storeId);

    /**
     * Gives up a node that is not running and will not come back with its data. Its replicas are replaced at once
     * instead of after the grace period, and it no longer counts. This is permanent, and all nodes store it; if the
     * node comes back with its data anyway, it is told so and stops. Refused while a range needs its vote or may have
     * its only copy there, and for an unknown node.
     *
     * @return completes when the members have stored it, or when some have not answered in time. The call blocks while
     *     this node writes it
     */
    CompletableFuture<OperationResult> forget(String storeId);

    /**
     * Lets the surviving voters go on alone in ranges that have lost the majority of their voters for ever. What only
     * lost voters had is lost, so this is the last resort. It concerns each range of {@code store} that has a voter in
     * {@code lostStores} and no majority outside; ranges with a majority are not touched.
     *
     * @param lostStores store ids of nodes that will never come back with their data; none may be a member now
     * @param isDryRun only reports what would be done
     */
    CompletableFuture<RecoveryResult> recover(String store, Set<String> lostStores, boolean isDryRun);

    /**
     * A node, as operators see it.
     *
     * @param incarnation 0 if it was not seen since this node started
     * @param rpc host and port; empty if it was not seen
     * @param version software version; empty if not known
     * @param zone empty if none is configured
     * @param isForgotten whether it was given up; it is listed as long as it has replicas
     */
    record NodeInfo(
            String storeId,
            long incarnation,
            String rpc,
            String version,
            String zone,
            Liveness liveness,
            boolean isDraining,
            int cores,
            double cpuLoad,
            long diskTotalBytes,
            long diskFreeBytes,
            boolean isForgotten) {}

    /**
     * What a node still has.
     *
     * @param leaders number of ranges that it leads
     * @param replicas number of ranges that it has a replica of; learners that every node has do not count
     * @param unclear if nothing seems to be left: why the asked node cannot be sure; empty if it is
     */
    record DrainStatus(boolean isDraining, int leaders, int replicas, String unclear) {
        public boolean isSafeToStop() {
            return isDraining && replicas == 0 && unclear.isEmpty();
        }
    }

    /**
     * What a recovery has done or would do.
     *
     * @param steps one line for each range concerned, for the operator
     * @param errors why it was refused or what failed, one line each
     */
    record RecoveryResult(List<String> steps, List<String> errors) {
        public RecoveryResult {
            steps = List.copyOf(steps);
            errors = List.copyOf(errors);
        }
    }
}
