package io.godwit.api.port.cluster;

import io.godwit.api.port.ClusterAnswer;
import io.godwit.api.port.NotServingException;
import io.godwit.api.port.OperationException;
import java.io.IOException;
import java.io.OutputStream;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;

/**
 * Changes the placement of ranges, the number of their replicas, and the nodes that take part. Called on any thread;
 * calls return at once. Futures complete on any thread, soon after {@code within} at the latest; they fail with
 * {@link OperationException}, which says whether something may have changed, or with {@link NotServingException} when
 * the node has no stores open or too many such requests wait.
 */
public interface StoreAdmin {
    /**
     * A range to be changed.
     *
     * @param epoch that it must have; empty accepts any
     */
    record RangeName(String store, long rangeId, OptionalLong epoch) {}

    /** The change that was made, for people. */
    record Done(String detail) {}

    /**
     * Cuts a range in two.
     *
     * @param key first key of the right part, in hexadecimal or in the form of {@link RangeView#start}; empty: the
     *     leader picks the key that halves the bytes
     */
    CompletableFuture<Done> split(RangeName range, Optional<String> key, Duration within);

    /**
     * Joins a range with the one to its right.
     *
     * @param rightEpoch that the right one must have; empty accepts any
     */
    CompletableFuture<Done> merge(RangeName range, OptionalLong rightEpoch, Duration within);

    /**
     * Moves the leadership of a range to another voter.
     *
     * @param to store id of that voter
     */
    CompletableFuture<Done> transfer(RangeName range, String to, Duration within);

    /**
     * Progress of a move.
     *
     * @param isDone whether the replica has moved; otherwise the move continues
     * @param step the last one, for people
     */
    record MoveState(boolean isDone, String step) {}

    /**
     * Moves a replica from one node to another. The move continues after the answer; the same call again reports its
     * progress. If the node that was asked stops, the move stops with it, and the same call resumes it.
     *
     * @param mayReduce whether the range may end up with a voter less
     */
    CompletableFuture<MoveState> move(RangeName range, String from, String to, boolean mayReduce, Duration within);

    /**
     * A balancer on a node.
     *
     * @param paused whether it is not called now, for any reason
     * @param resting whether the reason is an operator's change under way
     * @param pausedSeconds rest of a pause that ends by itself; 0 for none
     * @param fault why it is not called for the time being; empty when it is
     */
    record BalancerView(
            String store,
            String node,
            String name,
            boolean paused,
            boolean resting,
            long pausedSeconds,
            long done,
            long refused,
            long failed,
            String lastAction,
            String fault,
            Map<String, String> settings) {
        public BalancerView {
            settings = Map.copyOf(settings);
        }
    }

    /** @param stores empty for all */
    CompletableFuture<ClusterAnswer<List<BalancerView>>> balancers(List<String> stores, Duration within);

    /** An action on a balancer. */
    enum BalancerAction {
        /** Lasts until it is resumed, even over restarts, or for the given time. */
        PAUSE,
        RESUME,
        /** Lasts until the node stops. */
        TUNE
    }

    /**
     * A change of a balancer.
     *
     * @param node only there; empty for all nodes
     * @param forSeconds of a pause; 0 for no limit
     * @param settings of {@link BalancerAction#TUNE}
     */
    record BalancerChange(
            String store,
            String balancer,
            BalancerAction action,
            Optional<String> node,
            int forSeconds,
            Map<String, String> settings) {
        public BalancerChange {
            settings = Map.copyOf(settings);
        }
    }

    /** @return the store's balancers on the nodes that made the change */
    CompletableFuture<ClusterAnswer<List<BalancerView>>> change(BalancerChange change, Duration within);

    /**
     * The wanted number of voters of a store's ranges.
     *
     * @param fewer number of ranges with fewer voters
     */
    record ReplicasView(String store, int wantedVoters, int ranges, int fewer) {}

    CompletableFuture<List<ReplicasView>> replicas(Duration within);

    /** @param mayReduce whether ranges may get fewer voters than they have */
    CompletableFuture<Done> wantVoters(String store, int count, boolean mayReduce, Duration within);

    /**
     * What is left on a node.
     *
     * @param unclear why that cannot be determined; empty when it can
     */
    record DrainView(String node, boolean draining, int leaders, int replicas, boolean safeToStop, String unclear) {}

    CompletableFuture<DrainView> drainState(String node, Duration within);

    /**
     * Moves leaders and replicas off a node, or stops doing so.
     *
     * @param isToGo whether the node is to be drained; false keeps it
     * @param mayReduce whether ranges may keep fewer voters than they have
     */
    CompletableFuture<DrainView> drain(String node, boolean isToGo, boolean mayReduce, Duration within);

    /** Removes a node that is not running, for ever. */
    CompletableFuture<Done> forget(String node, Duration within);

    /** State of the replacement of a node. */
    enum ReplaceState {
        RUNNING,
        DONE,
        /**
         * It stopped before it was done; moved replicas stay where they are, and the same call continues from there.
         */
        FAILED
    }

    /**
     * Progress of the replacement of a node.
     *
     * @param moved ranges whose voter was replaced since the beginning
     * @param left ranges whose voter is still to be replaced
     * @param elsewhere ranges that already have a voter on the new node: they get one on another node when the old
     *     node is forgotten
     * @param step the last one, for people
     * @param reason why it failed; empty when it did not
     */
    record ReplaceView(
            String node,
            String by,
            ReplaceState state,
            int moved,
            int left,
            int elsewhere,
            String step,
            String reason) {}

    /**
     * Replaces the voters of a lost node by voters on another node, then forgets the lost node. The work continues
     * after the answer; the same call again joins it. If the node that was asked stops, the replacement stops with it,
     * and the same call at any node resumes it. Each node runs one at a time.
     *
     * @param by id of the node that takes its place
     * @return the progress at its beginning
     */
    CompletableFuture<ReplaceView> replace(String node, String by, Duration within);

    /**
     * Progress of a replacement that this node was asked for, or its result for an hour; empty for others. Completes at
     * once.
     */
    CompletableFuture<Optional<ReplaceView>> replaceState(String node);

    /** A backup of a store, not yet written. */
    interface Backup extends AutoCloseable {
        /**
         * Writes a tar archive for {@code godwit-admin restore}. Blocks; called once.
         *
         * @throws IOException when the archive is incomplete, or {@code out} throws it
         */
        void writeTo(OutputStream out) throws IOException;

        /** Stops {@link #writeTo}, or releases a backup that was not written. Any thread; further calls do nothing. */
        @Override
        void close();
    }

    /**
     * Prepares a backup of a store. The caller must close it. Fails with {@link OperationException} of the kind
     * {@code BUSY} when as many as allowed are under way.
     */
    CompletableFuture<Backup> backup(String store, Duration within);
}
