package io.godwit.kv.operate;

import io.godwit.kv.remote.ReplicaReport;
import io.godwit.kv.remote.Routes;
import io.godwit.kv.remote.Routes.Route;
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
 * What keeps ranges of one store from being served, in words for an operator: which have no leader, which of their
 * voters are missing.
 *
 * <p>A range that has no leader and no majority to elect one is told of at once. One that has the majority gets a
 * leader within seconds as a rule, and is told of when it does not. So are keys without a range, which there are for a
 * moment while reports of a split come in.
 *
 * <p>Any thread may look, several at a time. Without a lock, since the log, which is asked, has one of its own, and
 * whoever looks may hold it.
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
    /** By range, in nanoseconds of the clock. */
    private final Map<Long, Long> leaderlessSince = new ConcurrentHashMap<>();
    /**
     * As {@link #leaderlessSince}, of keys without a range; null while there are none. Set to the first by whoever
     * looks.
     */
    private final AtomicReference<@Nullable Long> gapSince = new AtomicReference<>();

    /**
     * @param self store id of this node
     * @param votersInLog by range: its voters as the log of this node's replica has them last, committed or not, since
     *     what a replica has applied is behind after a start; empty when this node has none
     * @param isThere whether the node with this store id is reached
     * @param nameOf of the node with this store id, for an operator
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
     * @param told by store id: what each node has told last of its replicas
     * @return one line; empty when every key has a range that is led
     */
    public String look(Routes routes, Map<String, ? extends Collection<ReplicaReport>> told) {
        long now = clock.getAsLong();
        List<Route> all = routes.all();
        if (all.isEmpty()) {
            return "no node that is there knows a range of it";
        }
        Map<String, List<Long>> byMissing = new TreeMap<>();
        List<Long> leaderless = new ArrayList<>();
        Set<Long> seen = new HashSet<>();
        for (Route route : all) {
            if (route.token().isPresent()) {
                // of another leader only itself knows whom it reaches; this one finds out some seconds late
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

    /** Which voters are missing, where too few are there to elect a leader; else empty. */
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
