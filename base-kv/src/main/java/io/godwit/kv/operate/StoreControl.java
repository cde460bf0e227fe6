package io.godwit.kv.operate;

import io.godwit.kv.balance.ActionOutcome;
import io.godwit.kv.balance.BalanceControl;
import io.godwit.kv.balance.BalanceLoop;
import io.godwit.kv.balance.BalanceTimer;
import io.godwit.kv.client.Deadline;
import io.godwit.kv.facts.ClusterFacts.Voters;
import io.godwit.kv.peers.ClusterLinks;
import io.godwit.kv.peers.OwnReport;
import io.godwit.kv.range.Range;
import io.godwit.kv.remote.NodeReport;
import io.godwit.kv.remote.RangeRoutes;
import io.godwit.kv.remote.ReplicaReport;
import io.godwit.kv.store.StoreBalance;
import io.godwit.kv.store.StoreRanges;
import io.godwit.kv.wire.NodeAnswer;
import io.godwit.kv.wire.NodeAnswer.OutcomeCase;
import io.godwit.plugin.balance.BalanceAction;
import io.godwit.plugin.balance.RangeLoad;
import io.godwit.plugin.balance.ReplicaGoal;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Operations of operators and balancers on one store of this node. */
public final class StoreControl implements StoreOperations, AutoCloseable {
    private final StoreRanges ranges;
    private final String self;
    private final StoreViews views;
    private final LocalActions actions;
    private final @Nullable ClusterLinks links;
    private final BalanceLoop loop;
    private final NotedPauses pauses;
    private final StoreBalance balance;
    private final FactsTeller facts;

    /**
     * @param links null if this node is not in a cluster
     * @param noting stores durably which balancers of this store are paused
     */
    public StoreControl(
            StoreRanges ranges,
            StoreBalance balance,
            OwnReport own,
            FactsTeller facts,
            @Nullable ClusterLinks links,
            BalanceTimer timer,
            Noting noting) {
        this.ranges = ranges;
        this.self = own.storeId();
        this.links = links;
        this.balance = balance;
        this.facts = facts;
        this.views = new StoreViews(
                ranges.name(),
                () -> new ReplicaGoal(wantedVoters(), balance.goal().isOnEveryStore()),
                facts.facts()::isForgotten,
                own,
                links);
        this.actions = new LocalActions(ranges, self, links);
        this.loop = new BalanceLoop(ranges.name(), balance.plan(), views, actions, balance.pace(), timer);
        this.pauses =
                new NotedPauses(ranges.name(), loop, noting.noted(), noting.keep(), noting.changed(), noting.io());
    }

    /**
     * Whether a draining node still has to lose its replica of the range. It keeps a learner that every node has,
     * because it serves its clients from that until it stops.
     */
    boolean isToLose(ReplicaReport range, String storeId) {
        return balance.goal().isOnEveryStore() ? range.voters().contains(storeId) : range.hasReplicaOn(storeId);
    }

    /**
     * How pauses of balancers survive a restart; see {@link NotedPauses}.
     *
     * @param noted record of an earlier process; null if there is none
     */
    @SuppressWarnings("ArrayRecordComponent") // never compared
    public record Noting(byte @Nullable [] noted, Consumer<byte[]> keep, Runnable changed, Executor io) {}

    public void start() {
        if (balance.isBalanced()) {
            pauses.takeUp();
            loop.start();
        }
    }

    @Override
    public String name() {
        return ranges.name();
    }

    @Override
    public List<RangeInfo> ranges() {
        Map<String, NodeReport> reports = views.reports();
        return ranges(views.routesOf(reports), reports);
    }

    @Override
    public String leaderOf(long rangeId) {
        Range replica = ranges.find(rangeId);
        return replica == null ? "" : replica.leader();
    }

    /** What {@link Redundancy} needs to know about this store. */
    public Redundancy.Store known() {
        Map<String, NodeReport> reports = views.reports();
        RangeRoutes routes = views.routesOf(reports);
        return new Redundancy.Store(name(), wantedVoters(), isBalanced(), ranges(routes, reports), routes.hasGap());
    }

    /** How long a node must be gone before its replicas are replaced, by the settings of this store's balancers. */
    public Duration grace() {
        return balance.plan().grace();
    }

    private List<RangeInfo> ranges(RangeRoutes routes, Map<String, NodeReport> reports) {
        List<RangeInfo> infos = new ArrayList<>();
        for (RangeRoutes.Route route : routes.all()) {
            ReplicaReport report = route.report();
            Optional<ReplicaReport.Leading> leading = report.leading();
            infos.add(new RangeInfo(
                    report.rangeId(),
                    report.bounds().start(),
                    report.bounds().end(),
                    report.epoch(),
                    report.voters(),
                    report.learners(),
                    route.leader(),
                    leading.map(ReplicaReport.Leading::term).orElse(0L),
                    leading.map(ReplicaReport.Leading::sizeBytes).orElse(0L),
                    leading.map(ReplicaReport.Leading::load).orElse(RangeLoad.UNKNOWN),
                    leading.map(ReplicaReport.Leading::change).orElse(""),
                    faults(report.rangeId(), reports)));
        }
        return infos;
    }

    private List<String> faults(long rangeId, Map<String, NodeReport> reports) {
        List<String> faults = new ArrayList<>();
        reports.forEach((storeId, report) -> report.replicas().getOrDefault(name(), List.of()).stream()
                .filter(replica ->
                        replica.rangeId() == rangeId && !replica.fault().isEmpty())
                .forEach(replica -> faults.add(storeId + ": " + replica.fault())));
        return faults;
    }

    @Override
    public CompletableFuture<OperationResult> carryOut(BalanceAction action, Deadline deadline) {
        Optional<RangeRoutes.Route> range = views.routes(views.reports()).stream()
                .filter(route -> route.rangeId() == action.rangeId())
                .findFirst();
        String leader = range.map(RangeRoutes.Route::leader).orElse("");
        ClusterLinks cluster = links;
        CompletableFuture<OperationResult> result;
        if (leader.isEmpty()) {
            return CompletableFuture.completedFuture(new OperationResult(
                    ActionOutcome.STALE,
                    "range " + action.rangeId()
                            + (range.isEmpty() ? " does not exist, or no longer" : " has no leader at the moment")));
        } else if (leader.equals(self) || cluster == null) {
            result = actions.carryOut(action);
        } else {
            result = ask(cluster, leader, action, deadline);
        }
        long nanosLeft = deadline.remainingNanos(System.nanoTime());
        return result.completeOnTimeout(
                new OperationResult(ActionOutcome.FAILED, "not finished by the deadline, it may still succeed"),
                nanosLeft,
                TimeUnit.NANOSECONDS);
    }

    private CompletableFuture<OperationResult> ask(
            ClusterLinks cluster, String leader, BalanceAction action, Deadline deadline) {
        long millisLeft = TimeUnit.NANOSECONDS.toMillis(deadline.remainingNanos(System.nanoTime()));
        return cluster.rpc()
                .ask(
                        leader,
                        ActionCodec.question(new ActionCodec.Request(name(), millisLeft, action)),
                        OutcomeCase.RESULT,
                        millisLeft)
                .thenApply(StoreControl::resultOf)
                .exceptionally(
                        failure -> new OperationResult(ActionOutcome.FAILED, String.valueOf(failure.getMessage())));
    }

    private static OperationResult resultOf(NodeAnswer answer) {
        try {
            return ActionCodec.result(answer.getResult());
        } catch (IOException e) {
            return new OperationResult(ActionOutcome.FAILED, String.valueOf(e.getMessage()));
        }
    }

    /** Carries out an action for another node, which takes this one for the leader. */
    CompletableFuture<OperationResult> carryOutHere(BalanceAction action) {
        return actions.carryOut(action);
    }

    /** The replica of a range on this node; null if there is none. */
    @Nullable
    public Range range(long id) {
        return ranges.find(id);
    }

    public StoreViews views() {
        return views;
    }

    /** The number that the cluster has noted; before that, the configured one. Outside a cluster the default is 1. */
    @Override
    public int wantedVoters() {
        return facts.facts()
                .now()
                .wantedOf(name())
                .map(Voters::count)
                .orElse(
                        links == null && !balance.isGoalGiven()
                                ? 1
                                : balance.goal().voters());
    }

    @Override
    public CompletableFuture<OperationResult> wantVoters(int count, boolean mayReduce) {
        int now = wantedVoters();
        if (count < 1 || count > MAX_VOTERS) {
            return refused(count + " voters: must be from 1 to " + MAX_VOTERS);
        }
        if (links == null) {
            return refused("this node is not in a cluster: there is no other node for replicas");
        }
        if (count < now && !mayReduce) {
            return refused(name() + ": each range is to have " + survives(now) + "; it would have " + survives(count)
                    + ". " + losing(count) + " of " + ranges().size() + " ranges would lose copies");
        }
        facts.facts().want(name(), count);
        return facts.tellAll(name() + ": each range is to have " + survives(count) + ", no longer " + voters(now));
    }

    private long losing(int count) {
        return ranges().stream().filter(range -> range.voters().size() > count).count();
    }

    private static String survives(int voters) {
        return voters(voters) + ", which survive the loss of " + (voters - 1) / 2;
    }

    private static String voters(int count) {
        return count == 1 ? "1 voter" : count + " voters";
    }

    private static CompletableFuture<OperationResult> refused(String why) {
        return CompletableFuture.completedFuture(new OperationResult(ActionOutcome.REFUSED, why));
    }

    /** Whether balancers manage the ranges. */
    public boolean isBalanced() {
        return balance.isBalanced();
    }

    @Override
    public BalanceControl balance() {
        return pauses;
    }

    @Override
    public List<String> pausedBalancers() {
        return pauses.paused();
    }

    @Override
    public void close() {
        loop.close();
    }
}
