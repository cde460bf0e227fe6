package io.godwit.api.audit;

import io.godwit.api.port.access.AuditSink;
import java.io.IOException;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.function.IntFunction;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The audit log: records of changes, written by its own thread. A change reserves a place before it begins
 * ({@link #begin}), so every change is recorded. While no place is left, or the last record could not be written,
 * {@link #begin} returns null and the caller must not make the change. Records are written in the order in which
 * changes ended. If one cannot be written, the writer tries again each second; later records wait behind it.
 *
 * <p>{@link #start} and {@link #close} are for the thread that made the log; all other methods for any thread, without
 * waiting.
 */
public final class AuditLog implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(AuditLog.class);

    /**
     * Most changes under way (one for each connection) and waiting records together; each record takes at most some 100
     * KB.
     */
    static final int MOST = 512;

    /** The status of a change whose end the node did not see. */
    public static final int UNKNOWN = 0;

    private static final long RETRY_MILLIS = 1_000;
    private static final long CLOSE_MILLIS = 5_000;

    private final AuditSink sink;
    private final long retryMillis;
    private final long closeMillis;
    private final Semaphore places = new Semaphore(MOST);
    /** Changes that have begun and not ended. */
    private final Set<Entry> open = ConcurrentHashMap.newKeySet();
    /** Bounded by {@link #places}. */
    private final BlockingQueue<Entry> ended = new LinkedBlockingQueue<>();

    private final CountDownLatch closing = new CountDownLatch(1);
    private final Thread writer = new Thread(this::run, "api-audit");
    private final Entry end = new Entry(status -> "");
    /** Whether the last write of a record failed. Written by the writer thread, read by callers of {@link #begin}. */
    private volatile boolean fails;

    public AuditLog(AuditSink sink) {
        this(sink, RETRY_MILLIS, CLOSE_MILLIS);
    }

    AuditLog(AuditSink sink, long retryMillis, long closeMillis) {
        this.sink = sink;
        this.retryMillis = retryMillis;
        this.closeMillis = closeMillis;
        writer.setDaemon(true);
    }

    /** Starts the writer thread. */
    public void start() {
        writer.start();
    }

    /** The place of one change in the log. */
    public final class Entry {
        private final IntFunction<String> text;
        private final CompletableFuture<Void> kept = new CompletableFuture<>();
        private int status;

        private Entry(IntFunction<String> text) {
            this.text = text;
        }

        /**
         * Records the end of the change, successful or not. Further calls do nothing.
         *
         * @param outcome status of the answer, or {@link #UNKNOWN}
         * @return completes on the writer thread when the record is written; never fails, but may not complete
         *     before the node stops
         */
        public CompletableFuture<Void> ended(int outcome) {
            if (open.remove(this)) {
                status = outcome;
                ended.add(this);
            }
            return kept.copy();
        }
    }

    /**
     * Reserves a place for a change.
     *
     * @param text makes the record from the status, on the writer thread; once, however often the record is written
     * @return null when the change must not be made
     */
    public @Nullable Entry begin(IntFunction<String> text) {
        Entry entry = place(text);
        if (entry == null) {
            sink.refused();
        }
        return entry;
    }

    private @Nullable Entry place(IntFunction<String> text) {
        if (fails || !places.tryAcquire()) {
            return null;
        }
        Entry entry = new Entry(text);
        open.add(entry);
        if (closing.getCount() == 0 && open.remove(entry)) { // else close() sees the entry
            places.release();
            return null;
        }
        return entry;
    }

    /** Records a refused request. Nothing was changed, so the record may be dropped. */
    public void note(int status, IntFunction<String> text) {
        Entry entry = place(text);
        if (entry == null) {
            sink.lost(1);
        } else {
            entry.ended(status);
        }
    }

    /** A refused request is not recorded, since its caller has had too many records. */
    public void skip() {
        sink.lost(1);
    }

    private void run() {
        try {
            for (Entry next = ended.take(); next != end; next = ended.take()) {
                keep(next);
                places.release();
                next.kept.complete(null);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt(); // close() interrupted the writer after its time
        }
    }

    private void keep(Entry entry) throws InterruptedException {
        String record = null;
        while (true) {
            try {
                if (record == null) {
                    record = entry.text.apply(entry.status);
                }
                sink.write(record);
                if (fails) {
                    LOG.info("records of changes are written again");
                    fails = false;
                }
                return;
            } catch (IOException | RuntimeException e) { // outermost frame of the writer: it must try again
                if (!fails) {
                    fails = true;
                    LOG.error(
                            "the API refuses changes, because it cannot write the record of changes cause={}",
                            e.toString());
                }
            }
            if (closing.await(retryMillis, TimeUnit.MILLISECONDS)) {
                Thread.sleep(Math.min(retryMillis, 100)); // a few more tries until close() interrupts
            }
        }
    }

    /**
     * Writes the waiting records, for some seconds at most. Changes that have not ended are recorded with an unknown
     * outcome.
     */
    @Override
    public void close() {
        closing.countDown();
        open.forEach(entry -> entry.ended(UNKNOWN));
        ended.add(end);
        if (writer.getState() == Thread.State.NEW) {
            return;
        }
        try {
            writer.join(closeMillis);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        if (writer.isAlive()) {
            writer.interrupt();
            int left = MOST - places.availablePermits();
            sink.lost(left);
            LOG.error("records of changes are lost, they could not be written records={}", left);
        }
    }
}
