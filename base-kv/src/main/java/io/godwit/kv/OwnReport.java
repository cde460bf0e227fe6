package io.godwit.kv;

import io.godwit.kv.range.Range;
import io.godwit.kv.range.RangeState;
import io.godwit.kv.remote.NodeReport;
import io.godwit.kv.remote.NodeReport.NodeStatus;
import io.godwit.kv.remote.ReplicaReport;
import io.godwit.kv.remote.ReplicaReport.Leading;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Makes a node's report of itself. Any thread. */
record OwnReport(
        String storeId,
        long incarnation,
        Supplier<? extends Collection<StoreRanges>> stores,
        BooleanSupplier isDraining,
        DiskGuard disk) {

    NodeReport of(long revision) {
        Map<String, List<ReplicaReport>> replicas = new HashMap<>();
        for (StoreRanges store : stores.get()) {
            List<ReplicaReport> reports = new ArrayList<>();
            for (Range range : store.all()) {
                if (!(range.state().phase() instanceof RangeState.Retired)) { // another range has its keys
                    reports.add(of(range, store.descriptor(range.id())));
                }
            }
            replicas.put(store.name(), reports);
        }
        NodeStatus status = new NodeStatus(
                isDraining.getAsBoolean(),
                Runtime.getRuntime().availableProcessors(),
                CpuLoad.OF_MACHINE.now(),
                disk.totalBytes(),
                disk.freeBytes());
        return new NodeReport(storeId, incarnation, revision, status, replicas);
    }

    private static ReplicaReport of(Range range, @Nullable RangeDescriptor descriptor) {
        RangeState state = range.state();
        Range.Leading leading = range.leading();
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
                Optional.ofNullable(leading).map(own -> leading(range, own)));
    }

    private static Leading leading(Range range, Range.Leading own) {
        Range.Load load = range.lastLoad();
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
