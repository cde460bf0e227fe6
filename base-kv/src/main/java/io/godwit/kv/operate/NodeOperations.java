package io.godwit.kv.operate;

import io.godwit.plugin.balance.Liveness;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;

/**
 * What an operator may ask of a node: of the cluster, and by {@link #store} of one store. Any thread; nothing blocks.
 * Futures complete on any thread, and never fail: results say what went wrong.
 */
public interface NodeOperations {
    /** Id of the cluster that this node's data belongs to. */
    String clusterId();

    /** Store id of this node. */
    String self();

    /**
     * The nodes that are members or have a replica, by store id; those that are gone included. A node without a cluster
     * has itself.
     */
    List<NodeInfo> nodes();

    /** Names of the open stores. */
    List<String> stores();

    Optional<StoreOperations> store(String name);

    /**
     * Marks a node as to go, so that the balancers move leaders and replicas off it, or no more so. Lasts over restarts
     * of that node, which must be running. Where ranges would keep fewer voters than they have, since too few nodes are
     * left, or this node cannot tell what the other has, it is refused, unless that is allowed.
     */
    CompletableFuture<OperationResult> drain(String storeId, boolean isToGo, boolean mayReduce);

    /** What is left on a node; it may be stopped for good when nothing is. */
    DrainStatus drainStatus(String storeId);

    /**
     * Gives up a node that is not running and will not come back with its data: at once, rather than after the grace
     * period, its replicas are replaced, and it counts no more. Lasts for ever; all nodes note it. When it comes back
     * with its data after all, it is told so and stops. Refused while a range needs its vote, or may have its only copy
     * there, and for a node that is not known.
     *
     * @return completes when the members have noted it, or some have not answered in time. Blocks while it is written
     *     on this node
     */
    CompletableFuture<OperationResult> forget(String storeId);

    /**
     * Gives ranges that have lost the majority of their voters for ever to the voters that survive. What only lost
     * voters had is lost: to be asked for when nothing else is left. Of each range of {@code store} that has a voter in
     * {@code lostStores} and no majority outside, the survivors are told to go on by themselves; ranges with a majority
     * are left alone.
     *
     * @param lostStores store ids of nodes that will never come back with their data; none of them may be a member now
     * @param isDryRun only tells what would be done
     */
    CompletableFuture<RecoveryResult> recover(String store, Set<String> lostStores, boolean isDryRun);

    /**
     * A node.
     *
     * @param incarnation 0 when it has not been seen since this node started
     * @param rpc host and port; empty when it has not been seen
     * @param version of its software; empty when not known
     * @param zone empty when none is configured
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
     * @param leaders ranges that it leads
     * @param replicas ranges that it has a replica of
     * @param unclear where nothing seems to be left, why the node that is asked cannot tell; empty when it can
     */
    record DrainStatus(boolean isDraining, int leaders, int replicas, String unclear) {
        public boolean isSafeToStop() {
            return isDraining && replicas == 0 && unclear.isEmpty();
        }
    }

    /**
     * What a recovery did, or would do.
     *
     * @param steps a line for each range concerned, for the operator
     * @param errors why it was refused, or what failed; a line each
     */
    record RecoveryResult(List<String> steps, List<String> errors) {
        public RecoveryResult {
            steps = List.copyOf(steps);
            errors = List.copyOf(errors);
        }
    }
}
