package io.godwit.kv.testing;

import java.util.Comparator;
import java.util.PriorityQueue;
import org.jspecify.annotations.Nullable;

/**
 * The clocks of an {@link InMemoryRangeHost}, which only the test moves, and the tasks that wait for a time. Any thread
 * may read the monotonic clock; everything else runs on the thread of the test.
 */
final class InMemoryClock {
    private static final long FIRST_MILLIS = 1_700_000_000_000L;

    private record Timer(long atMillis, long order, Runnable task) {}

    private final PriorityQueue<Timer> timers =
            new PriorityQueue<>(Comparator.comparingLong(Timer::atMillis).thenComparingLong(Timer::order));

    private volatile long advancedMillis;
    private long wallOffsetMillis;
    private long timerOrder;

    /** The clock of the timers. */
    long monotonicMillis() {
        return FIRST_MILLIS + advancedMillis;
    }

    long wallMillis() {
        return monotonicMillis() + wallOffsetMillis;
    }

    /** How far the monotonic clock has moved since it was made. */
    long advancedMillis() {
        return advancedMillis;
    }

    void stepWall(long millis) {
        wallOffsetMillis += millis;
    }

    /** Tasks are due in the order of their times; those of one time, in the order of these calls. */
    void runAt(long atMillis, Runnable task) {
        timers.add(new Timer(atMillis, timerOrder++, task));
    }

    /** Moves the clock to the next timer and returns its task; null, without any effect, if none is due by then. */
    @Nullable
    Runnable nextDue(long untilMillis) {
        Timer next = timers.peek();
        if (next == null || next.atMillis > untilMillis) {
            return null;
        }
        timers.remove();
        advancedMillis = Math.max(advancedMillis, next.atMillis - FIRST_MILLIS);
        return next.task;
    }

    void moveTo(long millis) {
        advancedMillis = millis - FIRST_MILLIS;
    }

    void clearTimers() {
        timers.clear();
    }
}
