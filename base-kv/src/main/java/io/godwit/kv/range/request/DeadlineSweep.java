package io.godwit.kv.range.request;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.function.BiConsumer;
import java.util.function.LongSupplier;

/**
 * Expires overdue requests by checking all of them every {@link #PERIOD_MILLIS} while there are any; a timer per
 * request would cost more than the request. Confined to the range executor.
 */
final class DeadlineSweep {
    static final long PERIOD_MILLIS = 100;

    private final BiConsumer<Long, Runnable> later;
    private final LongSupplier nanoClock;
    private final Deque<Expiring> pending = new ArrayDeque<>();
    private boolean armed;

    /**
     * Checks deadlines on the range executor.
     *
     * @param later runs a task on the range executor after a number of milliseconds
     * @param nanoClock the clock of the deadlines
     */
    DeadlineSweep(BiConsumer<Long, Runnable> later, LongSupplier nanoClock) {
        this.later = later;
        this.nanoClock = nanoClock;
    }

    void add(Expiring request) {
        pending.add(request);
        arm();
    }

    private void arm() {
        if (!armed) {
            armed = true;
            later.accept(PERIOD_MILLIS, this::sweep);
        }
    }

    private void sweep() {
        armed = false;
        long now = nanoClock.getAsLong();
        for (int i = pending.size(); i > 0; i--) {
            Expiring request = pending.remove();
            if (request.isDone()) {
                continue;
            }
            if (now - request.deadlineNanos() >= 0) {
                request.expire();
            } else {
                pending.add(request);
            }
        }
        if (!pending.isEmpty()) {
            arm();
        }
    }
}
