package io.godwit.dist.member;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;

/**
 * Acknowledgements that wait until the node may acknowledge again. All that come within a quarter of a second share one
 * future, so there are never many futures. Confined to the thread of the members.
 */
final class HeldAcknowledgements {
    private static final long SHARE_NANOS = TimeUnit.MILLISECONDS.toNanos(250);

    private record Held(long sinceNanos, CompletableFuture<Boolean> told) {}

    private final Executor tellers;
    private final long holdNanos;
    private final Deque<Held> held = new ArrayDeque<>();

    /**
     * @param tellers completes the futures
     * @param holdNanos how long each waits at most, approximately
     */
    HeldAcknowledgements(Executor tellers, long holdNanos) {
        this.tellers = tellers;
        this.holdNanos = holdNanos;
    }

    CompletableFuture<Boolean> hold(long nowNanos) {
        Held last = held.peekLast();
        if (last == null || nowNanos - last.sinceNanos() > SHARE_NANOS) {
            last = new Held(nowNanos, new CompletableFuture<>());
            held.add(last);
        }
        return last.told();
    }

    boolean isEmpty() {
        return held.isEmpty();
    }

    void release() {
        tell(held.size(), true);
    }

    /** Refuses those that have waited too long. Returns the number of futures refused, each of which many may share. */
    int refuse(long nowNanos) {
        int over = 0;
        for (Held each : held) {
            if (nowNanos - each.sinceNanos() >= holdNanos) {
                over++;
            }
        }
        tell(over, false);
        return over;
    }

    void refuseAll() {
        tell(held.size(), false);
    }

    /** Completes the oldest ones. */
    private void tell(int count, boolean answer) {
        for (int i = 0; i < count; i++) {
            CompletableFuture<Boolean> told = held.remove().told();
            tellers.execute(() -> told.complete(answer));
        }
    }
}
