package io.godwit.kv.range;

import io.godwit.kv.client.Deadline;
import io.godwit.kv.client.RangeException;
import io.godwit.kv.client.RangeException.Cause;
import io.godwit.kv.coprocessor.RangeCoprocessor;
import io.godwit.kv.raft.FaultHandler;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/**
 * Linearizable reads of a range. Queries that arrive while a ReadIndex is under way share the next one. Confined to the range executor;
 * the queries run on I/O threads.
 */
final class ReadGate {
    static final long RETRY_MILLIS = 20;

    /** Gives a point in the log that holds all that was acknowledged, and waits until it is applied here. */
    interface ReadIndex {
        /** Tells {@code then}, on any thread, whether it worked. */
        void request(ReadIndexDone then);

        /** Runs {@code task} on the range executor after a pause. */
        void later(long delayMillis, Runnable task);
    }

    interface ReadIndexDone {
        void done(boolean ok);
    }

    /** A query with its future. */
    static final class Query implements Expiring {
        private final byte[] query;
        private final long deadlineNanos;
        private final CompletableFuture<byte[]> answer = new CompletableFuture<>();

        Query(byte[] query, Deadline deadline) {
            this.query = query;
            this.deadlineNanos = deadline.nanoTime();
        }

        CompletableFuture<byte[]> answer() {
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
    private List<Query> waiting = new ArrayList<>();
    private boolean underWay;
    private @Nullable RangeException closed;

    /** @param faults told, on an I/O thread, when the database turns out to be damaged */
    ReadGate(
            ReadIndex readIndex,
            RangeDb db,
            RangeCoprocessor coprocessor,
            Executor rangeExecutor,
            Executor io,
            FaultHandler faults) {
        this.readIndex = readIndex;
        this.db = db;
        this.coprocessor = coprocessor;
        this.rangeExecutor = rangeExecutor;
        this.io = io;
        this.faults = faults;
    }

    void add(Query query) {
        if (closed != null) {
            query.answer.completeExceptionally(closed);
            return;
        }
        waiting.add(query);
    }

    /** Asks for what has gathered; called when the executor has drained a batch of tasks. */
    void flush() {
        if (underWay || waiting.isEmpty()) {
            return;
        }
        underWay = true;
        List<Query> batch = waiting;
        waiting = new ArrayList<>();
        readIndex.request(ok -> {
            if (ok) {
                batch.forEach(query -> io.execute(() -> answer(query)));
                rangeExecutor.execute(() -> underWay = false);
            } else {
                rangeExecutor.execute(() -> retry(batch));
            }
        });
    }

    private void retry(List<Query> batch) {
        batch.removeIf(Query::isDone);
        if (closed != null) {
            batch.forEach(query -> query.answer.completeExceptionally(closed));
            underWay = false;
            return;
        }
        batch.addAll(waiting);
        waiting = batch;
        readIndex.later(RETRY_MILLIS, () -> underWay = false);
    }

    private void answer(Query query) {
        if (query.isDone()) {
            return;
        }
        byte[] reply;
        try {
            reply = db.readSnapshot(reader -> coprocessor.query(reader, query.query));
        } catch (RangeDb.ClosedException e) {
            query.answer.completeExceptionally(new RangeException(Cause.CLOSED, "store is closing"));
            return;
        } catch (RangeDbException e) {
            faults.onFault("query", e);
            query.answer.completeExceptionally(new RangeException(Cause.STORE_FAILED, "query: " + e.getMessage()));
            return;
        } catch (RuntimeException e) { // plug-in code at the outermost frame of a read
            query.answer.completeExceptionally(new RangeException(Cause.STORE_FAILED, "query: " + e));
            return;
        }
        query.answer.complete(reply);
    }

    /** Queries that wait, and all to come, fail with {@code cause}. */
    void close(RangeException cause) {
        closed = cause;
        List<Query> failing = waiting;
        waiting = new ArrayList<>();
        failing.forEach(query -> query.answer.completeExceptionally(cause));
    }
}
