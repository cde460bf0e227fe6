package io.godwit.broker.admin.steering;

import io.godwit.api.port.OperationException;
import io.godwit.api.port.cluster.StoreAdmin.MoveState;
import io.godwit.api.port.cluster.StoreAdmin.RangeName;
import io.godwit.broker.admin.action.Pauses;
import io.godwit.broker.admin.action.ReplicaMove;
import io.godwit.broker.admin.action.RestingBalancers;
import io.godwit.broker.admin.rpc.AdminClient;
import io.godwit.broker.admin.rpc.Messages;
import io.godwit.broker.admin.terminal.AdminException;
import io.godwit.broker.admin.terminal.AdminException.Kind;
import io.godwit.broker.admin.terminal.NodeNames;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The moves of replicas requested over the API. Each move has a thread until its end, and continues when nobody waits
 * for it any more. Any thread; the monitor guards the set of moves.
 */
final class Moves implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(Moves.class);
    static final int MAX_MOVES = 2;
    private static final int PATIENCE_SECONDS = 3_600;
    private static final long IDLE_SECONDS = 10;

    private final AdminClient client;
    private final ThreadPoolExecutor threads;
    /** Moves under way, by store and range. */
    private final Map<String, Move> underWay = new HashMap<>();

    private volatile boolean isClosed;

    /** One move. */
    static final class Move {
        private final String from;
        private final String to;
        private final CompletableFuture<MoveState> end = new CompletableFuture<>();
        /** The last step, for people. Volatile: written by the moving thread, read by requests. */
        private volatile String step = "begun";
        /** Volatile: written by the moving thread, closed by the closing thread. */
        private volatile @Nullable RestingBalancers resting;

        Move(String from, String to) {
            this.from = from;
            this.to = to;
        }

        /** Completes at the end of the move, or after {@code within} with the current step. */
        CompletableFuture<MoveState> state(Duration within) {
            CompletableFuture<MoveState> answer = end.copy();
            CompletableFuture.delayedExecutor(within.toMillis(), TimeUnit.MILLISECONDS, Runnable::run)
                    .execute(() -> answer.complete(new MoveState(false, step)));
            return answer;
        }
    }

    Moves(AdminClient client) {
        this.client = client;
        this.threads =
                new ThreadPoolExecutor(0, MAX_MOVES, IDLE_SECONDS, TimeUnit.SECONDS, new SynchronousQueue<>(), task -> {
                    Thread thread = new Thread(task, "admin-move");
                    thread.setDaemon(true);
                    return thread;
                });
    }

    /** @throws AdminException if a replica of that range is being moved between other nodes */
    synchronized Optional<Move> underWay(RangeName range, String from, String to) throws AdminException {
        Move move = underWay.get(key(range.store(), range.rangeId()));
        if (move != null && !(move.from.equals(from) && move.to.equals(to))) {
            throw new AdminException(
                    Kind.REFUSED,
                    "not done: a replica of range " + range.rangeId() + " is on its way from " + move.from + " to "
                            + move.to);
        }
        return Optional.ofNullable(move);
    }

    private static String key(String store, long rangeId) {
        return store + " " + rangeId;
    }

    /** Begins the move, or joins the same move if it has begun meanwhile. */
    Move begin(String store, Messages.Range range, NodeNames names, String from, String to) throws AdminException {
        Move move;
        synchronized (this) {
            Optional<Move> other = underWay(new RangeName(store, range.id(), OptionalLong.empty()), from, to);
            if (other.isPresent()) {
                return other.get();
            }
            move = new Move(from, to);
            try {
                threads.execute(() -> run(store, range, names, move));
            } catch (RejectedExecutionException e) {
                throw new OperationException(
                        OperationException.Kind.BUSY,
                        isClosed ? "the node stops" : MAX_MOVES + " replicas are on their way already");
            }
            underWay.put(key(store, range.id()), move);
        }
        return move;
    }

    private void run(String store, Messages.Range range, NodeNames names, Move move) {
        LOG.info("operator moves a replica store={} range={} from={} to={}", store, range.id(), move.from, move.to);
        String done = "";
        RuntimeException failure = null;
        try (RestingBalancers resting = RestingBalancers.untilClosed(client, store)) {
            move.resting = resting;
            resting.begin();
            Messages.Range moved = new ReplicaMove(
                            client,
                            names,
                            store,
                            PATIENCE_SECONDS,
                            line -> move.step = line,
                            millis -> pause(resting, millis))
                    .run(range, move.from, move.to);
            done = "its voters are " + String.join(", ", moved.voters());
        } catch (AdminException e) {
            failure = OperatorCalls.exception(e);
        } catch (RuntimeException e) { // outermost frame of the thread
            failure = e;
        }
        end(store, range, move, done, failure); // after the balancers have resumed
    }

    private void end(String store, Messages.Range range, Move move, String done, @Nullable RuntimeException failure) {
        synchronized (this) {
            underWay.remove(key(store, range.id()));
        }
        if (failure == null) {
            LOG.info("replica moved store={} range={} from={} to={}", store, range.id(), move.from, move.to);
            move.end.complete(new MoveState(true, done));
        } else {
            LOG.warn(
                    "replica not moved store={} range={} from={} to={} step={} cause={}",
                    store,
                    range.id(),
                    move.from,
                    move.to,
                    move.step,
                    failure.toString());
            move.end.completeExceptionally(failure);
        }
    }

    private void pause(RestingBalancers resting, long millis) throws AdminException {
        resting.goOn();
        if (isClosed) {
            throw new AdminException(Kind.FAILED, "the node stops; repeat the request to continue");
        }
        Pauses.sleep(millis);
    }

    /** Moves under way end at their next step; see {@link #awaitEnd}. */
    @Override
    public void close() {
        isClosed = true;
        threads.shutdown();
    }

    /** Waits that long for the moves, then ends the rest of their balancers and interrupts them. */
    void awaitEnd(long seconds) throws InterruptedException {
        if (threads.awaitTermination(seconds, TimeUnit.SECONDS)) {
            return;
        }
        List<Move> left;
        synchronized (this) {
            left = List.copyOf(underWay.values());
        }
        for (Move move : left) {
            RestingBalancers resting = move.resting;
            if (resting != null) {
                resting.close(); // on this thread: the other may be stuck waiting for a node
            }
        }
        threads.shutdownNow();
    }
}
