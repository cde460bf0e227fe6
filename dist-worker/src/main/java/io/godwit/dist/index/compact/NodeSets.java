package io.godwit.dist.index.compact;

import io.godwit.cluster.link.Peer;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Shares one object for each distinct set of nodes among the filters of all tenants. Thread-safe, because links of
 * several peers change filters of several tenants at once.
 */
public final class NodeSets {
    /** Beyond it a filter has its own set: with many nodes there could be as many sets as filters. */
    private static final int MAX_SHARED = 4_096;

    private final ConcurrentHashMap<NodeSet, NodeSet> shared = new ConcurrentHashMap<>();

    public NodeSet with(NodeSet set, Peer peer) {
        return shared(set.with(peer));
    }

    public NodeSet without(NodeSet set, Peer peer) {
        return shared(set.without(peer));
    }

    /** No filter has the peer any more. */
    public void forget(Peer peer) {
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
