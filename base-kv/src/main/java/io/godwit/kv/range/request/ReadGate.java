package io.godwit.kv.range.request;

import io.godwit.kv.client.Deadline;
import io.godwit.kv.client.RangeException;
import io.godwit.kv.client.RangeException.Cause;
import io.godwit.kv.coprocessor.RangeBounds;
import io.godwit.kv.coprocessor.RangeCoprocessor;
import io.godwit.kv.disk.FaultHandler;
import io.godwit.kv.range.data.RangeDb;
import io.godwit.kv.range.data.RangeDbException;
import io.godwit.kv.range.leader.ReadIndex;
import io.godwit.kv.range.state.RangeState;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/**
 * Linearizable reads of a range. Queries that arrive during a ReadIndex share the next one. Confined to the range
 * executor; queries run on I/O threads.
 */
public final class ReadGate {
    /** Is told of queries, on any thread. */
    interface Listener {
        /** The range no longer owns the key. */
        void elsewhere(Query query);

        void answered(Query query, long nanos);
    }

    /** A query and its future. */
    public static final class Query implements Expiring {
        private final byte[] key;
        private final byte @Nullable [] end;
        private final boolean isInterval;
        private final byte[] query;
        private final long deadlineNanos;
        private final CompletableFuture<byte[]> answer = new CompletableFuture<>();

        private Query(byte[] key, byte @Nullable [] end, boolean isInterval, byte[] query, Deadline deadline) {
            this.key = key;
            this.end = end;
            this.isInterval = isInterval;
            this.query = query;
            this.deadlineNanos = deadline.nanoTime();
        }

        /** A query to the range that owns {@code key}. */
        public static Query of(byte[] key, byte[] query, Deadline deadline) {
            return new Query(key, null, false, query, deadline);
        }

        /** A query to the range that owns all of {@code [key, end)}. */
        public static Query ofInterval(byte[] key, byte @Nullable [] end, byte[] query, Deadline deadline) {
            return new Query(key, end, true, query, deadline);
        }

        public byte[] key() {
            return key;
        }

        private boolean isWithin(RangeBounds bounds) {
            byte @Nullable [] last = bounds.end();
            return bounds.contains(key)
                    && (!isInterval || last == null || end != null && Arrays.compareUnsigned(end, last) <= 0);
        }

        public CompletableFuture<byte[]> answer() {
            return answer;
        }

        @Override
        public boolean isDone() {
            return answer.isDone();
        }

        @Override
        public long deadlineNanos() {
            return deadlineNanos;
        }

        @Override
        public void expire() {
            answer.completeExceptionally(new RangeException(Cause.TIMEOUT, "query not answered by its deadline"));
        }
    }

    private final ReadIndex readIndex;
    private final RangeDb db;
    private final RangeCoprocessor coprocessor;
    private final Executor rangeExecutor;
    private final Executor io;
    private final FaultHandler faults;
    private final Listener listener;
    private List<Query> waiting = new ArrayList<>();
    private boolean underWay;
    /** Number of the present request; incremented for each request and when it has failed. */
    private long turn;

    private @Nullable RangeException closed;

    /** @param faults told, on an I/O thread, if the database is damaged */
    ReadGate(
            ReadIndex readIndex,
            RangeDb db,
            RangeCoprocessor coprocessor,
            Executor rangeExecutor,
            Executor io,
            FaultHandler faults,
            Listener listener) {
        this.readIndex = readIndex;
        this.db = db;
        this.coprocessor = coprocessor;
        this.rangeExecutor = rangeExecutor;
        this.io = io;
        this.faults = faults;
        this.listener = listener;
    }

    public void add(Query query) {
        if (closed != null) {
            query.answer.completeExceptionally(closed);
            return;
        }
        waiting.add(query);
    }

    /** Sends the collected queries; called when the executor has drained a batch of tasks. */
    public void flush() {
        if (underWay || waiting.isEmpty()) {
            return;
        }
        underWay = true;
        long own = ++turn;
        List<Query> batch = waiting;
        waiting = new ArrayList<>();
        readIndex.request(ok -> {
            if (ok) {
                batch.forEach(query -> io.execute(() -> answer(query)));
                rangeExecutor.execute(() -> {
                    if (own == turn) {
                        underWay = false;
                    }
                });
            } else {
                rangeExecutor.execute(() -> retry(own, batch));
            }
        });
    }

    /** Ignores the second report of one failure: the batch waits again by then and would be added to itself. */
    private void retry(long own, List<Query> batch) {
        if (own != turn) {
            return;
        }
        turn++;
        batch.removeIf(Query::isDone);
        if (closed != null) {
            batch.forEach(query -> query.answer.completeExceptionally(closed));
            underWay = false;
            return;
        }
        batch.addAll(waiting);
        waiting = batch;
        readIndex.later(ReadIndex.RETRY_MILLIS, () -> underWay = false);
    }

    private void answer(Query query) {
        if (query.isDone()) {
            return;
        }
        byte[] reply;
        long begun = System.nanoTime();
        try {
            reply = db.readSnapshot(reader -> coprocessor.query(reader, query.query));
        } catch (RangeDb.ClosedException e) {
            query.answer.completeExceptionally(new RangeException(Cause.CLOSED, "store is closing"));
            return;
        } catch (RangeDbException e) {
            faults.onFault("query", e);
            query.answer.completeExceptionally(
                    db.state().hasOtherVoters()
                            ? Waiting.notLed() // the next leader may answer it
                            : new RangeException(Cause.STORE_FAILED, "query: " + e.getMessage()));
            return;
        } catch (RuntimeException e) { // outermost frame of a read: errors of coprocessors
            query.answer.completeExceptionally(new RangeException(Cause.STORE_FAILED, "query: " + e));
            return;
        }
        // after the query: bounds change before the data and the coprocessor do, so if they are unchanged the query has
        // seen all it asked for
        RangeState state = db.state();
        RangeBounds bounds = state.bounds();
        if (state.isLeaving()) {
            listener.elsewhere(query); // another range may own its keys now, and may have written them
        } else if (query.isWithin(bounds)) {
            listener.answered(query, System.nanoTime() - begun);
            query.answer.complete(reply);
        } else if (bounds.contains(query.key)) {
            query.answer.completeExceptionally(
                    new RangeException(Cause.MOVED, "the range does not reach that far any more"));
        } else {
            listener.elsewhere(query);
        }
    }

    /** Fails waiting and later queries with {@code cause}. */
    public void close(RangeException cause) {
        closed = cause;
        List<Query> failing = waiting;
        waiting = new ArrayList<>();
        failing.forEach(query -> query.answer.completeExceptionally(cause));
    }
}
