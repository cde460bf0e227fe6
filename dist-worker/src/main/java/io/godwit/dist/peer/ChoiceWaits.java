package io.godwit.dist.peer;

import io.godwit.kv.client.RangeException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
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

    /** Each is equal to itself alone. */
    private static final class Wait {
        private final CompletableFuture<?> done;
        private final long endNanos;

        Wait(CompletableFuture<?> done, long endNanos) {
            this.done = done;
            this.endNanos = endNanos;
        }
    }

    private final PeerTimers timers;
    private final LongSupplier nanoTime;
    /** The oldest first. Guarded by this. */
    private final Set<Wait> waits = new LinkedHashSet<>();

    private boolean isTiming;

    ChoiceWaits(PeerTimers timers, LongSupplier nanoTime) {
        this.timers = timers;
        this.nanoTime = nanoTime;
    }

    /**
     * Fails it with {@link RangeException} of cause TIMEOUT when it takes too long; of cause OVERLOADED, at once, when
     * too many wait.
     */
    void begin(CompletableFuture<?> done) {
        Wait wait = new Wait(done, nanoTime.getAsLong() + MOST_TIME.toNanos());
        if (add(wait)) {
            done.whenComplete((answer, failure) -> remove(wait));
        } else {
            done.completeExceptionally(new RangeException(
                    RangeException.Cause.OVERLOADED,
                    "more than " + MOST + " messages wait to learn what other nodes have chosen"));
        }
    }

    private synchronized boolean add(Wait wait) {
        if (waits.size() == MOST) {
            return false;
        }
        waits.add(wait);
        if (!isTiming) {
            isTiming = true;
            timers.after(MOST_TIME, this::expire);
        }
        return true;
    }

    private synchronized void remove(Wait wait) {
        waits.remove(wait);
    }

    private void expire() {
        long now = nanoTime.getAsLong();
        List<Wait> late = new ArrayList<>();
        synchronized (this) {
            Iterator<Wait> each = waits.iterator();
            long left = 0;
            while (left <= 0 && each.hasNext()) {
                Wait oldest = each.next();
                left = oldest.endNanos - now;
                if (left <= 0) {
                    late.add(oldest);
                    each.remove();
                }
            }
            isTiming = left > 0;
            if (isTiming) {
                timers.after(Duration.ofNanos(left), this::expire);
            }
        }
        late.forEach(wait -> wait.done.completeExceptionally(new RangeException(
                RangeException.Cause.TIMEOUT,
                "other nodes have not said within " + MOST_TIME.toMillis() + " ms what they have chosen")));
    }

    /** How many wait. */
    synchronized int size() {
        return waits.size();
    }
}
