package io.godwit.kv.range.apply;

import com.alipay.sofa.jraft.Closure;
import java.util.concurrent.Executor;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Has a snapshot taken whenever the log has grown by so many bytes, one at a time. One that fails, or cannot even be
 * begun, costs nothing but log space: the next is due after as many bytes again. Owned by the apply thread.
 */
public final class SnapshotTrigger {
    private static final Logger LOG = LoggerFactory.getLogger(SnapshotTrigger.class);

    private final String groupId;
    private final long everyBytes;
    private final Executor io;
    private long logBytes;
    /** Turned off by the thread that ends a snapshot. */
    private volatile boolean isTaking;

    /** @param io runs what begins a snapshot, which may wait for the apply thread */
    public SnapshotTrigger(String groupId, long everyBytes, Executor io) {
        this.groupId = groupId;
        this.everyBytes = everyBytes;
        this.io = io;
    }

    /**
     * @param snapshot begins one and tells the closure when it has ended; null while the group is being started, which
     *     only counts
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
        } catch (RuntimeException e) { // the threads are gone: the node is closing
            notBegun(e);
        }
    }

    private void begin(Consumer<Closure> snapshot) {
        try {
            snapshot.accept(status -> {
                isTaking = false;
                LOG.info("snapshot range={} status={}", groupId, status.isOk() ? "taken" : status.getErrorMsg());
            });
        } catch (RuntimeException e) { // the group is shutting down, or JRaft's own
            notBegun(e);
        }
    }

    private void notBegun(RuntimeException cause) {
        isTaking = false;
        LOG.warn("snapshot not begun range={} cause={}", groupId, cause.toString());
    }
}
