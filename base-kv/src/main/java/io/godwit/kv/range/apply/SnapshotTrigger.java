package io.godwit.kv.range.apply;

import com.alipay.sofa.jraft.Closure;
import java.util.concurrent.Executor;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Takes a snapshot whenever the log has grown by a number of bytes, one at a time. A snapshot that fails or cannot be
 * begun only costs log space: the next is due after as many bytes again. Owned by the apply thread.
 */
public final class SnapshotTrigger {
    private static final Logger LOG = LoggerFactory.getLogger(SnapshotTrigger.class);

    private final String groupId;
    private final long everyBytes;
    private final Executor io;
    private long logBytes;
    /** Reset by the thread that ends a snapshot. */
    private volatile boolean isTaking;

    /** @param io begins snapshots, which may wait for the apply thread */
    public SnapshotTrigger(String groupId, long everyBytes, Executor io) {
        this.groupId = groupId;
        this.everyBytes = everyBytes;
        this.io = io;
    }

    /**
     * The log has grown; begins a snapshot if one is due.
     *
     * @param snapshot begins a snapshot and calls the closure when it has ended; null while the group is being started,
     *     when bytes are only counted
     */
    public void logGrew(long bytes, @Nullable Consumer<Closure> snapshot) {
        logBytes += bytes;
        if (logBytes < everyBytes || isTaking || snapshot == null) {
            return;
        }
        isTaking = true;
        logBytes = 0;
        try {
            io.execute(() -> begin(snapshot));
        } catch (RuntimeException e) { // the threads have ended: the node is closing
            notBegun(e);
        }
    }

    private void begin(Consumer<Closure> snapshot) {
        try {
            snapshot.accept(status -> {
                isTaking = false;
                LOG.info("snapshot range={} status={}", groupId, status.isOk() ? "taken" : status.getErrorMsg());
            });
        } catch (RuntimeException e) { // the group is shutting down, or JRaft has failed
            notBegun(e);
        }
    }

    private void notBegun(RuntimeException cause) {
        isTaking = false;
        LOG.warn("snapshot not begun range={} cause={}", groupId, cause.toString());
    }
}
