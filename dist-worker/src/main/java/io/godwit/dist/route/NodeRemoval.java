package io.godwit.dist.route;

import io.godwit.cluster.link.Peer;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;

/**
 * Takes a peer, of which nothing is added any more, out of all filters: some at a time, since a million take seconds.
 * Confined to one thread at a time.
 */
public final class NodeRemoval {
    private record Part(TenantIndex tenant, List<String> filters) {}

    private final Peer peer;
    private final NodeSets sets;
    private final Deque<Part> parts = new ArrayDeque<>();

    /** How far the first part is done. */
    private int position;

    NodeRemoval(Peer peer, NodeSets sets) {
        this.peer = peer;
        this.sets = sets;
    }

    void add(TenantIndex tenant, List<String> filters) {
        parts.addLast(new Part(tenant, filters));
    }

    /** The next {@code count} at most; whether none is left. */
    public boolean removeNext(int count) {
        int left = count;
        for (Part part = parts.peekFirst(); part != null && left > 0; part = parts.peekFirst()) {
            int end = Math.min(part.filters.size(), position + left);
            left -= end - position;
            for (; position < end; position++) {
                part.tenant.removeNode(part.filters.get(position), peer);
            }
            if (end == part.filters.size()) {
                parts.removeFirst();
                position = 0;
            }
        }
        if (parts.isEmpty()) {
            sets.forget(peer);
        }
        return parts.isEmpty();
    }
}
