package io.godwit.kv;

import io.godwit.kv.balance.ActionOutcome;
import io.godwit.kv.balance.BalanceControl;
import io.godwit.kv.balance.BalanceLoop;
import io.godwit.kv.balance.BalanceTimer;
import io.godwit.kv.client.Deadline;
import io.godwit.kv.range.Range;
import io.godwit.kv.remote.NodeReport;
import io.godwit.kv.remote.NodeRpc.Question;
import io.godwit.kv.remote.ReplicaReport;
import io.godwit.kv.remote.Routes;
import io.godwit.plugin.balance.BalanceAction;
import io.godwit.plugin.balance.RangeLoad;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** One store of this node in the hands of its operators and balancers. */
final class StoreControl implements StoreOperations, AutoCloseable {
    private final StoreRanges ranges;
    private final String self;
    private final StoreViews views;
    private final LocalActions actions;
    private final @Nullable ClusterLinks links;
    private final BalanceLoop loop;
    private final boolean isBalanced;

    /** @param links null when this node is alone */
    StoreControl(
            StoreRanges ranges, StoreBalance balance, OwnReport own, @Nullable ClusterLinks links, BalanceTimer timer) {
        this.ranges = ranges;
        this.self = own.storeId();
        this.links = links;
        this.views = new StoreViews(ranges.name(), balance.goal(), own, links);
        this.actions = new LocalActions(ranges, self, links);
        this.isBalanced = !balance.plan().steps().isEmpty();
        this.loop = new BalanceLoop(ranges.name(), balance.plan(), views, actions, balance.pace(), timer);
    }

    void start() {
        if (isBalanced) {
            loop.start();
        }
    }

    @Override
    public String name() {
        return ranges.name();
    }

    @Override
    public List<RangeInfo> ranges() {
        List<RangeInfo> infos = new ArrayList<>();
        Map<String, NodeReport> reports = views.reports();
        for (Routes.Route route : views.routes(reports)) {
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
        String leader = views.routes(views.reports()).stream()
                .filter(route -> route.rangeId() == action.rangeId())
                .map(Routes.Route::leader)
                .findFirst()
                .orElse("");
        ClusterLinks cluster = links;
        CompletableFuture<OperationResult> result;
        if (leader.isEmpty()) {
            return CompletableFuture.completedFuture(new OperationResult(
                    ActionOutcome.STALE, "range " + action.rangeId() + " does not exist, or has no leader"));
        } else if (leader.equals(self) || cluster == null) {
            result = actions.carryOut(action);
        } else {
            result = ask(cluster, leader, action, deadline);
        }
        long nanosLeft = deadline.remainingNanos(System.nanoTime());
        return result.completeOnTimeout(
                new OperationResult(ActionOutcome.FAILED, "not ended by the deadline: it may end well later"),
                nanosLeft,
                TimeUnit.NANOSECONDS);
    }

    private CompletableFuture<OperationResult> ask(
            ClusterLinks cluster, String leader, BalanceAction action, Deadline deadline) {
        long millisLeft = TimeUnit.NANOSECONDS.toMillis(deadline.remainingNanos(System.nanoTime()));
        return cluster.rpc()
                .ask(
                        leader,
                        Question.CARRY_OUT,
                        ActionCodec.encode(new ActionCodec.Request(name(), millisLeft, action)),
                        millisLeft)
                .thenApply(StoreControl::resultOf)
                .exceptionally(
                        failure -> new OperationResult(ActionOutcome.FAILED, String.valueOf(failure.getMessage())));
    }

    private static OperationResult resultOf(byte[] answer) {
        try {
            return ActionCodec.result(answer);
        } catch (IOException e) {
            return new OperationResult(ActionOutcome.FAILED, String.valueOf(e.getMessage()));
        }
    }

    /** For another node, which takes this one for the leader. */
    CompletableFuture<OperationResult> carryOutHere(BalanceAction action) {
        return actions.carryOut(action);
    }

    /** The replica of a range on this node; null when there is none. */
    @Nullable
    Range range(long id) {
        return ranges.find(id);
    }

    StoreViews views() {
        return views;
    }

    @Override
    public BalanceControl balance() {
        return loop;
    }

    @Override
    public void close() {
        loop.close();
    }
}
