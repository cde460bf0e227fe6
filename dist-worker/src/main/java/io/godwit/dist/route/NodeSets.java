package io.godwit.dist.route;

import io.godwit.cluster.link.Peer;
import java.util.concurrent.ConcurrentHashMap;

/**
 * One object for each set of nodes that filters have. Of all tenants of a node; thread-safe, since links of several
 * peers change filters of several tenants at once.
 */
final class NodeSets {
    /** Beyond it a filter has a set of its own: with many nodes the sets could be as many as the filters. */
    private static final int MAX_SHARED = 4_096;

    private final ConcurrentHashMap<NodeSet, NodeSet> shared = new ConcurrentHashMap<>();

    NodeSet with(NodeSet set, Peer peer) {
        return shared(set.with(peer));
    }

    NodeSet without(NodeSet set, Peer peer) {
        return shared(set.without(peer));
    }

    /** No filter has it any more. */
    void forget(Peer peer) {
        shared.keySet().removeIf(set -> set.contains(peer));
    }

    private NodeSet shared(NodeSet set) {
        if (set.isEmpty()) {
            return NodeSet.NONE;
        }
        NodeSet known = shared.get(set);
        if (known == null && shared.size() < MAX_SHARED) {
            known = shared.putIfAbsent(set, set);
        }
        return known == null ? set : known;
    }
}
