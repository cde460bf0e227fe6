package io.godwit.dist.index;

import io.godwit.dist.client.LiveReceiver;
import io.godwit.dist.client.Match;
import io.godwit.dist.index.compact.CompactTable;
import io.godwit.dist.index.compact.NodeSet;
import io.godwit.dist.index.share.SharedGroup;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * All subscribers of one filter: plain subscriptions and shared groups. Written under the lock of its
 * {@link TenantIndex}, read by every event loop without one.
 *
 * <p>A publish reads the {@link Snapshot}, made by the first publish that needs it after a change. So each of many
 * changes costs the same, however many subscribers there are; and making a snapshot costs no more than the delivery it
 * is made for. A snapshot holds a group, not its members: joining or leaving a group that stays is no change.
 */
final class Subscribers {
    /**
     * What publishes read.
     *
     * @param change the value of {@link Subscribers#changes} when it was begun; outdated when that has changed
     * @param open subscriptions without no-local, and the groups
     * @param noLocal subscriptions with no-local, to be compared with the publisher
     * @param exclusive exclusive ones, whose sessions may also be among the others
     */
    record Snapshot(int change, Matches open, List<Match> noLocal, List<Subscriber> exclusive) {}

    /** A {@link CompactTable} of {@link Subscriber}. */
    private volatile @Nullable Object plain;
    /** A {@link CompactTable} of {@link SharedGroup}. */
    private volatile @Nullable Object groups;
    /** The other nodes with live subscribers; null for none, to save memory. */
    private volatile @Nullable NodeSet nodes;
    /** Raised after each change that matters to a snapshot. */
    private volatile int changes;

    private volatile @Nullable Snapshot snapshot;

    Snapshot snapshot() {
        Snapshot known = snapshot;
        // read the counter before the members: a change that the copy misses makes the snapshot outdated, even if two
        // readers store theirs in the wrong order
        int change = changes;
        if (known != null && known.change() == change) {
            return known;
        }
        NodeSet others = nodes();
        if (plain == null && groups == null) {
            return new Snapshot(change, new Matches(List.of(), List.of(), List.of(), others), List.of(), List.of());
        }
        List<Match> live = new ArrayList<>();
        List<Match> inbox = new ArrayList<>();
        List<Match> noLocal = new ArrayList<>();
        List<Subscriber> exclusive = new ArrayList<>(0);
        CompactTable.<Subscriber>forEach(plain, subscriber -> {
            if (subscriber.isExclusive()) {
                exclusive.add(subscriber);
            } else if (subscriber.noLocal()) {
                noLocal.add(subscriber.match());
            } else if (subscriber.match().receiver() instanceof LiveReceiver) {
                live.add(subscriber.match());
            } else {
                inbox.add(subscriber.match());
            }
        });
        List<SharedGroup> shared = new ArrayList<>();
        CompactTable.<SharedGroup>forEach(groups, shared::add);
        Snapshot made = new Snapshot(
                change,
                new Matches(List.copyOf(live), List.copyOf(inbox), List.copyOf(shared), others),
                List.copyOf(noLocal),
                List.copyOf(exclusive));
        // nearly all of a million filters have one subscriber: making such a snapshot again is cheaper than keeping it
        if (CompactTable.size(plain) > 1 || !shared.isEmpty()) {
            snapshot = made;
        }
        return made;
    }

    @Nullable
    Subscriber get(Object key) {
        return CompactTable.<Object, Subscriber>get(plain, key);
    }

    @Nullable
    SharedGroup group(String name) {
        return CompactTable.<String, SharedGroup>get(groups, name);
    }

    void put(Subscriber subscriber) {
        plain = CompactTable.put(plain, subscriber);
        changed();
    }

    void remove(Object key) {
        plain = CompactTable.remove(plain, key);
        changed();
    }

    void putGroup(SharedGroup group) {
        groups = CompactTable.put(groups, group);
        changed();
    }

    void removeGroup(String name) {
        groups = CompactTable.remove(groups, name);
        changed();
    }

    boolean isEmpty() {
        return plain == null && groups == null && nodes == null;
    }

    NodeSet nodes() {
        NodeSet known = nodes;
        return known == null ? NodeSet.NONE : known;
    }

    void setNodes(NodeSet changed) {
        nodes = changed.isEmpty() ? null : changed;
        changed();
    }

    void forEachPlain(Consumer<Subscriber> action) {
        CompactTable.forEach(plain, action);
    }

    void forEachGroup(Consumer<SharedGroup> action) {
        CompactTable.forEach(groups, action);
    }

    @SuppressWarnings("NonAtomicVolatileUpdate") // one writer at a time
    private void changed() {
        changes++;
        snapshot = null;
    }
}
