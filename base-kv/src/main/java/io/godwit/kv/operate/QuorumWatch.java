package io.godwit.kv.operate;

import io.godwit.kv.remote.RangeRoutes;
import io.godwit.kv.remote.RangeRoutes.Route;
import io.godwit.kv.remote.ReplicaReport;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.LongFunction;
import java.util.function.LongSupplier;
import java.util.function.Predicate;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * Describes for an operator what keeps ranges of one store from being served: which have no leader, and which of their
 * voters are missing.
 *
 * <p>A range without a leader and without a majority to elect one is reported at once. A range with a majority usually
 * gets a leader within seconds, and is reported only if it does not. The same holds for keys without a range, which
 * exist for a moment while reports of a split come in.
 *
 * <p>Any thread may call {@link #look}, several at a time. Uses no lock, because it reads the log, which has its own
 * lock, and the caller may hold that one.
 */
public final class QuorumWatch {
    private static final long ELECTION_NANOS = TimeUnit.SECONDS.toNanos(5);
    private static final int SHOWN = 5;

    private final String store;
    private final String self;
    private final LongFunction<List<String>> votersInLog;
    private final Predicate<String> isThere;
    private final UnaryOperator<String> nameOf;
    private final LongSupplier clock;
    /** By range id, in nanoseconds of the clock. */
    private final Map<Long, Long> leaderlessSince = new ConcurrentHashMap<>();
    /**
     * Like {@link #leaderlessSince}, for keys without a range; null while there are none. Set by the first thread that
     * sees the gap.
     */
    private final AtomicReference<@Nullable Long> gapSince = new AtomicReference<>();

    /**
     * @param self store id of this node
     * @param votersInLog by range id: the voters in the last configuration of this node's replica's log, committed or
     *     not, because after a start the applied state is behind; empty if this node has no replica
     * @param isThere whether the node with this store id can be reached
     * @param nameOf name for an operator of the node with this store id
     * @param clock monotonic, in nanoseconds
     */
    public QuorumWatch(
            String store,
            String self,
            LongFunction<List<String>> votersInLog,
            Predicate<String> isThere,
            UnaryOperator<String> nameOf,
            LongSupplier clock) {
        this.store = store;
        this.self = self;
        this.votersInLog = votersInLog;
        this.isThere = isThere;
        this.nameOf = nameOf;
        this.clock = clock;
    }

    /**
     * Describes the state now.
     *
     * @param told by store id: the replicas that each node last reported
     * @return one line; empty if every key has a range with a leader
     */
    public String look(RangeRoutes routes, Map<String, ? extends Collection<ReplicaReport>> told) {
        long now = clock.getAsLong();
        List<Route> all = routes.all();
        if (all.isEmpty()) {
            return "no running node knows a range of it";
        }
        Map<String, List<Long>> byMissing = new TreeMap<>();
        List<Long> leaderless = new ArrayList<>();
        Set<Long> seen = new HashSet<>();
        for (Route route : all) {
            if (route.token().isPresent()) {
                // only a leader itself knows whom it reaches; if this node is the leader, it is reported before it
                // steps down
                String lost =
                        route.leader().equals(self) ? missing(route.report().voters(), route.rangeId(), told) : "";
                if (!lost.isEmpty()) {
                    byMissing.computeIfAbsent(lost, text -> new ArrayList<>()).add(route.rangeId());
                }
                continue;
            }
            seen.add(route.rangeId());
            long since = leaderlessSince.computeIfAbsent(route.rangeId(), id -> now);
            String missing = missing(votersInLog.apply(route.rangeId()), route.rangeId(), told);
            if (missing.isEmpty()) {
                missing = missing(route.report().voters(), route.rangeId(), told);
            }
            if (!missing.isEmpty()) {
                byMissing.computeIfAbsent(missing, text -> new ArrayList<>()).add(route.rangeId());
            } else if (now - since >= ELECTION_NANOS) {
                leaderless.add(route.rangeId());
            }
        }
        leaderlessSince.keySet().retainAll(seen);
        List<String> words = new ArrayList<>();
        ShortNumbers numbers = new ShortNumbers(all.stream().map(Route::rangeId).toList());
        byMissing.forEach((missing, ranges) -> words.add(names(ranges, numbers) + ": " + missing));
        if (!leaderless.isEmpty()) {
            words.add(names(leaderless, numbers) + ": no leader");
        }
        if (!routes.hasGap()) {
            gapSince.set(null);
        } else if (now - gapSince(now) >= ELECTION_NANOS) {
            words.add("some keys have no range yet");
        }
        return String.join("; ", words);
    }

    /** Describes the missing voters if too few are left to elect a leader; else empty. */
    private String missing(List<String> voters, long rangeId, Map<String, ? extends Collection<ReplicaReport>> told) {
        List<String> away = voters.stream()
                .filter(voter -> !isThere.test(voter) || hasStopped(rangeId, told.get(voter)))
                .sorted()
                .toList();
        int there = voters.size() - away.size();
        if (voters.isEmpty() || 2 * there > voters.size()) {
            return "";
        }
        return there + " of " + voters.size() + " voters, missing "
                + String.join(", ", away.stream().map(nameOf).toList());
    }

    private static boolean hasStopped(long rangeId, @Nullable Collection<ReplicaReport> told) {
        return told != null
                && told.stream()
                        .anyMatch(replica ->
                                replica.rangeId() == rangeId && !replica.fault().isEmpty());
    }

    private long gapSince(long now) {
        Long before = gapSince.compareAndExchange(null, now);
        return before == null ? now : before;
    }

    private String names(List<Long> ranges, ShortNumbers numbers) {
        List<String> first = ranges.stream()
                .limit(SHOWN)
                .map(id -> store + "-" + numbers.of(id))
                .toList();
        String more = ranges.size() > SHOWN ? " and " + (ranges.size() - SHOWN) + " more" : "";
        return String.join(", ", first) + more;
    }
}
