package io.godwit.kv.range;

import io.godwit.kv.range.data.RangeDb;
import io.godwit.kv.range.leader.LeaderRole;
import io.godwit.kv.range.leader.Leadership;
import io.godwit.kv.range.state.RangeState;
import java.io.IOException;
import java.nio.file.Path;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * Copies the database of a leading replica. Has no state; for an I/O thread, which waits for the range executor and the
 * group.
 */
final class RangeCopy {
    private final String groupId;
    private final RangeDb db;
    private final Executor executor;
    private final LeaderRole role;
    private final long waitMillis;

    /**
     * Copies the database of one range.
     *
     * @param executor the range's executor
     * @param waitMillis how long to wait until a majority has confirmed that this replica leads
     */
    RangeCopy(String groupId, RangeDb db, Executor executor, LeaderRole role, long waitMillis) {
        this.groupId = groupId;
        this.db = db;
        this.executor = executor;
        this.role = role;
        this.waitMillis = waitMillis;
    }

    /** See {@link Range#copyTo}. */
    RangeState copyTo(Path target) throws IOException {
        confirm();
        return db.copyTo(target);
    }

    /** Waits until it is certain that this replica leads and has applied everything acknowledged before the call. */
    void confirm() throws IOException {
        try {
            confirmed().get(waitMillis, TimeUnit.MILLISECONDS);
        } catch (ExecutionException | TimeoutException e) {
            throw new IOException("range " + groupId + " cannot be copied: " + e.getMessage(), e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException("interrupted", e);
        }
    }

    private CompletableFuture<Void> confirmed() {
        CompletableFuture<Void> confirmed = new CompletableFuture<>();
        executor.execute(() -> {
            Leadership current = role.leadership();
            if (current == null) {
                confirmed.completeExceptionally(new IOException("this node does not lead range " + groupId));
            } else {
                current.group().readIndex(status -> {
                    if (status.isOk()) {
                        confirmed.complete(null); // everything up to the index is applied
                    } else {
                        confirmed.completeExceptionally(new IOException("range " + groupId + " is not led: " + status));
                    }
                });
            }
        });
        return confirmed;
    }
}
