package io.godwit.plugin.balance;

import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * What one store knows at one time of a key space and of the stores it lives on. Durations in it end at that time, so
 * its reader needs no clock. Reports of other stores may be some seconds old: two ranges may overlap, or leave a gap,
 * just after a split or a merge.
 *
 * @param keySpace {@code dist}, {@code inbox} or {@code retain}
 * @param self the store that asks; only ranges that it leads can be acted on
 * @param goal the replicas each range should have
 * @param stores by id; all that take part, also those that are down, and all that have a replica. A store that an
 *     operator has given up stays here while it has a replica: draining, and down for longer than any grace period
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

    /** The store with that id; empty when it is not in the view. */
    public Optional<StoreView> store(String id) {
        return stores.stream().filter(store -> store.id().equals(id)).findFirst();
    }

    /** The range with that id; empty when it is not in the view. */
    public Optional<RangeView> range(long id) {
        return ranges.stream().filter(range -> range.id() == id).findFirst();
    }

    /** The ranges an action may be for now: led by {@link #self}, without a change under way. */
    public List<RangeView> actionable() {
        return ranges.stream()
                .filter(range -> range.isLedBy(self) && range.change().isEmpty())
                .toList();
    }
}
