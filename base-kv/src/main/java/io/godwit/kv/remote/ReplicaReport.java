package io.godwit.kv.remote;

import io.godwit.kv.coprocessor.RangeBounds;
import io.godwit.kv.range.leader.RouteToken;
import io.godwit.plugin.balance.RangeLoad;
import io.godwit.plugin.balance.SplitHint;
import java.util.List;
import java.util.Optional;

/**
 * What a node tells of one of its replicas.
 *
 * @param leader as the replica knows it; empty while it knows none
 * @param lastIndex of its log
 * @param createdEpoch of the range when this replica was made
 * @param fault why it has stopped; empty while it runs
 * @param isReplaceable whether, having stopped, it may be begun anew here, see
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
    /** What a busy group writes until the next report comes. */
    private static final long CAUGHT_UP_MARGIN = 4_000;

    public ReplicaReport {
        voters = List.copyOf(voters);
        learners = List.copyOf(learners);
    }

    /**
     * What only a leader knows.
     *
     * @param sizeBytes on disk, about
     * @param change what is under way; empty for nothing
     * @param stableMillis how long the epoch has been what it is
     */
    public record Leading(
            long term,
            long fence,
            long sizeBytes,
            RangeLoad load,
            Optional<SplitHint> hint,
            String change,
            long stableMillis) {}

    /** What requests for it are to carry; empty unless this replica leads. */
    public Optional<RouteToken> token() {
        return leading.map(own -> new RouteToken(rangeId, own.term(), own.fence()));
    }

    /** The same from a node that is gone, and so leads nothing. */
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
     * Whether it has all but the last of a log that goes up to {@code index}: a report is up to two seconds old. Making
     * it a voter waits for the rest.
     */
    public boolean isCaughtUpTo(long index) {
        return fault.isEmpty() && lastIndex > 0 && lastIndex + CAUGHT_UP_MARGIN >= index;
    }

    public boolean hasReplicaOn(String storeId) {
        return voters.contains(storeId) || learners.contains(storeId);
    }
}
