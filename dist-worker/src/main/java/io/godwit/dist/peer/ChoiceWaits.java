package io.godwit.dist.peer;

import io.godwit.kv.client.RangeException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.function.LongSupplier;

/**
 * Bounds what waits to learn what other members have chosen: each for {@link #MOST_TIME}, however often all are asked
 * anew meanwhile, and so many at a time. All wait for the same time, so one timer looks at the oldest. Thread-safe; the
 * lock is for publishers and the timer, and nothing is called with it held.
 */
final class ChoiceWaits {
    /**
     * A silent member is out by then: it is waited for as long as a SUBSCRIBE waits, with the default settings, and the
     * exclusion is asked for again for {@link io.godwit.kv.client.SilentNode#PATIENCE}.
     */
    static final Duration MOST_TIME = Duration.ofSeconds(20);
    /** As many as there are tokens whose choices are remembered. */
    static final int MOST = 100_000;

    private final PeerTimers timers;
    private final LongSupplier nanoTime;
    /** When each is to have ended, the oldest first. Guarded by this. */
    private final Map<CompletableFuture<?>, Long> waits = new LinkedHashMap<>();

    private boolean isTiming;

    ChoiceWaits(PeerTimers timers, LongSupplier nanoTime) {
        this.timers = timers;
        this.nanoTime = nanoTime;
    }

    /**
     * Fails it with {@link RangeException} of cause TIMEOUT when it takes too long; of cause OVERLOADED, at once, when
     * too many wait.
     */
    void begin(CompletableFuture<?> wait) {
        boolean hasRoom;
        synchronized (this) {
            hasRoom = waits.size() < MOST;
            if (hasRoom) {
                waits.put(wait, nanoTime.getAsLong() + MOST_TIME.toNanos());
                if (!isTiming) {
                    isTiming = true;
                    timers.after(MOST_TIME, this::expire);
                }
            }
        }
        if (hasRoom) {
            wait.whenComplete((done, failure) -> end(wait));
        } else {
            wait.completeExceptionally(new RangeException(
                    RangeException.Cause.OVERLOADED,
                    "more than " + MOST + " messages wait to learn what other nodes have chosen"));
        }
    }

    private synchronized void end(CompletableFuture<?> wait) {
        waits.remove(wait);
    }

    private void expire() {
        long now = nanoTime.getAsLong();
        List<CompletableFuture<?>> late = new ArrayList<>();
        synchronized (this) {
            Iterator<Map.Entry<CompletableFuture<?>, Long>> each =
                    waits.entrySet().iterator();
            long left = 0;
            while (left <= 0 && each.hasNext()) {
                Map.Entry<CompletableFuture<?>, Long> oldest = each.next();
                left = oldest.getValue() - now;
                if (left <= 0) {
                    late.add(oldest.getKey());
                    each.remove();
                }
            }
            isTiming = left > 0;
            if (isTiming) {
                timers.after(Duration.ofNanos(left), this::expire);
            }
        }
        late.forEach(wait -> wait.completeExceptionally(new RangeException(
                RangeException.Cause.TIMEOUT,
                "other nodes have not said within " + MOST_TIME.toMillis() + " ms what they have chosen")));
    }

    /** How many wait. */
    synchronized int size() {
        return waits.size();
    }
}
