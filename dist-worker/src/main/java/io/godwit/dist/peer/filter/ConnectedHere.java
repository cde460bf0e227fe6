package io.godwit.dist.peer.filter;

import io.godwit.dist.index.share.GroupMember;
import java.time.Duration;
import java.util.Comparator;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.NavigableSet;
import java.util.TreeSet;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The stored members of shared groups whose clients are connected to this node, as the other nodes are told of them.
 * Guarded by the lock of {@link LiveFilters}.
 *
 * <p>A change is told 100 ms after it happened, and not at all when it is undone by then: so a client costs the other
 * nodes at most ten changes a second of each of its groups, however fast it comes and goes.
 *
 * <p>The heap that the members take on each peer is bounded. Members beyond the limit are not told; the others count
 * them as not connected, which makes their choice worse but breaks no promise. They are told when there is room again,
 * small ones first: long filters of few clients must not displace many short ones.
 */
final class ConnectedHere {
    static final Duration DELAY = Duration.ofMillis(100);

    private static final class Change {
        private final long dueNanos;
        private boolean isConnected;

        Change(long dueNanos, boolean isConnected) {
            this.dueNanos = dueNanos;
            this.isConnected = isConnected;
        }
    }

    private final long maxBytes;
    /** Sorted, so that a peer can be sent all of it page by page while it changes. */
    private final NavigableSet<GroupMember> told = new TreeSet<>();
    /** Connected members for which there was no room. */
    private final NavigableSet<GroupMember> untold =
            new TreeSet<>(Comparator.comparingLong(GroupMember::heapBytes).thenComparing(Comparator.naturalOrder()));

    /** Changes that are not due, oldest first. */
    private final Map<GroupMember, Change> changes = new LinkedHashMap<>();
    /** Size of {@link #told}, as {@link GroupMember#heapBytes} counts it. */
    private long bytes;

    /** @param maxBytes limit on the heap that the members take on each peer */
    ConnectedHere(long maxBytes) {
        this.maxBytes = maxBytes;
    }

    /** The client of the member is connected now, or not any more. */
    void set(GroupMember member, boolean isConnected, long nowNanos) {
        Change change = changes.get(member);
        if (change != null) {
            change.isConnected = isConnected;
        } else if (isConnected != isKnown(member)) {
            changes.put(member, new Change(nowNanos + DELAY.toNanos(), isConnected));
        }
    }

    private boolean isKnown(GroupMember member) {
        return told.contains(member) || untold.contains(member);
    }

    /**
     * Makes the changes that are due.
     *
     * @param most limit on the members to be told of
     * @param changed gets each member to be told of; {@link #isTold} has its new state
     * @return whether the limit was reached, so that others may be due
     */
    boolean advance(long nowNanos, int most, Consumer<GroupMember> changed) {
        int left = most;
        Iterator<Map.Entry<GroupMember, Change>> oldest = changes.entrySet().iterator();
        for (; left > 0 && oldest.hasNext(); left--) {
            Map.Entry<GroupMember, Change> next = oldest.next();
            if (next.getValue().dueNanos - nowNanos > 0) {
                break;
            }
            oldest.remove();
            if (next.getValue().isConnected) {
                connected(next.getKey(), changed);
            } else {
                disconnected(next.getKey(), changed);
            }
        }
        for (; left > 0 && !untold.isEmpty() && hasRoom(untold.first()); left--) {
            add(untold.pollFirst(), changed);
        }
        return left == 0;
    }

    private void connected(GroupMember member, Consumer<GroupMember> changed) {
        if (isKnown(member)) {
            return; // it was gone for less than the delay
        }
        if (hasRoom(member)) {
            add(member, changed);
        } else {
            untold.add(member);
        }
    }

    private boolean hasRoom(GroupMember member) {
        return member.heapBytes() <= maxBytes - bytes;
    }

    private void add(GroupMember member, Consumer<GroupMember> changed) {
        told.add(member);
        bytes += member.heapBytes();
        changed.accept(member);
    }

    private void disconnected(GroupMember member, Consumer<GroupMember> changed) {
        if (told.remove(member)) {
            bytes -= member.heapBytes();
            changed.accept(member);
        } else {
            untold.remove(member);
        }
    }

    /** Whether some changes are not told. */
    boolean hasChanges() {
        return !changes.isEmpty();
    }

    boolean isTold(GroupMember member) {
        return told.contains(member);
    }

    /** A view of the members to be told of behind {@code member}; of all for null. */
    Iterable<GroupMember> after(@Nullable GroupMember member) {
        return member == null ? told : told.tailSet(member, false);
    }

    /** Approximate heap that the members take on each peer. */
    long bytes() {
        return bytes;
    }

    int size() {
        return told.size();
    }

    /** Number of connected members that other nodes are not told of. */
    int untold() {
        return untold.size();
    }
}
