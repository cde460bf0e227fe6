package io.godwit.api.port.cluster;

import io.godwit.api.port.NotServingException;
import java.util.List;
import java.util.Optional;

/**
 * The nodes of the cluster and their stores, as this node knows them. Called on any thread. No call waits for another
 * node, for the disk, or for a lock that may be held during a wait, so it answers even while the rest of the node
 * hangs. All but {@link #health} throw {@link NotServingException} while the node's stores are not open.
 */
public interface ClusterAdmin {
    /** Nodes that are members or have a replica, by id. A node without a cluster lists itself. */
    List<NodeView> nodes();

    /** The health of this node, determined anew by each call. */
    HealthView health();

    /** The open stores, by name. */
    List<StoreView> stores();

    /** The ranges of a store by their first key; empty when there is no such store. */
    Optional<List<RangeView>> ranges(String store);
}
