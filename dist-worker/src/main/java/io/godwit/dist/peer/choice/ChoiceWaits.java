package io.godwit.dist.peer.choice;

import io.godwit.dist.peer.link.PeerTimers;
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
 * Bounds the waits for the choices of other members: each to {@link #MOST_TIME}, over all its rounds, and their number.
 * All waits have the same length, so one timer checks the oldest. Thread-safe; publishers and the timer contend for the
 * lock, and nothing is called with it held.
 */
final class ChoiceWaits {
    /**
     * Long enough to exclude a silent member: a member is waited for as long as by a SUBSCRIBE, with the default
     * settings, and its exclusion is requested again for {@link io.godwit.kv.client.SilentNode#PATIENCE}.
     */
    static final Duration MOST_TIME = Duration.ofSeconds(20);
    /** The number of tokens whose choices are remembered. */
    static final int MOST = 100_000;

    /** Compared by identity. */
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
     * Fails {@code done} with {@link RangeException}: with cause TIMEOUT when it takes too long, or at once with cause
     * OVERLOADED when too many wait.
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

    /** Number of waits. */
    synchronized int size() {
        return waits.size();
    }
}
