package io.godwit.kv.operate;

import io.godwit.kv.balance.ClusterViewSource;
import io.godwit.kv.balance.policy.LeaderWork;
import io.godwit.kv.member.MemberFacts;
import io.godwit.kv.member.MemberWatch;
import io.godwit.kv.peers.ClusterLinks;
import io.godwit.kv.peers.OwnReport;
import io.godwit.kv.remote.NodeReport;
import io.godwit.kv.remote.RangeRoutes;
import io.godwit.kv.remote.ReplicaReport;
import io.godwit.plugin.balance.ClusterView;
import io.godwit.plugin.balance.Key;
import io.godwit.plugin.balance.Liveness;
import io.godwit.plugin.balance.RangeChange;
import io.godwit.plugin.balance.RangeLoad;
import io.godwit.plugin.balance.RangeView;
import io.godwit.plugin.balance.Replica;
import io.godwit.plugin.balance.ReplicaFault;
import io.godwit.plugin.balance.ReplicaGoal;
import io.godwit.plugin.balance.StoreView;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Predicate;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * This node's view of a key space for its balancers: a fresh report of its own for each view, and the last report of
 * each other node. Any thread.
 *
 * <p>Whether a replica has caught up is decided by the last log index in its own report, compared with the leader's.
 */
public final class StoreViews implements ClusterViewSource {
    private static final Duration FORGOTTEN_FOR = Duration.ofDays(36_500);

    private final String store;
    private final Supplier<ReplicaGoal> goal;
    private final Predicate<String> isForgotten;
    private final OwnReport own;
    private final @Nullable ClusterLinks links;
    private final long startNanos = System.nanoTime();
    /** When each store first reported that a replica has stopped after a fault, in nanoseconds. */
    private final Map<Stopped, Long> stoppedSince = new ConcurrentHashMap<>();

    private record Stopped(String storeId, long rangeId) {}

    /**
     * @param goal what is wanted of every range now
     * @param isForgotten whether the node of a store id was given up
     * @param links null if this node is not in a cluster
     */
    StoreViews(
            String store,
            Supplier<ReplicaGoal> goal,
            Predicate<String> isForgotten,
            OwnReport own,
            @Nullable ClusterLinks links) {
        this.store = store;
        this.goal = goal;
        this.isForgotten = isForgotten;
        this.own = own;
        this.links = links;
    }

    @Override
    public Optional<ClusterView> view() {
        Map<String, NodeReport> reports = reports();
        if (links != null && !links.silent().isEmpty()) {
            return Optional.empty(); // a live node has not reported yet
        }
        forgetStarted(reports);
        return Optional.of(new ClusterView(store, own.storeId(), goal.get(), stores(reports), ranges(reports)));
    }

    /** The reports of all nodes by store id; this node's own is fresh and of this store alone. */
    Map<String, NodeReport> reports() {
        Map<String, NodeReport> reports = new HashMap<>();
        if (links != null) {
            reports.putAll(links.exchange().reports());
        }
        reports.put(own.storeId(), own.of(store));
        return reports;
    }

    private List<RangeView> ranges(Map<String, NodeReport> reports) {
        List<RangeView> views = new ArrayList<>();
        for (RangeRoutes.Route route : routes(reports)) {
            if (!route.report().voters().isEmpty()) {
                views.add(view(route, reports));
            }
        }
        return views;
    }

    /** The ranges in the order of their first keys; nodes that are gone count as leading nothing. */
    List<RangeRoutes.Route> routes(Map<String, NodeReport> reports) {
        return routesOf(reports).all();
    }

    /** Like {@link #routes}, but the result also tells whether the ranges cover every key. */
    RangeRoutes routesOf(Map<String, NodeReport> reports) {
        Map<String, List<ReplicaReport>> told = new HashMap<>();
        Set<String> gone = new HashSet<>();
        reports.forEach((storeId, report) -> {
            told.put(storeId, report.replicas().getOrDefault(store, List.of()));
            if (!storeId.equals(own.storeId())
                    && links != null
                    && !links.members().isAlive(storeId)) {
                gone.add(storeId);
            }
        });
        return RangeRoutes.of(told, gone);
    }

    private RangeView view(RangeRoutes.Route route, Map<String, NodeReport> reports) {
        ReplicaReport report = route.report();
        List<Replica> replicas = new ArrayList<>();
        report.voters().forEach(voter -> replicas.add(replica(route, voter, true, reports)));
        report.learners().forEach(learner -> replicas.add(replica(route, learner, false, reports)));
        Optional<ReplicaReport.Leading> leading = report.leading();
        byte @Nullable [] end = report.bounds().end();
        Optional<Key> endKey = end == null ? Optional.empty() : Optional.of(Key.of(end));
        Key start = Key.of(report.bounds().start());
        return new RangeView(
                report.rangeId(),
                start,
                endKey,
                report.epoch(),
                replicas,
                route.leader().isEmpty() || !report.hasReplicaOn(route.leader())
                        ? Optional.empty()
                        : Optional.of(route.leader()),
                leading.map(ReplicaReport.Leading::sizeBytes).orElse(0L),
                leading.map(ReplicaReport.Leading::load).orElse(RangeLoad.UNKNOWN),
                leading.flatMap(ReplicaReport.Leading::hint)
                        .filter(hint -> hint.key().compareTo(start) > 0
                                && endKey.filter(last -> hint.key().compareTo(last) >= 0)
                                        .isEmpty()),
                leading.map(ReplicaReport.Leading::change)
                        .filter(change -> !change.isEmpty())
                        .map(StoreViews::changeOf),
                Duration.ofMillis(
                        leading.map(ReplicaReport.Leading::stableMillis).orElse(0L)));
    }

    private static RangeChange changeOf(String name) {
        for (RangeChange change : RangeChange.values()) {
            if (change.name().equals(name)) {
                return change;
            }
        }
        return RangeChange.PAUSE; // a change of a later release
    }

    private Replica replica(RangeRoutes.Route route, String storeId, boolean isVoter, Map<String, NodeReport> reports) {
        if (storeId.equals(route.leader())) {
            return new Replica(storeId, isVoter, true);
        }
        Optional<ReplicaReport> told = Optional.ofNullable(reports.get(storeId))
                .flatMap(report -> report.replicas().getOrDefault(store, List.of()).stream()
                        .filter(replica -> replica.rangeId() == route.rangeId())
                        .findFirst());
        Optional<ReplicaFault> fault = told.filter(replica -> !replica.fault().isEmpty())
                .map(replica -> new ReplicaFault(stoppedFor(storeId, replica), replica.isReplaceable()));
        boolean isCaughtUp = fault.isEmpty()
                && told.filter(replica -> replica.isCaughtUpTo(route.report().lastIndex()))
                        .isPresent();
        return new Replica(storeId, isVoter, isCaughtUp, fault);
    }

    private Duration stoppedFor(String storeId, ReplicaReport replica) {
        long since = stoppedSince.computeIfAbsent(new Stopped(storeId, replica.rangeId()), fresh -> System.nanoTime());
        return Duration.ofNanos(System.nanoTime() - since); // in this order, so that the first duration is not negative
    }

    /** Forgets replicas that run again or no longer exist. */
    private void forgetStarted(Map<String, NodeReport> reports) {
        Set<Stopped> stopped = new HashSet<>();
        reports.forEach((storeId, report) -> report.replicas().getOrDefault(store, List.of()).stream()
                .filter(replica -> !replica.fault().isEmpty())
                .forEach(replica -> stopped.add(new Stopped(storeId, replica.rangeId()))));
        stoppedSince.keySet().retainAll(stopped);
    }

    private List<StoreView> stores(Map<String, NodeReport> reports) {
        TreeSet<String> ids = new TreeSet<>(reports.keySet());
        reports.values()
                .forEach(report -> report.replicas()
                        .getOrDefault(store, List.of())
                        .forEach(replica -> {
                            ids.addAll(replica.voters());
                            ids.addAll(replica.learners());
                        }));
        Map<String, MemberWatch.Seen> seen =
                links == null ? Map.of() : links.members().seen();
        ids.addAll(seen.keySet());
        return ids.stream()
                .map(id -> storeView(id, reports.get(id), seen.get(id)))
                .toList();
    }

    /**
     * How long a store has had a replica that has stopped after a fault and cannot be replaced in place: then nothing
     * on that store can be relied on. Other nodes treat it as gone, so that all its replicas are replaced; the node
     * itself judges its own ranges by what it sees.
     */
    private Optional<Duration> faultyFor(String id, @Nullable NodeReport report) {
        if (report == null || id.equals(own.storeId())) {
            return Optional.empty();
        }
        return report.replicas().getOrDefault(store, List.of()).stream()
                .filter(replica -> !replica.fault().isEmpty() && !replica.isReplaceable())
                .map(replica -> stoppedFor(id, replica))
                .max(Comparator.naturalOrder());
    }

    private StoreView storeView(String id, @Nullable NodeReport report, MemberWatch.@Nullable Seen seen) {
        if (isForgotten.test(id)) { // counts as down for longer than any grace period, and as draining
            return new StoreView(id, "", Liveness.DOWN, FORGOTTEN_FOR, true, "", 1, 0, 1, 1);
        }
        boolean isSelf = id.equals(own.storeId());
        Liveness liveness = isSelf ? Liveness.ALIVE : seen == null ? Liveness.DOWN : seen.liveness();
        Duration since = seen != null
                ? seen.forHowLong()
                : links == null
                        ? Duration.ofNanos(System.nanoTime() - startNanos)
                        : links.members().sinceStart();
        Optional<Duration> faultyFor = faultyFor(id, report);
        if (faultyFor.isPresent() && liveness == Liveness.ALIVE) {
            liveness = Liveness.DOWN;
            since = faultyFor.get();
        }
        String zone = seen == null ? "" : MemberFacts.of(seen.member()).zone();
        String version = seen == null ? "" : seen.member().version();
        if (report == null) {
            return new StoreView(id, zone, liveness, since, false, version, 1, 0, 1, 1);
        }
        NodeReport.NodeStatus status = report.status();
        long total = Math.max(1, status.diskTotalBytes());
        return new StoreView(
                id,
                zone,
                liveness,
                since,
                status.isDraining(),
                version,
                Math.max(1, status.cores()),
                status.cpuLoad(),
                total,
                Math.max(0, Math.min(total, status.diskFreeBytes())),
                leaderWorkElsewhere(
                        isSelf && links != null ? links.exchange().reports().get(id) : report));
    }

    /**
     * Work that a node leads in key spaces before this one; for this node too, it is read from the last report sent.
     */
    private double leaderWorkElsewhere(@Nullable NodeReport told) {
        if (told == null) {
            return 0;
        }
        return told.replicas().entrySet().stream()
                .filter(other -> other.getKey().compareTo(store) < 0)
                .flatMap(other -> other.getValue().stream())
                .flatMap(replica -> replica.leading().stream())
                .mapToDouble(leading -> LeaderWork.of(leading.load()))
                .sum();
    }
}
