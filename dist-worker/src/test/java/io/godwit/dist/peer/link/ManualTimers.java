package io.godwit.dist.peer.link;

import java.time.Duration;
import java.util.Comparator;
import java.util.PriorityQueue;

/** Timers on a clock that is moved by hand. */
public final class ManualTimers implements PeerTimers {
    private record Timer(long atNanos, long order, Runnable task) {}

    private final PriorityQueue<Timer> timers =
            new PriorityQueue<>(Comparator.comparingLong(Timer::atNanos).thenComparingLong(Timer::order));
    private long nowNanos;
    private long order;

    public long nanoTime() {
        return nowNanos;
    }

    @Override
    public void after(Duration delay, Runnable task) {
        timers.add(new Timer(nowNanos + delay.toNanos(), order++, task));
    }

    public void advance(Duration by) {
        long end = nowNanos + by.toNanos();
        for (Timer next = timers.peek(); next != null && next.atNanos <= end; next = timers.peek()) {
            timers.remove();
            nowNanos = Math.max(nowNanos, next.atNanos);
            next.task.run();
        }
        nowNanos = end;
    }
}
