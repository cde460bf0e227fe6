package io.godwit.kv.remote;

import io.godwit.kv.coprocessor.RangeBounds;
import io.godwit.kv.range.leader.RouteToken;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * The ranges of one key space and their leaders, computed from the reports of the nodes. Immutable.
 *
 * <p>Nodes report at different times, so reports may overlap: one node may still have a range that was split or merged
 * on another. A split, a merge and a change of replicas give every resulting range an epoch above the former ones, so
 * of two overlapping ranges the one with the lower epoch is outdated. Where nobody has reported the newer one yet,
 * there is a gap.
 *
 * <p>The report of a node that is gone counts only for ranges and keys that no live node reports. Its epoch may be
 * higher than all others, from a change that only this node had applied before the others went on without it
 * ({@code recover}); they would never reach that epoch.
 */
public final class RangeRoutes {
    static final RangeRoutes NONE = new RangeRoutes(new TreeMap<>(Arrays::compareUnsigned));

    private final NavigableMap<byte[], Route> byStart;
    private final Map<Long, Route> byId = new HashMap<>();

    /**
     * One range.
     *
     * @param report the leader's report; without a leader, that of the replica with the highest epoch
     * @param leader store id; empty if none is known
     * @param token the token that requests must carry; empty if there is no leader
     */
    public record Route(ReplicaReport report, String leader, Optional<RouteToken> token) {
        public long rangeId() {
            return report.rangeId();
        }

        public RangeBounds bounds() {
            return report.bounds();
        }

        boolean contains(byte[] key) {
            return bounds().contains(key);
        }
    }

    private RangeRoutes(NavigableMap<byte[], Route> byStart) {
        this.byStart = byStart;
        byStart.values().forEach(route -> byId.put(route.rangeId(), route));
    }

    /** @param told by store id: the last report of each node about its replicas; all nodes are alive */
    public static RangeRoutes of(Map<String, ? extends Collection<ReplicaReport>> told) {
        return of(told, Set.of());
    }

    /** @param gone the nodes in {@code told} that are gone */
    public static RangeRoutes of(Map<String, ? extends Collection<ReplicaReport>> told, Set<String> gone) {
        Map<Long, Candidate> there = new HashMap<>();
        Map<Long, Candidate> left = new HashMap<>();
        told.forEach((storeId, reports) -> {
            boolean isGone = gone.contains(storeId);
            Map<Long, Candidate> candidates = isGone ? left : there;
            reports.forEach(report -> candidates
                    .computeIfAbsent(report.rangeId(), id -> new Candidate())
                    .add(storeId, isGone ? report.withoutLeader() : report));
        });
        left.keySet().removeAll(there.keySet());
        TreeMap<byte[], Route> chosen = new TreeMap<>(Arrays::compareUnsigned);
        choose(chosen, there.values());
        choose(chosen, left.values());
        return new RangeRoutes(chosen);
    }

    /** Adds the newest candidates first, each only if its keys are still free. */
    private static void choose(NavigableMap<byte[], Route> chosen, Collection<Candidate> candidates) {
        List<Route> newestFirst = new ArrayList<>();
        candidates.forEach(candidate -> newestFirst.add(candidate.route()));
        newestFirst.sort(
                Comparator.comparingLong((Route route) -> route.report().epoch())
                        .reversed()
                        .thenComparing(Route::rangeId));
        for (Route route : newestFirst) {
            if (isFree(chosen, route.bounds())) {
                chosen.put(route.bounds().start(), route);
            }
        }
    }

    private static boolean isFree(NavigableMap<byte[], Route> chosen, RangeBounds bounds) {
        Map.Entry<byte[], Route> below = chosen.floorEntry(bounds.start());
        if (below != null && below.getValue().contains(bounds.start())) {
            return false;
        }
        Map.Entry<byte[], Route> above = chosen.higherEntry(bounds.start());
        byte @Nullable [] end = bounds.end();
        return above == null || end != null && Arrays.compareUnsigned(above.getKey(), end) >= 0;
    }

    /** The reports about one range. */
    private static final class Candidate {
        private @Nullable ReplicaReport furthest;
        private @Nullable ReplicaReport leading;
        private String leader = "";
        private long term = -1;

        void add(String storeId, ReplicaReport report) {
            if (furthest == null || report.epoch() > furthest.epoch()) {
                furthest = report;
            }
            if (report.leading().isPresent() && report.leading().get().term() > term) {
                term = report.leading().get().term();
                leading = report;
                leader = storeId;
            }
        }

        Route route() {
            ReplicaReport best = furthest;
            ReplicaReport led = leading;
            if (led != null && (best == null || led.epoch() >= best.epoch())) {
                return new Route(led, leader, led.token());
            }
            if (best == null) {
                throw new IllegalStateException("a range that nobody told of");
            }
            return new Route(best, "", Optional.empty()); // the former leader is outdated
        }
    }

    /** The range of a key; null if it is not known. */
    public @Nullable Route of(byte[] key) {
        Map.Entry<byte[], Route> below = byStart.floorEntry(key);
        return below != null && below.getValue().contains(key) ? below.getValue() : null;
    }

    /** The range with this id; null if nobody reports it. */
    public @Nullable Route ofRange(long rangeId) {
        return byId.get(rangeId);
    }

    /** In the order of their first keys. */
    public List<Route> all() {
        return List.copyOf(byStart.values());
    }

    /** Whether every key has a range, and every range a leader. */
    public boolean isComplete() {
        return !hasGap()
                && byStart.values().stream().noneMatch(route -> route.token().isEmpty());
    }

    /** Whether some key has no range; true if there is no range at all. */
    public boolean hasGap() {
        byte @Nullable [] expected = {};
        for (Route route : byStart.values()) {
            if (expected == null || !Arrays.equals(expected, route.bounds().start())) {
                return true;
            }
            expected = route.bounds().end();
        }
        return expected != null;
    }

    /** See {@link io.godwit.kv.client.RangeClient#rangeKeys}; a gap counts as one range. */
    List<byte[]> rangeKeys(byte[] start, byte @Nullable [] end) {
        List<byte[]> keys = new ArrayList<>();
        keys.add(start);
        Route first = of(start);
        byte @Nullable [] next =
                first == null ? behindGap(start) : first.bounds().end();
        while (next != null && (end == null || Arrays.compareUnsigned(next, end) < 0)) {
            keys.add(next);
            Route route = of(next);
            next = route == null ? behindGap(next) : route.bounds().end();
        }
        return keys;
    }

    private byte @Nullable [] behindGap(byte[] key) {
        return byStart.higherKey(key);
    }
}
