package io.godwit.dist.peer;

import io.godwit.dist.member.Members;
import io.godwit.dist.member.NodeLife;
import io.godwit.kv.client.RangeException;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Asks for the exclusion of members, once for all who need it at a time. Thread-safe; the lock is for subscribers,
 * publishers and links that lose the same member together.
 */
final class Exclusions {
    private final Members members;
    private final ExclusionLog log;
    private final Map<NodeLife, CompletableFuture<Void>> underWay = new HashMap<>();
    private boolean isClosed;

    /** @param nanoTime the monotonic clock */
    Exclusions(Members members, LongSupplier nanoTime) {
        this.members = members;
        this.log = new ExclusionLog(nanoTime);
    }

    /** As {@link Members#exclude}; fails once closed: a node that stops loses all others, who go on without it. */
    CompletableFuture<Void> exclude(NodeLife life, String why) {
        CompletableFuture<Void> agreed;
        synchronized (this) {
            if (isClosed) {
                return CompletableFuture.failedFuture(
                        new RangeException(RangeException.Cause.CLOSED, "the dist-worker is closed"));
            }
            CompletableFuture<Void> known = underWay.get(life);
            if (known != null) {
                return known;
            }
            agreed = new CompletableFuture<>();
            underWay.put(life, agreed);
        }
        log.asked(life, why);
        members.exclude(life, why).whenComplete((done, failure) -> settle(life, agreed, failure));
        return agreed;
    }

    private void settle(NodeLife life, CompletableFuture<Void> agreed, @Nullable Throwable failure) {
        synchronized (this) {
            underWay.remove(life);
        }
        if (failure == null) {
            agreed.complete(null);
        } else {
            log.failed(life, failure.toString());
            agreed.completeExceptionally(failure);
        }
    }

    synchronized void close() {
        isClosed = true;
    }
}
