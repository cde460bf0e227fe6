package io.godwit.dist.peer.choice;

import io.godwit.dist.peer.link.PeerTimers;
import io.godwit.kv.client.RangeException;
import io.godwit.kv.client.WaitReports;
import io.godwit.plugin.event.NodeWait;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

/**
 * Bounds the waits for the choices of other members: each in time, over all its rounds, and their number. A wait that
 * takes too long is reported. All waits have the same length, so one timer checks the oldest. Thread-safe; publishers
 * and the timer contend for the lock, and nothing is called with it held.
 */
final class ChoiceWaits {
    /** The number of tokens whose choices are remembered. */
    static final int MOST = 100_000;

    /** Compared by identity. */
    private static final class Wait {
        private final CompletableFuture<?> done;
        private final Supplier<String> missing;
        private final long endNanos;

        Wait(CompletableFuture<?> done, Supplier<String> missing, long endNanos) {
            this.done = done;
            this.missing = missing;
            this.endNanos = endNanos;
        }
    }

    private final PeerTimers timers;
    private final LongSupplier nanoTime;
    private final Duration mostTime;
    private final WaitReports reports;
    /** The oldest first. Guarded by this. */
    private final Set<Wait> waits = new LinkedHashSet<>();

    private boolean isTiming;

    /** @param mostTime limit on each wait, see {@link io.godwit.dist.peer.link.PeerWaits#sharedChoice} */
    ChoiceWaits(PeerTimers timers, LongSupplier nanoTime, Duration mostTime, WaitReports reports) {
        this.timers = timers;
        this.nanoTime = nanoTime;
        this.mostTime = mostTime;
        this.reports = reports;
    }

    /**
     * Fails {@code done} with {@link RangeException}: with cause TIMEOUT when it takes too long, or at once with cause
     * OVERLOADED when too many wait.
     *
     * @param missing says for the report what it waits for; called by the timer
     */
    void begin(CompletableFuture<?> done, Supplier<String> missing) {
        Wait wait = new Wait(done, missing, nanoTime.getAsLong() + mostTime.toNanos());
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
            timers.after(mostTime, this::expire);
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
        late.forEach(this::fail);
    }

    private void fail(Wait wait) {
        String missing = wait.missing.get(); // before the wait ends, and with it what it waits for
        boolean isLate = wait.done.completeExceptionally(new RangeException(
                RangeException.Cause.TIMEOUT,
                "other nodes have not said within " + mostTime.toMillis() + " ms what they have chosen"));
        if (isLate) { // else it was answered in this moment
            reports.ranOut(NodeWait.SHARED_CHOICE, mostTime, () -> missing);
        }
    }

    /** Number of waits. */
    synchronized int size() {
        return waits.size();
    }
}
