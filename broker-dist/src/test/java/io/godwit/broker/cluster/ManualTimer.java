package io.godwit.broker.cluster;

import java.util.Comparator;
import java.util.PriorityQueue;
import java.util.concurrent.TimeUnit;

/** Runs tasks later, on a clock that a test moves. */
final class ManualTimer implements LinkIntroductions.Timer {
    private record Task(long atMillis, long order, Runnable what) {}

    private final PriorityQueue<Task> tasks =
            new PriorityQueue<>(Comparator.comparingLong(Task::atMillis).thenComparingLong(Task::order));
    private long nowMillis;
    private long order;

    @Override
    public void later(long millis, Runnable task) {
        tasks.add(new Task(nowMillis + millis, order++, task));
    }

    /** Tasks that wait. */
    int waiting() {
        return tasks.size();
    }

    long nanoTime() {
        return TimeUnit.MILLISECONDS.toNanos(nowMillis);
    }

    void advance(long millis) {
        long end = nowMillis + millis;
        for (Task next = tasks.peek(); next != null && next.atMillis <= end; next = tasks.peek()) {
            tasks.remove();
            nowMillis = next.atMillis;
            next.what.run();
        }
        nowMillis = end;
    }
}
