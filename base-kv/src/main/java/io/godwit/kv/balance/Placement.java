package io.godwit.kv.balance;

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
 * What a view says of where replicas and leaders are and may go. Made for one decision.
 *
 * <p>The <em>pressure</em> on a store is the work of its voters for each of its cores plus their bytes for each byte it
 * has room for, both against what all stores would have if they had the same: 2 on a store that has just its share.
 * Learners do not count (but where a new one goes), and the means do not depend on how many replicas there are:
 * otherwise the first step of an exchange would change what spoke for it.
 */
final class Placement {
    private static final long IDLE_BYTES = 1 << 20;

    private final ClusterView view;
    private final PlacementRules rules;
    private final Map<String, StoreView> stores = new HashMap<>();
    /** Bytes that a store has for this key space: free ones and those of the replicas it has. */
    private final Map<String, Double> room = new HashMap<>();

    private final Map<String, Double> pressure = new HashMap<>();
    /** What learners that still copy will add to it. */
    private final Map<String, Double> coming = new HashMap<>();

    private final Map<String, Double> leaderPressure = new HashMap<>();
    private final Map<String, Integer> copies = new HashMap<>();
    private final int copiesLedHere;
    /** Work for each core, and bytes for each byte of room, if every usable store had its share. */
    private final double meanWork;

    private final double meanBytes;

    Placement(ClusterView view, PlacementRules rules) {
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
        // at least the price of one idle range: no division by zero in an empty cluster
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

    /** What a voter of {@code range} adds to the pressure on {@code store}. */
    double weight(RangeView range, String store) {
        return work(range) / cores(store) / meanWork + bytes(range) / room(store) / meanBytes;
    }

    /** Work of the ranges that the store leads, here and in key spaces that come first, for each of its cores. */
    double leaderPressure(String store) {
        return leaderPressure.getOrDefault(store, 0.0);
    }

    /** What leading {@code range} adds to that of {@code store}. */
    double leaderWeight(RangeView range, String store) {
        return work(range) / cores(store);
    }

    /** What each usable store would have of it if all had the same. */
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

    /** Whether it may be given something: alive for long enough, and not to go. */
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

    /** Whether it is down for longer than the grace period. */
    boolean isGone(String store) {
        StoreView seen = store(store);
        return seen.liveness() == Liveness.DOWN && seen.livenessFor().compareTo(rules.grace()) >= 0;
    }

    /**
     * Whether every range is led, no replica has only just stopped, and no store is away or has only just come back:
     * what is not urgent waits for that.
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

    /** Whether the nodes run different software: they are being upgraded, one by one. */
    boolean isMixed() {
        return view.stores().stream()
                        .filter(StoreView::isAlive)
                        .map(StoreView::version)
                        .distinct()
                        .count()
                > 1;
    }

    /**
     * Whether more stores are alive than have been lost lately; otherwise it is the network, or this store, that is
     * ill. Those that are gone have been waited for long enough, and may be what is left of nodes that came back with
     * new ids: if they counted, a few of them would stop the healing of the others for ever.
     */
    boolean isMostAlive() {
        long expected =
                view.stores().stream().filter(store -> !isGone(store.id())).count();
        return view.stores().stream().filter(StoreView::isAlive).count() * 2 > expected;
    }

    /** Stores that a range could have voters on now or later: all but those that are to go. */
    int lastingStores() {
        return (int) view.stores().stream().filter(store -> !store.isDraining()).count();
    }

    // --- voters

    /** Whether a voter does not take part, and that may be over at any moment. */
    boolean isAnyVoterAway(RangeView range) {
        return range.voters().stream().anyMatch(voter -> !takesPart(range, voter) && !isLost(range, voter));
    }

    /** Whether the store is alive, and its replica of the range, if it has one, has not stopped after a fault. */
    boolean takesPart(RangeView range, String store) {
        return isAlive(store) && faultOf(range, store).isEmpty();
    }

    /** Whether its store is gone, or it has stopped for longer than the grace period: it is to be replaced. */
    boolean isLost(RangeView range, String store) {
        return isGone(store)
                || faultOf(range, store)
                        .filter(fault -> fault.lasting().compareTo(rules.grace()) >= 0)
                        .isPresent();
    }

    private static Optional<ReplicaFault> faultOf(RangeView range, String store) {
        return range.replicaOn(store).flatMap(Replica::fault);
    }

    /** Whether the replica is lost and its store, which is well but for that, has room for a new one in its place. */
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

    /** How many more voters the range can lose before it stands still. */
    long margin(RangeView range) {
        List<String> voters = range.voters();
        return voters.stream().filter(voter -> takesPart(range, voter)).count() - (voters.size() / 2 + 1);
    }

    /** Pairs of voters that share a zone. */
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
     * The voter that the range can best do without, and keeps its majority without: lost, to go, of a crowded zone,
     * under pressure.
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

    /** Among the usable stores that pass {@code filter}, the one to be a voter beside {@code others}. */
    Optional<String> bestToAdd(RangeView range, Collection<String> others, Predicate<String> filter) {
        return best(range, others, store -> isUsable(store) && filter.test(store));
    }

    /**
     * The best store for a learner that every store is to have. It need not have settled: a node without one does not
     * serve its clients.
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

    /** A usable learner that has caught up, if there is one on the store. */
    boolean isReady(RangeView range, String store) {
        return isUsable(store)
                && range.replicaOn(store)
                        .filter(replica -> !replica.isVoter() && replica.isCaughtUp())
                        .isPresent();
    }

    /** Pairs that share a zone once {@code in} has taken the place of {@code out}. */
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
     * The voter that a usable {@code store}, with a learner or none, should replace: so that fewer voters share a zone,
     * or, with as many, so that the higher of the two pressures falls by more than {@code margin}. Called for every
     * range and store, so it is plain.
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

    /** Whether {@code store} in place of {@code out} makes fewer voters share a zone. */
    boolean separates(RangeView range, String out, String store) {
        List<String> voters = range.voters();
        return collisionsAfter(voters, out, store) < collisions(voters);
    }

    /** The pressure on the store, which has no voter of the range, once it has one. */
    double pressureWith(RangeView range, String store) {
        return pressure(store) + weight(range, store);
    }

    /** The best voter to lead instead of the one that does: usable, up to date, with the least to lead. */
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
