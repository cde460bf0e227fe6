package io.godwit.kv.balance;

import java.time.Duration;
import java.util.Comparator;
import java.util.PriorityQueue;

/** Time moved by hand: tasks run inside {@link #advance}, in the order of their times. */
final class ManualTimer implements BalanceTimer {
    private record Task(long dueNanos, long number, Runnable work) {}

    private final PriorityQueue<Task> tasks =
            new PriorityQueue<>(Comparator.comparingLong(Task::dueNanos).thenComparingLong(Task::number));
    private long now = 1;
    private long numbers;

    @Override
    public long nanoTime() {
        return now;
    }

    @Override
    public void execute(Runnable task) {
        after(Duration.ZERO, task);
    }

    @Override
    public void after(Duration delay, Runnable task) {
        tasks.add(new Task(now + delay.toNanos(), numbers++, task));
    }

    void advance(Duration duration) {
        long end = now + duration.toNanos();
        while (!tasks.isEmpty() && tasks.peek().dueNanos() <= end) {
            Task next = tasks.remove();
            now = next.dueNanos();
            next.work().run();
        }
        now = end;
    }
}
