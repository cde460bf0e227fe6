package io.godwit.dist.index;

import io.godwit.cluster.link.Peer;
import io.godwit.dist.index.compact.NodeSets;
import io.godwit.dist.index.share.GroupMember;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Removes a peer, for which nothing is added any more, from all stored members whose clients are connected to it, and
 * then from all filters: in portions, because a million take seconds. Confined to one thread at a time.
 */
public final class NodeRemoval {
    private record Part(TenantIndex tenant, List<String> filters) {}

    private final Peer peer;
    private final NodeSets sets;
    /** Tenants whose connected members are not all visited. */
    private final Deque<TenantIndex> unvisited = new ArrayDeque<>();
    /** The last member of the first one that was visited; null for none. */
    private @Nullable GroupMember visitedTo;

    private final Deque<Part> parts = new ArrayDeque<>();

    /** Position in the first part. */
    private int position;

    NodeRemoval(Peer peer, NodeSets sets) {
        this.peer = peer;
        this.sets = sets;
    }

    void add(TenantIndex tenant, List<String> filters) {
        parts.addLast(new Part(tenant, filters));
        if (tenant.hasConnectedElsewhere()) {
            unvisited.addLast(tenant);
        }
    }

    /** Removes the next {@code count} at most; returns whether none is left. */
    public boolean removeNext(int count) {
        TenantIndex first = unvisited.peekFirst();
        if (first != null) {
            visitedTo = first.removeConnectedTo(peer, visitedTo, count);
            if (visitedTo == null) {
                unvisited.removeFirst();
            }
            return false;
        }
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
