package io.godwit.api.port;

import java.util.List;
import java.util.Optional;

/**
 * The nodes of the cluster and what they store, as this node knows it. Called on any thread. No call waits for another
 * node, the disk or a lock that is held while somebody waits, so that it answers also while the node hangs otherwise.
 * All but {@link #health} throw {@link NotServingException} while the node has no stores yet or no more.
 */
public interface ClusterAdmin {
    /** Those that are members or have a replica, by id. A node without a cluster has itself. */
    List<NodeView> nodes();

    /** This node, now: never a state that was noted earlier and may be out of date. */
    HealthView health();

    /** The open stores, by name. */
    List<StoreView> stores();

    /** The ranges of a store by their first key; empty when there is no such store. */
    Optional<List<RangeView>> ranges(String store);
}
