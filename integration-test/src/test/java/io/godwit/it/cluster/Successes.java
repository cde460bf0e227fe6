package io.godwit.it.cluster;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** When an operation that is tried all the time has succeeded. Thread-safe; times are {@link System#nanoTime}. */
final class Successes {
    private final List<Long> times = new ArrayList<>();

    void add() {
        add(System.nanoTime());
    }

    synchronized void add(long nanos) {
        times.add(nanos);
    }

    synchronized long countSince(long nanos) {
        return times.stream().filter(time -> time >= nanos).count();
    }

    /** The longest time without one between the two, in milliseconds. */
    synchronized long longestGapMillis(long from, long until) {
        long longest = 0;
        long last = from;
        for (long time : times) {
            if (time > from && time < until) {
                longest = Math.max(longest, time - last);
                last = Math.max(last, time);
            }
        }
        return TimeUnit.NANOSECONDS.toMillis(Math.max(longest, until - last));
    }
}
