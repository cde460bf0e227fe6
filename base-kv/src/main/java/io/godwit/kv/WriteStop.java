package io.godwit.kv;

import io.godwit.kv.client.RangeException;
import io.godwit.kv.store.HealthReports;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Stops the writes of all stores of a node for good: when the log that they share has failed, or when the cluster has
 * given the node up. Owns whether that has happened. Any thread.
 */
final class WriteStop {
    private static final Logger LOG = LoggerFactory.getLogger(WriteStop.class);

    private final OpenStores stores;
    private final HealthReports reports;
    private final Executor io;
    /** Fails when this node learns that the cluster has given it up. */
    private final CompletableFuture<Void> forgotten = new CompletableFuture<>();

    private volatile @Nullable String cause;

    /** @param io runs what may block */
    WriteStop(OpenStores stores, HealthReports reports, Executor io) {
        this.stores = stores;
        this.reports = reports;
        this.io = io;
    }

    boolean isTakingWrites() {
        return cause == null;
    }

    /** Never completes, but fails when this node learns that the cluster has given it up. */
    CompletableFuture<Void> givenUp() {
        return forgotten;
    }

    /**
     * Stops all stores, because all groups share the log. Called with locks held, so most of the work is done on an I/O
     * thread.
     */
    void logFailed(String what, Throwable thrown) {
        if (cause != null) {
            return;
        }
        LOG.error("raft log failed, all stores stop taking writes fault={}", what, thrown);
        stop(what);
    }

    /** The cluster has given this node up: it stops all stores before it does harm. */
    void forgotten(String why) {
        RangeException failure = new RangeException(RangeException.Cause.STORE_FAILED, why);
        LOG.error("all stores stop: {}", why);
        stop(why);
        forgotten.completeExceptionally(failure);
    }

    private void stop(String what) {
        cause = what;
        io.execute(() -> {
            stores.fail(what);
            reports.tell();
        });
    }
}
