package io.godwit.kv.balance.policy;

import io.godwit.plugin.balance.ClusterView;
import io.godwit.plugin.balance.Liveness;
import io.godwit.plugin.balance.RangeView;
import io.godwit.plugin.balance.Replica;
import io.godwit.plugin.balance.ReplicaFault;
import io.godwit.plugin.balance.StoreView;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Predicate;

/**
 * Evaluates where the replicas and leaders of a view are and may go. Made for one decision.
 *
 * <p>The <em>pressure</em> on a store is the sum of two ratios: the work of its voters per core, and the bytes of its
 * voters per byte of room, each divided by the mean of all usable stores. A store that has just its share has a
 * pressure of 2. Learners do not count, except when the place of a new learner is chosen, and the means do not depend
 * on the number of replicas: otherwise the first step of an exchange would change the values that it was based on.
 */
final class ReplicaPlacement {
    private static final long IDLE_BYTES = 1 << 20;

    private final ClusterView view;
    private final PlacementRules rules;
    private final Map<String, StoreView> stores = new HashMap<>();
    /** Bytes that a store has for this key space: its free bytes and those of its replicas. */
    private final Map<String, Double> room = new HashMap<>();

    private final Map<String, Double> pressure = new HashMap<>();
    /** Pressure that learners will add to a store. */
    private final Map<String, Double> coming = new HashMap<>();

    private final Map<String, Double> leaderPressure = new HashMap<>();
    private final Map<String, Integer> copies = new HashMap<>();
    private final int copiesLedHere;
    /** Work per core and bytes per byte of room, if every usable store had its share. */
    private final double meanWork;

    private final double meanBytes;

    ReplicaPlacement(ClusterView view, PlacementRules rules) {
        this.view = view;
        this.rules = rules;
        for (StoreView store : view.stores()) {
            stores.put(store.id(), store);
            if (store.leaderWorkElsewhere() > 0) {
                leaderPressure.put(store.id(), store.leaderWorkElsewhere() / store.cores());
            }
        }
        Map<String, Double> bytes = new HashMap<>();
        double allWork = 0;
        double allBytes = 0;
        int ledHere = 0;
        for (RangeView range : view.ranges()) {
            allWork += work(range);
            allBytes += bytes(range);
            range.leader().ifPresent(leader -> leaderPressure.merge(leader, work(range) / cores(leader), Double::sum));
            for (Replica replica : range.replicas()) {
                bytes.merge(replica.store(), bytes(range), Double::sum);
                if (!replica.isVoter() && !replica.isCaughtUp()) {
                    copies.merge(replica.store(), 1, Integer::sum);
                    ledHere += range.isLedBy(view.self()) ? 1 : 0;
                }
            }
        }
        this.copiesLedHere = ledHere;
        double allCores = 0;
        double allRoom = 0;
        for (StoreView store : view.stores()) {
            room.put(store.id(), Math.max(1, bytes.getOrDefault(store.id(), 0.0) + store.diskFreeBytes()));
            if (isUsable(store)) {
                allCores += store.cores();
                allRoom += room(store.id());
            }
        }
        int voters = VoterCount.of(view.goal().voters(), lastingStores()).wanted();
        // at least the cost of one idle range, to avoid a division by zero in an empty cluster
        this.meanWork = voters * Math.max(allWork, LeaderWork.IDLE) / Math.max(1, allCores);
        this.meanBytes = voters * Math.max(allBytes, IDLE_BYTES) / Math.max(1, allRoom);
        for (RangeView range : view.ranges()) {
            for (Replica replica : range.replicas()) {
                String store = replica.store();
                (replica.isVoter() ? pressure : coming).merge(store, weight(range, store), Double::sum);
            }
        }
    }

    private static double work(RangeView range) {
        return LeaderWork.of(range.load());
    }

    private static double bytes(RangeView range) {
        return (double) IDLE_BYTES + range.sizeBytes();
    }

    private double cores(String store) {
        return store(store).cores();
    }

    private double room(String store) {
        return room.getOrDefault(store, 1.0);
    }

    /** A store of the view. */
    StoreView store(String id) {
        StoreView store = stores.get(id);
        if (store == null) {
            throw new IllegalArgumentException("store " + id + " is not in the view");
        }
        return store;
    }

    double pressure(String store) {
        return pressure.getOrDefault(store, 0.0);
    }

    /** The pressure that a voter of {@code range} adds to {@code store}. */
    double weight(RangeView range, String store) {
        return work(range) / cores(store) / meanWork + bytes(range) / room(store) / meanBytes;
    }

    /** Work per core of the ranges that the store leads, in this key space and in earlier ones. */
    double leaderPressure(String store) {
        return leaderPressure.getOrDefault(store, 0.0);
    }

    /** What leading {@code range} adds to the leader pressure of {@code store}. */
    double leaderWeight(RangeView range, String store) {
        return work(range) / cores(store);
    }

    /** The leader pressure of each usable store if all had the same. */
    double meanLeaderPressure() {
        double cores = 0;
        double work = 0;
        for (StoreView store : view.stores()) {
            if (isUsable(store)) {
                cores += store.cores();
                work += leaderPressure(store.id()) * store.cores();
            }
        }
        return work / Math.max(1, cores);
    }

    // --- stores

    /** Whether the store may get replicas or leaders: it has been alive for long enough and is not draining. */
    boolean isUsable(StoreView store) {
        return store.isAlive() && store.livenessFor().compareTo(rules.settle()) >= 0 && !store.isDraining();
    }

    boolean isUsable(String store) {
        return isUsable(store(store));
    }

    boolean isAlive(String store) {
        return store(store).isAlive();
    }

    boolean isDraining(String store) {
        return store(store).isDraining();
    }

    /** Whether the store has been down for longer than the grace period. */
    boolean isGone(String store) {
        StoreView seen = store(store);
        return seen.liveness() == Liveness.DOWN && seen.livenessFor().compareTo(rules.grace()) >= 0;
    }

    /**
     * Whether the cluster is stable: every range has a leader, no replica has stopped recently, and no store is away or
     * has just come back. Actions that are not urgent wait for this.
     */
    boolean isQuiet() {
        return view.ranges().stream()
                        .allMatch(range -> range.leader().isPresent()
                                && range.replicas().stream()
                                        .allMatch(
                                                replica -> replica.fault().isEmpty() || isLost(range, replica.store())))
                && view.stores().stream()
                        .allMatch(store -> isGone(store.id())
                                || store.isAlive() && store.livenessFor().compareTo(rules.settle()) >= 0);
    }

    /** Whether live nodes run different versions, as in a rolling upgrade. */
    boolean isMixed() {
        return view.stores().stream()
                        .filter(StoreView::isAlive)
                        .map(StoreView::version)
                        .distinct()
                        .count()
                > 1;
    }

    /**
     * Whether more than half of the stores are alive, not counting those that are gone. Otherwise the network or this
     * store is probably at fault. Stores that are gone do not count, because they may be left over from nodes that came
     * back with new ids; a few of them would prevent all repairs forever.
     */
    boolean isMostAlive() {
        long expected =
                view.stores().stream().filter(store -> !isGone(store.id())).count();
        return view.stores().stream().filter(StoreView::isAlive).count() * 2 > expected;
    }

    /** Number of stores that a range can have voters on, now or later: all but the draining ones. */
    int lastingStores() {
        return (int) view.stores().stream().filter(store -> !store.isDraining()).count();
    }

    // --- voters

    /** Whether a voter does not take part at the moment, but may return. */
    boolean isAnyVoterAway(RangeView range) {
        return range.voters().stream().anyMatch(voter -> !takesPart(range, voter) && !isLost(range, voter));
    }

    /** Whether the store is alive and its replica of the range, if it has one, has no fault. */
    boolean takesPart(RangeView range, String store) {
        return isAlive(store) && faultOf(range, store).isEmpty();
    }

    /**
     * Whether the replica must be replaced: its store is gone, or it has had a fault for longer than the grace period.
     */
    boolean isLost(RangeView range, String store) {
        return isGone(store)
                || faultOf(range, store)
                        .filter(fault -> fault.lasting().compareTo(rules.grace()) >= 0)
                        .isPresent();
    }

    private static Optional<ReplicaFault> faultOf(RangeView range, String store) {
        return range.replicaOn(store).flatMap(Replica::fault);
    }

    /** Whether a lost replica can be made again on its store: the store is usable and has room. */
    boolean canBeginAnew(RangeView range, String store) {
        return isLost(range, store)
                && faultOf(range, store).filter(ReplicaFault::isReplaceable).isPresent()
                && isUsable(store)
                && hasRoom(range, store(store));
    }

    /** Whether more than half of {@code voters} take part. */
    boolean keepsMajority(RangeView range, Collection<String> voters) {
        return voters.stream().filter(voter -> takesPart(range, voter)).count() * 2 > voters.size();
    }

    /** How many more voters the range can lose before it has no majority. */
    long margin(RangeView range) {
        List<String> voters = range.voters();
        return voters.stream().filter(voter -> takesPart(range, voter)).count() - (voters.size() / 2 + 1);
    }

    /** Number of pairs of voters that share a zone. */
    int collisions(List<String> voters) {
        int pairs = 0;
        for (int i = 1; i < voters.size(); i++) {
            String zone = store(voters.get(i)).zone();
            for (int j = 0; j < i; j++) {
                pairs += store(voters.get(j)).zone().equals(zone) ? 1 : 0;
            }
        }
        return pairs;
    }

    /**
     * The best voter to remove without losing the majority. In order of preference: lost, on a draining store, in a
     * crowded zone, on a store under high pressure.
     */
    Optional<String> bestToRemove(RangeView range) {
        List<String> voters = range.voters();
        return voters.stream()
                .filter(voter -> keepsMajority(range, without(voters, voter)))
                .min(Comparator.comparing((String voter) -> !isLost(range, voter))
                        .thenComparing(voter -> !isDraining(voter))
                        .thenComparing(voter -> collisions(without(voters, voter)))
                        .thenComparing(
                                Comparator.comparingDouble(this::pressure).reversed())
                        .thenComparing(range::isLedBy)
                        .thenComparing(Comparator.naturalOrder()));
    }

    /** The best usable store for another voter beside {@code others}, among those that pass {@code filter}. */
    Optional<String> bestToAdd(RangeView range, Collection<String> others, Predicate<String> filter) {
        return best(range, others, store -> isUsable(store) && filter.test(store));
    }

    /**
     * The best store for a learner, when every store is to have one. The store need not have been alive for long,
     * because a node without a learner cannot serve its clients.
     */
    Optional<String> bestToMirror(RangeView range) {
        return best(
                range,
                range.voters(),
                store -> isAlive(store) && !isDraining(store) && hasPlaceForCopy(range, store(store)));
    }

    private Optional<String> best(RangeView range, Collection<String> others, Predicate<String> filter) {
        return view.stores().stream()
                .map(StoreView::id)
                .filter(store -> !range.voters().contains(store))
                .filter(filter)
                .min(Comparator.comparingInt((String store) -> collisions(with(others, store)))
                        .thenComparing(store -> pressureWith(range, store) + coming.getOrDefault(store, 0.0))
                        .thenComparing(Comparator.naturalOrder()));
    }

    /** Whether a copy of the range may be begun on the store. */
    boolean takesCopy(RangeView range, String store) {
        StoreView seen = store(store);
        return isUsable(seen) && hasPlaceForCopy(range, seen);
    }

    private boolean hasPlaceForCopy(RangeView range, StoreView store) {
        return range.replicaOn(store.id()).isEmpty()
                && hasRoom(range, store)
                && copiesLedHere < rules.maxCopies()
                && copies.getOrDefault(store.id(), 0) < rules.maxCopies();
    }

    private boolean hasRoom(RangeView range, StoreView store) {
        return store.diskFreeBytes() - range.sizeBytes() >= rules.minFreeShare() * store.diskTotalBytes();
    }

    /** Whether the store is usable and has a learner of the range that has caught up. */
    boolean isReady(RangeView range, String store) {
        return isUsable(store)
                && range.replicaOn(store)
                        .filter(replica -> !replica.isVoter() && replica.isCaughtUp())
                        .isPresent();
    }

    /** Number of pairs of voters that share a zone once {@code in} has replaced {@code out}. */
    int collisionsAfter(List<String> voters, String out, String in) {
        String zone = store(in).zone();
        int pairs = collisions(voters);
        for (String other : voters) {
            if (!other.equals(out)) {
                pairs -= store(other).zone().equals(store(out).zone()) ? 1 : 0;
                pairs += store(other).zone().equals(zone) ? 1 : 0;
            }
        }
        return pairs;
    }

    /**
     * The voter that a usable {@code store}, with a learner or no replica, should replace: so that fewer voters share a
     * zone or, with as many, so that the higher of the two pressures falls by more than {@code margin}. Called for
     * every range and store, so it uses plain loops.
     */
    Optional<String> swapFor(RangeView range, List<String> voters, String store, double margin) {
        int before = collisions(voters);
        double with = pressureWith(range, store) + margin;
        String best = null;
        int fewest = before;
        for (String out : voters) {
            int after = collisionsAfter(voters, out, store);
            if (isAlive(out)
                    && (after < before || after == before && with < pressure(out))
                    && (best == null || after < fewest || after == fewest && pressure(out) > pressure(best))) {
                best = out;
                fewest = after;
            }
        }
        return Optional.ofNullable(best);
    }

    /** Whether fewer voters share a zone with {@code store} in place of {@code out}. */
    boolean separates(RangeView range, String out, String store) {
        List<String> voters = range.voters();
        return collisionsAfter(voters, out, store) < collisions(voters);
    }

    /** The pressure on a store without a voter of the range, after it has got one. */
    double pressureWith(RangeView range, String store) {
        return pressure(store) + weight(range, store);
    }

    /** The best voter to take over the lead: usable, caught up, with the lowest leader pressure. */
    Optional<String> bestToLead(RangeView range) {
        return leadersInWaiting(range).stream()
                .min(Comparator.comparingDouble((String store) -> leaderPressure(store) + leaderWeight(range, store))
                        .thenComparing(Comparator.naturalOrder()));
    }

    List<String> leadersInWaiting(RangeView range) {
        return range.replicas().stream()
                .filter(replica -> replica.isVoter() && replica.isCaughtUp())
                .map(Replica::store)
                .filter(store -> !range.isLedBy(store) && isUsable(store))
                .toList();
    }

    static List<String> without(Collection<String> stores, String store) {
        return stores.stream().filter(other -> !other.equals(store)).toList();
    }

    static List<String> with(Collection<String> stores, String store) {
        List<String> all = new ArrayList<>(stores);
        all.add(store);
        return all;
    }
}
