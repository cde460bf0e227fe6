package io.godwit.plugin.balance;

import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * What one store knows of a key space and of the stores it lives on, at one time. Durations in it end at that time, so
 * nobody who reads it needs a clock. What other stores told may be some seconds old: two ranges may overlap, or leave a
 * gap, while one of them has just been cut or merged.
 *
 * @param keySpace {@code dist}, {@code inbox} or {@code retain}
 * @param self the store that asks; only what it leads can be acted on
 * @param goal what is wanted of each range
 * @param stores by id; all that take part, those that are gone included, and all that have a replica. One that an
 *     operator has given up is there as long as it has a replica: down for longer than any grace period, and to go
 * @param ranges by their first key
 */
public record ClusterView(
        String keySpace, String self, ReplicaGoal goal, List<StoreView> stores, List<RangeView> ranges) {

    public ClusterView {
        stores = stores.stream().sorted(Comparator.comparing(StoreView::id)).toList();
        ranges = ranges.stream()
                .sorted(Comparator.comparing(RangeView::start).thenComparing(RangeView::id))
                .toList();
        Set<String> storeIds = new HashSet<>();
        for (StoreView store : stores) {
            if (!storeIds.add(store.id())) {
                throw new IllegalArgumentException("store " + store.id() + " is there twice");
            }
        }
        if (!storeIds.contains(self)) {
            throw new IllegalArgumentException("store " + self + ", which asks, is not among " + storeIds);
        }
        Set<Long> rangeIds = new HashSet<>();
        for (RangeView range : ranges) {
            if (!rangeIds.add(range.id())) {
                throw new IllegalArgumentException("range " + range.id() + " is there twice");
            }
            for (Replica replica : range.replicas()) {
                if (!storeIds.contains(replica.store())) {
                    throw new IllegalArgumentException("range " + range.id() + " has a replica on " + replica.store()
                            + ", which is not among " + storeIds);
                }
            }
        }
    }

    /** The store of that id; empty when it is not in the view. */
    public Optional<StoreView> store(String id) {
        return stores.stream().filter(store -> store.id().equals(id)).findFirst();
    }

    /** The range of that id; empty when it is not in the view. */
    public Optional<RangeView> range(long id) {
        return ranges.stream().filter(range -> range.id() == id).findFirst();
    }

    /** The ranges that an action may be for now: led by {@link #self}, with nothing under way. */
    public List<RangeView> actionable() {
        return ranges.stream()
                .filter(range -> range.isLedBy(self) && range.change().isEmpty())
                .toList();
    }
}
