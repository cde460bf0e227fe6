package io.godwit.broker.api;

import java.util.HexFormat;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.slf4j.Logger;

/**
 * What callers of the API learn of a failure of a store: a fixed sentence, and an id under which the log has the cause.
 * The texts of exceptions name ranges, nodes and addresses of the cluster, which are not for operators of a tenant. Any
 * thread.
 */
public final class StoreFailures {
    /** Callers can repeat a request that fails, so only so many causes are logged. The others have no id. */
    static final int MOST_A_SECOND = 10;

    private static final long SECOND_NANOS = TimeUnit.SECONDS.toNanos(1);
    /** Of the text of a cause in the log. */
    private static final int MOST_CHARS = 1_000;

    private final Logger log;
    private final LongSupplier nanoTime;
    /** When the second began in which causes are counted. Guarded by this, like the count: any thread fails. */
    private long begunNanos;

    private int logged;

    /** @param log of the class that asks the store */
    public StoreFailures(Logger log) {
        this(log, System::nanoTime);
    }

    /** @param nanoTime the monotonic clock */
    StoreFailures(Logger log, LongSupplier nanoTime) {
        this.log = log;
        this.nanoTime = nanoTime;
        this.begunNanos = nanoTime.getAsLong();
    }

    /**
     * Logs the cause.
     *
     * @param said the sentence for the caller, without a full stop
     * @return the text for the caller
     */
    public String told(String said, Throwable cause) {
        if (!mayLog()) {
            return said;
        }
        String id = HexFormat.of().toHexDigits(ThreadLocalRandom.current().nextInt());
        log.info("a store failed for a caller of the API id={} cause={}", id, LogText.of(cause, MOST_CHARS));
        return said + "; the log of this node has the cause, with id=" + id;
    }

    private synchronized boolean mayLog() {
        long now = nanoTime.getAsLong();
        if (now - begunNanos >= SECOND_NANOS) {
            begunNanos = now;
            logged = 0;
        }
        logged = Math.min(MOST_A_SECOND + 1, logged + 1);
        return logged <= MOST_A_SECOND;
    }
}
