package io.godwit.api.port;

import java.io.IOException;
import java.io.OutputStream;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;

/**
 * Changes where ranges are, how many copies of them there are, and which nodes take part. Called on any thread; calls
 * return at once. Futures complete on any thread, at the latest soon after {@code within}; they fail with
 * {@link OperationException}, which says whether something may have changed, or with {@link NotServingException} when
 * the node has no stores open or too many such requests wait.
 */
public interface StoreAdmin {
    /**
     * A range that is to be changed.
     *
     * @param epoch that it must have; empty takes it as it is
     */
    record RangeName(String store, long rangeId, OptionalLong epoch) {}

    /** What was done, for people. */
    record Done(String detail) {}

    /**
     * Cuts a range in two.
     *
     * @param key first one of the right part, in hexadecimal or as {@link RangeView#start} has it; empty for where it
     *     halves the bytes
     */
    CompletableFuture<Done> split(RangeName range, Optional<String> key, Duration within);

    /**
     * Joins a range with the one to its right.
     *
     * @param rightEpoch that the right one must have; empty takes it as it is
     */
    CompletableFuture<Done> merge(RangeName range, OptionalLong rightEpoch, Duration within);

    /** @param to id of a voter that becomes the leader */
    CompletableFuture<Done> transfer(RangeName range, String to, Duration within);

    /**
     * How far a move is.
     *
     * @param isDone whether the replica has moved; it goes on otherwise
     * @param step the last one, for people
     */
    record MoveState(boolean isDone, String step) {}

    /**
     * Moves a replica from one node to another. It goes on after the answer; the same call again joins it, and tells
     * how far it is. It ends with the node that was asked, and the same call takes it up where it was.
     *
     * @param mayReduce whether the range may end up with a voter less
     */
    CompletableFuture<MoveState> move(RangeName range, String from, String to, boolean mayReduce, Duration within);

    /**
     * A balancer on a node.
     *
     * @param paused whether it is not asked now, for whatever reason
     * @param resting whether that is for the work of an operator
     * @param pausedSeconds what is left of a pause that ends by itself; 0 for none
     * @param fault why it is not asked for the time being; empty when it is
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

    /** @param stores none for all */
    CompletableFuture<Answer<List<BalancerView>>> balancers(List<String> stores, Duration within);

    /** What may be done with a balancer. */
    enum BalancerAction {
        /** Lasts until it is resumed, over restarts, or for as long as is said. */
        PAUSE,
        RESUME,
        /** Lasts until the node stops. */
        TUNE
    }

    /**
     * What to do with a balancer.
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

    /** @return the store's balancers of the nodes that have done it */
    CompletableFuture<Answer<List<BalancerView>>> change(BalancerChange change, Duration within);

    /**
     * How many voters the ranges of a store are to have.
     *
     * @param fewer how many ranges have fewer
     */
    record ReplicasView(String store, int wantedVoters, int ranges, int fewer) {}

    CompletableFuture<List<ReplicasView>> replicas(Duration within);

    /** @param mayReduce whether they may get fewer than they have */
    CompletableFuture<Done> wantVoters(String store, int count, boolean mayReduce, Duration within);

    /**
     * What a node still has.
     *
     * @param unclear why it cannot be told whether anything is left; empty when it can
     */
    record DrainView(String node, boolean draining, int leaders, int replicas, boolean safeToStop, String unclear) {}

    CompletableFuture<DrainView> drainState(String node, Duration within);

    /**
     * Has leaders and replicas moved off a node, or no more.
     *
     * @param mayReduce whether ranges may keep fewer voters than they have
     */
    CompletableFuture<DrainView> drain(String node, boolean isToGo, boolean mayReduce, Duration within);

    /** Gives up a node that is not running, for ever. */
    CompletableFuture<Done> forget(String node, Duration within);

    /** Where the replacement of a node is: it runs, and then it has ended. */
    enum ReplaceState {
        RUNNING,
        DONE,
        /** It has ended before it was done; what was moved stays so, and the same call again goes on there. */
        FAILED
    }

    /**
     * How far the replacement of a node is.
     *
     * @param moved ranges whose voter was made anew since it was begun
     * @param left ranges whose voter is still to be made anew
     * @param elsewhere ranges that have the other node as a voter already: they get a voter on another one when the
     *     node is forgotten
     * @param step the last one, for people
     * @param reason why it has failed; empty when it has not
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
     * Makes the voters of a node that is gone for good anew on another one, then forgets the first. It goes on after
     * the answer; the same call again joins it. It ends with the node that was asked, and the same call, at any node,
     * takes it up where it was. One at a time at each node.
     *
     * @param by id of the node that takes its place
     * @return how far it is, as it begins
     */
    CompletableFuture<ReplaceView> replace(String node, String by, Duration within);

    /**
     * How far a replacement is that this node was asked for, or for an hour how it has ended; empty for others.
     * Completes at once.
     */
    CompletableFuture<Optional<ReplaceView>> replaceState(String node);

    /** A copy of a store that nobody has read yet. */
    interface Backup extends AutoCloseable {
        /**
         * Writes a tar archive, as {@code godwit-admin restore} reads it. Blocks; called once.
         *
         * @throws IOException when it is not whole, or {@code out} does
         */
        void writeTo(OutputStream out) throws IOException;

        /** Ends {@link #writeTo} before its end, or stands for it. Any thread; further calls do nothing. */
        @Override
        void close();
    }

    /**
     * Prepares a backup of a store. Whoever has it must close it. Fails with {@link OperationException} of the kind
     * {@code BUSY} when as many as are allowed are made already.
     */
    CompletableFuture<Backup> backup(String store, Duration within);
}
