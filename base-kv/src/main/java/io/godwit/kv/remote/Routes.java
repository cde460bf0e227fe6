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
 * Who leads what of one key space, worked out from what the nodes told. Immutable.
 *
 * <p>Nodes tell at different times, so what they tell may overlap: one still has the range that another has cut or
 * merged. A split, a merge and a change of replicas give every range they leave an epoch above those they found, so of
 * two that overlap the one of the lower epoch is over. Where nobody has told of the newer one yet there is a gap.
 *
 * <p>What a node has told that is gone counts only where no node that is there tells of the range, or of its keys. Its
 * epoch may be above all that is left: of a change that only it had applied, when the others went on by themselves
 * ({@code recover}). They would never reach it.
 */
public final class Routes {
    static final Routes NONE = new Routes(new TreeMap<>(Arrays::compareUnsigned));

    private final NavigableMap<byte[], Route> byStart;
    private final Map<Long, Route> byId = new HashMap<>();

    /**
     * One range.
     *
     * @param report of its leader, or, without one, of the replica that is furthest
     * @param leader store id; empty while none is known
     * @param token what requests are to carry; empty while there is no leader
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

    private Routes(NavigableMap<byte[], Route> byStart) {
        this.byStart = byStart;
        byStart.values().forEach(route -> byId.put(route.rangeId(), route));
    }

    /** @param told by store id: what each node, all of them there, has told last of its replicas */
    public static Routes of(Map<String, ? extends Collection<ReplicaReport>> told) {
        return of(told, Set.of());
    }

    /** @param gone of the nodes that have told something those that are not there any more */
    public static Routes of(Map<String, ? extends Collection<ReplicaReport>> told, Set<String> gone) {
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
        return new Routes(chosen);
    }

    /** The newest first, each where its keys are not given to another yet. */
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

    /** What is known of one range. */
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
            return new Route(best, "", Optional.empty()); // who led it has been overtaken
        }
    }

    /** The range of a key; null while it is not known. */
    public @Nullable Route of(byte[] key) {
        Map.Entry<byte[], Route> below = byStart.floorEntry(key);
        return below != null && below.getValue().contains(key) ? below.getValue() : null;
    }

    /** The range of that id; null while nobody tells of one. */
    public @Nullable Route ofRange(long rangeId) {
        return byId.get(rangeId);
    }

    /** By their first keys. */
    public List<Route> all() {
        return List.copyOf(byStart.values());
    }

    /** Whether every key has a range, and every range a leader. */
    public boolean isComplete() {
        return !hasGap()
                && byStart.values().stream().noneMatch(route -> route.token().isEmpty());
    }

    /** Whether some key has no range; so it is when there is no range at all. */
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

    /** As {@link io.godwit.kv.client.RangeClient#rangeKeys}; a gap counts as one range. */
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
