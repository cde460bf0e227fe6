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
 * Linearizable reads of a range. Queries that arrive while a ReadIndex is under way share the next one. Confined to the
 * range executor; the queries run on I/O threads.
 */
public final class ReadGate {
    /** Whom the gate tells of queries; on any thread. */
    interface Listener {
        /** The range does not own the key any more. */
        void elsewhere(Query query);

        void answered(Query query, long nanos);
    }

    /** A query with its future. */
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

        /** For whoever owns {@code key}. */
        public static Query of(byte[] key, byte[] query, Deadline deadline) {
            return new Query(key, null, false, query, deadline);
        }

        /** For whoever owns all of {@code [key, end)}. */
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
    /** Of the request that is under way; rises with each, and when it has failed. */
    private long turn;

    private @Nullable RangeException closed;

    /** @param faults told, on an I/O thread, when the database turns out to be damaged */
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

    /** Asks for what has gathered; called when the executor has drained a batch of tasks. */
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

    /**
     * Of a failure that is told twice the second is passed over: the batch, which waits again by then, would be added
     * to itself.
     */
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
                            ? Waiting.notLed() // before long: it may be asked again of whoever leads then
                            : new RangeException(Cause.STORE_FAILED, "query: " + e.getMessage()));
            return;
        } catch (RuntimeException e) { // plug-in code at the outermost frame of a read
            query.answer.completeExceptionally(new RangeException(Cause.STORE_FAILED, "query: " + e));
            return;
        }
        // after the query: the bounds change before the data and the coprocessor do, so it has seen all of what it
        // asked for
        RangeState state = db.state();
        RangeBounds bounds = state.bounds();
        if (state.isLeaving()) {
            listener.elsewhere(query); // its keys may be another's by now, and have been written there
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

    /** Queries that wait, and all to come, fail with {@code cause}. */
    public void close(RangeException cause) {
        closed = cause;
        List<Query> failing = waiting;
        waiting = new ArrayList<>();
        failing.forEach(query -> query.answer.completeExceptionally(cause));
    }
}
