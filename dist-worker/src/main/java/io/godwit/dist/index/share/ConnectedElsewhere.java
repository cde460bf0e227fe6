package io.godwit.dist.index.share;

import io.godwit.cluster.link.Peer;
import io.godwit.dist.index.compact.NodeSet;
import io.godwit.dist.index.compact.NodeSets;
import java.util.Iterator;
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The stored members of one tenant's shared groups whose clients are connected to other nodes, as these report it. A
 * member is kept whether or not the index has its route, because the report may come before the route. Guarded by the
 * lock of the {@code TenantIndex}.
 *
 * <p>A client that moves may be reported by two nodes for a while: the new node may report it before the earlier one
 * has reported its end. So each member has a set of nodes.
 */
public final class ConnectedElsewhere {
    private final NodeSets sets;
    /** Sorted, so that the members of a peer can be removed page by page. No set is empty. */
    private final NavigableMap<GroupMember, NodeSet> nodes = new TreeMap<>();

    public ConnectedElsewhere(NodeSets sets) {
        this.sets = sets;
    }

    /** Whether the client of the member is connected to another node. */
    public boolean has(GroupMember member) {
        return !nodes.isEmpty() && nodes.containsKey(member);
    }

    /** Adds a member that {@code peer} reports. Returns whether that is new. */
    public boolean add(GroupMember member, Peer peer) {
        NodeSet before = nodes.getOrDefault(member, NodeSet.NONE);
        if (before.contains(peer)) {
            return false;
        }
        nodes.put(member, sets.with(before, peer));
        return true;
    }

    /** Removes a member of {@code peer}. Returns whether it was there. */
    public boolean remove(GroupMember member, Peer peer) {
        NodeSet before = nodes.getOrDefault(member, NodeSet.NONE);
        if (!before.contains(peer)) {
            return false;
        }
        NodeSet left = sets.without(before, peer);
        if (left.isEmpty()) {
            nodes.remove(member);
        } else {
            nodes.put(member, left);
        }
        return true;
    }

    /**
     * Removes {@code peer} from the next {@code count} members, whichever nodes have reported these.
     *
     * @param after the last member of the page before; null for the first page
     * @param gone is told of each member that no node reports any more
     * @return the last member of this page; null if it was the last page
     */
    public @Nullable GroupMember removeNext(
            Peer peer, @Nullable GroupMember after, int count, Consumer<GroupMember> gone) {
        Iterator<Map.Entry<GroupMember, NodeSet>> page =
                (after == null ? nodes : nodes.tailMap(after, false)).entrySet().iterator();
        GroupMember last = null;
        for (int i = 0; i < count; i++) {
            if (!page.hasNext()) {
                return null;
            }
            Map.Entry<GroupMember, NodeSet> next = page.next();
            last = next.getKey();
            NodeSet left = sets.without(next.getValue(), peer);
            if (left.isEmpty()) {
                page.remove();
                gone.accept(last);
            } else {
                next.setValue(left);
            }
        }
        return last;
    }

    public boolean isEmpty() {
        return nodes.isEmpty();
    }
}
