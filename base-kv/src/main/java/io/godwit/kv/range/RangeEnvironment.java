package io.godwit.kv.range;

import io.godwit.kv.raft.RaftHost;
import java.util.concurrent.Executor;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

/**
 * What the ranges of a node share.
 *
 * @param pool runs the range executors
 * @param io runs what may block
 * @param housekeeping runs what may block for long and is not urgent, one task after the other, so that a node of many ranges does not do it for
 *     all of them at once
 * @param timers hands tasks on when they are due; runs nothing itself
 * @param disk what there is room to write; asked for every mutation, so it must be cheap
 */
public record RangeEnvironment(
        RaftHost raft,
        Executor pool,
        Executor io,
        Executor housekeeping,
        ScheduledExecutorService timers,
        Supplier<DiskRoom> disk,
        RangeSettings settings) {
    /** Until when a request that comes now may wait for a leader, on the clock of {@link System#nanoTime()}. */
    long leaderDeadlineNanos() {
        return System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(settings.leaderWaitMillis());
    }
}
