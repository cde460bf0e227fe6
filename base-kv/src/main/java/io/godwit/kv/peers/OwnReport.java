package io.godwit.kv.peers;

import io.godwit.kv.facts.ClusterFacts;
import io.godwit.kv.range.Range;
import io.godwit.kv.range.leader.KnownLeadership;
import io.godwit.kv.range.leader.MeasuredLoad;
import io.godwit.kv.range.state.RangeState;
import io.godwit.kv.remote.NodeReport;
import io.godwit.kv.remote.NodeReport.NodeStatus;
import io.godwit.kv.remote.ReplicaReport;
import io.godwit.kv.remote.ReplicaReport.Leading;
import io.godwit.kv.store.DiskGuard;
import io.godwit.kv.store.RangeDescriptor;
import io.godwit.kv.store.StoreRanges;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;

/**
 * Makes the reports of this node about itself. Any thread.
 *
 * @param isLogWhole whether the log can be written; otherwise no replica can be made again here
 * @param facts the facts of the cluster as noted here
 */
public record OwnReport(
        String storeId,
        long incarnation,
        Supplier<? extends Collection<StoreRanges>> stores,
        BooleanSupplier isDraining,
        BooleanSupplier isLogWhole,
        DiskGuard disk,
        Supplier<ClusterFacts> facts) {

    public NodeReport of(long revision) {
        return of(revision, stores.get());
    }

    /**
     * A report of one store alone, which the balancers of the store read every second. It has no revision because it is
     * not sent.
     */
    public NodeReport of(String store) {
        return of(
                0,
                stores.get().stream().filter(each -> each.name().equals(store)).toList());
    }

    private NodeReport of(long revision, Collection<StoreRanges> told) {
        Map<String, List<ReplicaReport>> replicas = new HashMap<>();
        for (StoreRanges store : told) {
            List<ReplicaReport> reports = new ArrayList<>();
            for (Range range : store.all()) {
                if (!(range.state().phase() instanceof RangeState.Retired)) { // another range has its keys
                    reports.add(of(store, range));
                }
            }
            store.unopened().forEach(each -> reports.add(of(store, each)));
            replicas.put(store.name(), reports);
        }
        NodeStatus status = new NodeStatus(
                isDraining.getAsBoolean(),
                Runtime.getRuntime().availableProcessors(),
                CpuLoad.OF_PROCESS.now(),
                disk.totalBytes(),
                disk.freeBytes());
        return new NodeReport(storeId, incarnation, revision, status, replicas, facts.get());
    }

    /** For a replica whose database was not opened: the descriptor from when the replica was made. */
    private ReplicaReport of(StoreRanges store, StoreRanges.Unopened closed) {
        RangeDescriptor descriptor = closed.descriptor();
        return new ReplicaReport(
                descriptor.id(),
                descriptor.epoch(),
                descriptor.bounds(),
                closed.voters(),
                List.of(),
                "",
                0,
                descriptor.joinedEpoch(),
                closed.fault(),
                isReplaceable(store, descriptor.id()),
                Optional.empty());
    }

    private boolean isReplaceable(StoreRanges store, long rangeId) {
        return isLogWhole.getAsBoolean() && !store.hasKept(rangeId);
    }

    private ReplicaReport of(StoreRanges store, Range range) {
        RangeDescriptor descriptor = store.descriptor(range.id());
        RangeState state = range.state();
        KnownLeadership leading = range.leading();
        if (leading != null && !leading.isOf(state.bounds())) {
            leading = null; // one of the two is a moment newer; the next report has both
        }
        return new ReplicaReport(
                state.id(),
                state.epoch(),
                state.bounds(),
                state.members().voters(),
                state.members().learners(),
                range.leader(),
                range.lastLogIndex(),
                descriptor == null ? 0 : descriptor.joinedEpoch(),
                range.stoppedBy(),
                !range.stoppedBy().isEmpty() && isReplaceable(store, range.id()),
                Optional.ofNullable(leading).map(own -> leading(range, own)));
    }

    private static Leading leading(Range range, KnownLeadership own) {
        MeasuredLoad load = range.lastLoad();
        return new Leading(
                own.token().term(),
                own.token().fence(),
                range.sizeBytes(),
                load.load(),
                load.splitHint(),
                range.changeUnderWay(),
                range.stableMillis());
    }
}
