package io.godwit.kv.range.replica;

import io.godwit.kv.client.RangeReports;
import io.godwit.kv.client.StoreMeasures;
import io.godwit.kv.raft.RaftGroups;
import java.util.concurrent.Executor;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

/**
 * Objects that the ranges of a node share.
 *
 * @param pool runs the range executors
 * @param io runs tasks that may block
 * @param housekeeping runs tasks that may block for long and are not urgent, one after the other, so that a node with
 *     many ranges does not run them all at once
 * @param apart runs each task that waits for other tasks on its own thread, because those may need a thread of
 *     {@code io}
 * @param timers passes tasks on when they are due; runs nothing itself
 * @param nanoClock the clock of deadlines; {@link System#nanoTime()} except in tests
 * @param disk tells what may be written; asked for every mutation, so it must be fast
 * @param tooLarge counts mutations that were refused for their size
 * @param measures is told of commits
 * @param reports is told of elections, changes and faults of ranges
 */
public record RangeEnvironment(
        RaftGroups raft,
        Executor pool,
        Executor io,
        Executor housekeeping,
        Executor apart,
        ScheduledExecutorService timers,
        LongSupplier nanoClock,
        Supplier<DiskRoom> disk,
        LongAdder tooLarge,
        RangeSettings settings,
        StoreMeasures measures,
        RangeReports reports) {
    /** Without measurements and reports. */
    public RangeEnvironment(
            RaftGroups raft,
            Executor pool,
            Executor io,
            Executor housekeeping,
            Executor apart,
            ScheduledExecutorService timers,
            LongSupplier nanoClock,
            Supplier<DiskRoom> disk,
            LongAdder tooLarge,
            RangeSettings settings) {
        this(
                raft,
                pool,
                io,
                housekeeping,
                apart,
                timers,
                nanoClock,
                disk,
                tooLarge,
                settings,
                StoreMeasures.NONE,
                RangeReports.none());
    }

    /** The present time by {@link #nanoClock}. */
    public long nanoTime() {
        return nanoClock.getAsLong();
    }

    /** Time until which a request that arrives now may wait for a leader, by {@link #nanoClock}. */
    public long leaderDeadlineNanos() {
        return nanoTime() + TimeUnit.MILLISECONDS.toNanos(settings.leaderWaitMillis());
    }
}
