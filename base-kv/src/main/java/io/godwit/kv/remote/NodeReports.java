package io.godwit.kv.remote;

import io.godwit.kv.facts.ClusterFacts;
import io.godwit.kv.facts.FactsCodec;
import io.godwit.kv.protocol.WireBytes;
import io.godwit.kv.remote.NodeReport.NodeStatus;
import io.godwit.kv.remote.ReplicaReport.Leading;
import io.godwit.kv.wire.HintMessage;
import io.godwit.kv.wire.LeadingMessage;
import io.godwit.kv.wire.ReplicaMessage;
import io.godwit.kv.wire.ReportMessage;
import io.godwit.kv.wire.StatusMessage;
import io.godwit.kv.wire.StoreReport;
import io.godwit.plugin.balance.Key;
import io.godwit.plugin.balance.RangeLoad;
import io.godwit.plugin.balance.SplitHint;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** {@link NodeReport}s as messages to other nodes. */
public final class NodeReports {
    private static final int MAX_COUNT = 1 << 20;
    private static final int MAX_FAULT_CHARS = 1_000;

    private NodeReports() {}

    public static ReportMessage message(NodeReport report) {
        NodeStatus status = report.status();
        ReportMessage.Builder out = ReportMessage.newBuilder()
                .setStoreId(report.storeId())
                .setIncarnation(report.incarnation())
                .setRevision(report.revision())
                .setStatus(StatusMessage.newBuilder()
                        .setIsDraining(status.isDraining())
                        .setCores(status.cores())
                        .setCpuLoad(status.cpuLoad())
                        .setDiskTotalBytes(status.diskTotalBytes())
                        .setDiskFreeBytes(status.diskFreeBytes()))
                .setFacts(FactsCodec.message(report.facts()));
        report.replicas().forEach((name, replicas) -> {
            StoreReport.Builder store = StoreReport.newBuilder().setStore(name);
            replicas.forEach(replica -> store.addReplicas(message(replica)));
            out.addStores(store);
        });
        return out.build();
    }

    private static ReplicaMessage message(ReplicaReport replica) {
        ReplicaMessage.Builder out = ReplicaMessage.newBuilder()
                .setRangeId(replica.rangeId())
                .setEpoch(replica.epoch())
                .setStart(WireBytes.wrap(replica.bounds().start()))
                .addAllVoters(replica.voters())
                .addAllLearners(replica.learners())
                .setLeader(replica.leader())
                .setLastIndex(replica.lastIndex())
                .setCreatedEpoch(replica.createdEpoch())
                .setFault(shortened(replica.fault()))
                .setIsReplaceable(replica.isReplaceable());
        byte @Nullable [] end = replica.bounds().end();
        if (end != null) {
            out.setEnd(WireBytes.wrap(end));
        }
        replica.leading().ifPresent(leading -> out.setLeading(message(leading)));
        return out.build();
    }

    /** Limits the length, because exception messages may be of any length. */
    private static String shortened(String fault) {
        return fault.length() <= MAX_FAULT_CHARS ? fault : fault.substring(0, MAX_FAULT_CHARS) + "...";
    }

    private static LeadingMessage message(Leading leading) {
        LeadingMessage.Builder out = LeadingMessage.newBuilder()
                .setTerm(leading.term())
                .setFence(leading.fence())
                .setSizeBytes(leading.sizeBytes())
                .setMeasuredMillis(leading.load().measuredFor().toMillis())
                .setOperationsPerSecond(leading.load().operationsPerSecond())
                .setPeakOperationsPerSecond(leading.load().peakOperationsPerSecond())
                .setOperationNanos(leading.load().operationNanos())
                .setChange(leading.change())
                .setStableMillis(leading.stableMillis());
        leading.hint()
                .ifPresent(hint -> out.setHint(HintMessage.newBuilder()
                        .setKey(WireBytes.wrap(hint.key().bytes()))
                        .setShareBelow(hint.shareBelow())));
        return out.build();
    }

    /** @throws IOException if a part is missing or a value is out of its bounds */
    public static NodeReport report(ReportMessage in) throws IOException {
        if (!in.hasStatus()) {
            throw new IOException("report without the status of the node");
        }
        StatusMessage told = in.getStatus();
        NodeStatus status = new NodeStatus(
                told.getIsDraining(),
                told.getCores(),
                told.getCpuLoad(),
                told.getDiskTotalBytes(),
                told.getDiskFreeBytes());
        try {
            Map<String, List<ReplicaReport>> stores = new HashMap<>();
            for (StoreReport store : in.getStoresList()) {
                WireBytes.requireAtMost(store.getReplicasCount(), MAX_COUNT, "replicas");
                List<ReplicaReport> replicas = new ArrayList<>(store.getReplicasCount());
                for (ReplicaMessage replica : store.getReplicasList()) {
                    replicas.add(replica(replica));
                }
                stores.put(store.getStore(), replicas);
            }
            ClusterFacts facts = in.hasFacts() ? FactsCodec.facts(in.getFacts()) : ClusterFacts.NONE;
            return new NodeReport(in.getStoreId(), in.getIncarnation(), in.getRevision(), status, stores, facts);
        } catch (IllegalArgumentException e) { // thrown by the records
            throw new IOException("report: " + e.getMessage(), e);
        }
    }

    private static ReplicaReport replica(ReplicaMessage in) {
        return new ReplicaReport(
                in.getRangeId(),
                in.getEpoch(),
                WireBytes.bounds(in.getStart(), in.hasEnd(), in.getEnd()),
                in.getVotersList(),
                in.getLearnersList(),
                in.getLeader(),
                in.getLastIndex(),
                in.getCreatedEpoch(),
                in.getFault(),
                in.getIsReplaceable(),
                in.hasLeading() ? Optional.of(leading(in.getLeading())) : Optional.empty());
    }

    private static Leading leading(LeadingMessage in) {
        RangeLoad load = new RangeLoad(
                Duration.ofMillis(in.getMeasuredMillis()),
                in.getOperationsPerSecond(),
                in.getPeakOperationsPerSecond(),
                in.getOperationNanos());
        Optional<SplitHint> hint = in.hasHint()
                ? Optional.of(new SplitHint(
                        Key.of(in.getHint().getKey().toByteArray()),
                        in.getHint().getShareBelow()))
                : Optional.empty();
        return new Leading(
                in.getTerm(), in.getFence(), in.getSizeBytes(), load, hint, in.getChange(), in.getStableMillis());
    }
}
