package io.godwit.kv.remote;

import io.godwit.kv.coprocessor.RangeBounds;
import io.godwit.kv.range.leader.RouteToken;
import io.godwit.plugin.balance.RangeLoad;
import io.godwit.plugin.balance.SplitHint;
import java.util.List;
import java.util.Optional;

/**
 * A node's report about one of its replicas.
 *
 * @param leader the leader's store id, as far as the replica knows; empty if it knows none
 * @param lastIndex last index of its log
 * @param createdEpoch epoch of the range when this replica was made
 * @param fault why it has stopped; empty while it runs
 * @param isReplaceable whether a stopped replica may be made again here, see
 *     {@link io.godwit.plugin.balance.ReplicaFault}
 * @param leading empty unless this replica leads
 */
public record ReplicaReport(
        long rangeId,
        long epoch,
        RangeBounds bounds,
        List<String> voters,
        List<String> learners,
        String leader,
        long lastIndex,
        long createdEpoch,
        String fault,
        boolean isReplaceable,
        Optional<Leading> leading) {
    /** Entries that a busy group may write before the next report. */
    private static final long CAUGHT_UP_MARGIN = 4_000;

    public ReplicaReport {
        voters = List.copyOf(voters);
        learners = List.copyOf(learners);
    }

    /**
     * What only the leader of a range knows.
     *
     * @param sizeBytes approximate size on disk
     * @param change the change in progress; empty if there is none
     * @param stableMillis time since the epoch last changed
     */
    public record Leading(
            long term,
            long fence,
            long sizeBytes,
            RangeLoad load,
            Optional<SplitHint> hint,
            String change,
            long stableMillis) {}

    /** The token that requests must carry; empty unless this replica leads. */
    public Optional<RouteToken> token() {
        return leading.map(own -> new RouteToken(rangeId, own.term(), own.fence()));
    }

    /** A copy without the leadership, for a node that is gone. */
    public ReplicaReport withoutLeader() {
        return new ReplicaReport(
                rangeId,
                epoch,
                bounds,
                voters,
                learners,
                "",
                lastIndex,
                createdEpoch,
                fault,
                isReplaceable,
                Optional.empty());
    }

    /**
     * Whether the replica has all but the last entries of a log up to {@code index}; a report may be two seconds old.
     * Making the replica a voter waits for the rest.
     */
    public boolean isCaughtUpTo(long index) {
        return fault.isEmpty() && lastIndex > 0 && lastIndex + CAUGHT_UP_MARGIN >= index;
    }

    public boolean hasReplicaOn(String storeId) {
        return voters.contains(storeId) || learners.contains(storeId);
    }
}
