package io.godwit.kv.range.replica;

import io.godwit.kv.client.StoreMeasures;
import io.godwit.kv.raft.RaftGroups;
import java.util.concurrent.Executor;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

/**
 * What the ranges of a node share.
 *
 * @param pool runs the range executors
 * @param io runs what may block
 * @param housekeeping runs what may block for long and is not urgent, one task after the other, so that a node of many
 *     ranges does not do it for all of them at once
 * @param apart runs what waits for others to end: on a thread of its own each, since the others may need one of
 *     {@code io}
 * @param timers hands tasks on when they are due; runs nothing itself
 * @param nanoClock by which deadlines are looked at; {@link System#nanoTime()} but for tests
 * @param disk what there is room to write; asked for every mutation, so it must be cheap
 * @param tooLarge counts the mutations that were refused for their size
 * @param measures told of commits and leaderships
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
        StoreMeasures measures) {
    /** Where nobody measures. */
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
        this(raft, pool, io, housekeeping, apart, timers, nanoClock, disk, tooLarge, settings, StoreMeasures.NONE);
    }

    /** Now, on the clock of {@link #nanoClock}. */
    public long nanoTime() {
        return nanoClock.getAsLong();
    }

    /** Until when a request that comes now may wait for a leader, on the clock of {@link #nanoClock}. */
    public long leaderDeadlineNanos() {
        return nanoTime() + TimeUnit.MILLISECONDS.toNanos(settings.leaderWaitMillis());
    }
}
