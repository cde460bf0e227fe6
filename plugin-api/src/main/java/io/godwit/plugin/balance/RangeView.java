package io.godwit.plugin.balance;

import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * One range at the time of the view, as its leader last reported.
 *
 * @param id unique in the key space, never reused
 * @param start inclusive
 * @param end exclusive; empty means without end
 * @param replicas at least one voter; one replica a store
 * @param leader the store that leads it; empty while there is none
 * @param sizeBytes on disk, about, of one replica
 * @param splitHint empty when the load is small, not known, or on one key
 * @param change the change under way; meanwhile no action for this range is carried out
 * @param stableFor how long the range has had this epoch
 */
public record RangeView(
        long id,
        Key start,
        Optional<Key> end,
        long epoch,
        List<Replica> replicas,
        Optional<String> leader,
        long sizeBytes,
        RangeLoad load,
        Optional<SplitHint> splitHint,
        Optional<RangeChange> change,
        Duration stableFor) {

    public RangeView {
        replicas = List.copyOf(replicas);
        if (end.isPresent() && start.compareTo(end.get()) >= 0) {
            throw new IllegalArgumentException("range " + id + " starts at " + start + " and ends at " + end.get());
        }
        if (epoch < 0 || sizeBytes < 0 || stableFor.isNegative()) {
            throw new IllegalArgumentException("range " + id + ": epoch " + epoch + ", " + sizeBytes
                    + " bytes, stable for " + stableFor + ": expected none below 0");
        }
        Set<String> stores = new HashSet<>();
        for (Replica replica : replicas) {
            if (!stores.add(replica.store())) {
                throw new IllegalArgumentException("range " + id + " has two replicas on " + replica.store());
            }
        }
        if (replicas.stream().noneMatch(Replica::isVoter)) {
            throw new IllegalArgumentException("range " + id + " has no voter");
        }
        if (leader.isPresent() && !stores.contains(leader.get())) {
            throw new IllegalArgumentException("range " + id + " is led by " + leader.get() + ", which has no replica");
        }
        if (splitHint.isPresent() && !isInside(splitHint.get().key(), start, end)) {
            throw new IllegalArgumentException(
                    "range " + id + " cannot be cut at " + splitHint.get().key());
        }
    }

    private static boolean isInside(Key key, Key start, Optional<Key> end) {
        return key.compareTo(start) > 0 && (end.isEmpty() || key.compareTo(end.get()) < 0);
    }

    /** The stores of its voters, in the order of {@link #replicas}. */
    public List<String> voters() {
        return replicas.stream().filter(Replica::isVoter).map(Replica::store).toList();
    }

    /** The replicas that do not vote. */
    public List<Replica> learners() {
        return replicas.stream().filter(replica -> !replica.isVoter()).toList();
    }

    /** The replica on {@code store}, voter or learner; empty when it has none. */
    public Optional<Replica> replicaOn(String store) {
        return replicas.stream()
                .filter(replica -> replica.store().equals(store))
                .findFirst();
    }

    /** Whether {@code store} is its leader; false while there is none. */
    public boolean isLedBy(String store) {
        return leader.isPresent() && leader.get().equals(store);
    }

    /** Whether {@code right} begins where this ends. */
    public boolean isLeftOf(RangeView right) {
        return end.isPresent() && end.get().equals(right.start);
    }

    /** The same with a change under way. */
    public RangeView with(RangeChange underWay) {
        return new RangeView(
                id, start, end, epoch, replicas, leader, sizeBytes, load, splitHint, Optional.of(underWay), stableFor);
    }
}
