package io.godwit.dist.member;

import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * The time at which this node was last known to serve with complete routes. Written by the thread of the members; any
 * thread checks it without a lock.
 *
 * <p>Why a check may be trusted. Let a read (a ReadIndex over all dist ranges) begin at s and show this incarnation as
 * SERVING, and let another member commit at t that it has lapsed. If s is after t, the read shows the lapse, or that
 * this incarnation has joined again since. So s is before t. A check succeeds only before s + {@link #FRESH_NANOS},
 * which is before t + FRESH_NANOS. The member that has committed the lapse waits for {@link #OVER_NANOS} by its own
 * clock, half a second more: enough for clocks whose rates differ by less than a third. So when it continues, every
 * later check here fails. The check comes after matching, and only this order matters: a process that stands still
 * between the two, or after the check, acknowledges what it had matched before the others excluded it.
 *
 * <p>An incarnation that has lapsed and joined again is fresh, but what it had matched before may have missed some
 * routes: such a check must be for the epoch in which the matching began.
 *
 * <p>A monotonic clock may stop while the machine is suspended. So the wall clock must also show that little time has
 * passed: a jump ahead costs freshness until the next read, a jump back changes nothing.
 */
final class Freshness {
    /** How long checks succeed, from the start of the read on. */
    static final long FRESH_NANOS = TimeUnit.MILLISECONDS.toNanos(1_500);
    /** This long after the commit of a lapse, no check of the lapsed incarnation succeeds. */
    static final long OVER_NANOS = TimeUnit.MILLISECONDS.toNanos(2_000);

    /** Less than {@link #OVER_NANOS}; more than {@link #FRESH_NANOS}, for a wall clock that is being corrected. */
    private static final long FRESH_WALL_MILLIS = 1_800;

    /**
     * The start of a read, by both clocks.
     *
     * @param epoch of the node as a member, see {@link Members#epoch}
     */
    record Mark(long nanos, long wallMillis, long epoch) {
        static Mark now(MemberThread clock, long epoch) {
            return new Mark(clock.nanoTime(), clock.wallMillis(), epoch);
        }
    }

    private final MemberThread clock;
    private volatile @Nullable Mark since;

    Freshness(MemberThread clock) {
        this.clock = clock;
    }

    /**
     * A read that began at {@code start} has shown that this incarnation serves, without a break since the mark's epoch
     * began.
     */
    void renew(Mark start) {
        Mark known = since;
        if (known == null || known.epoch() != start.epoch() || start.nanos() - known.nanos() > 0) {
            since = start;
        }
    }

    void end() {
        since = null;
    }

    /** Time since the start of the last read that has shown it; 0 when none has. */
    long ageNanos() {
        Mark start = since;
        return start == null ? 0 : clock.nanoTime() - start.nanos();
    }

    /** Any thread. */
    boolean isFresh() {
        return isFresh(since);
    }

    /** Whether it is fresh, and has been a member without a break since that epoch began. Any thread. */
    boolean isFresh(long epoch) {
        Mark start = since;
        return start != null && start.epoch() == epoch && isFresh(start);
    }

    /** The mark was read before the clocks: a delay between the reads only makes it look older. */
    private boolean isFresh(@Nullable Mark start) {
        return start != null
                && clock.nanoTime() - start.nanos() < FRESH_NANOS
                && clock.wallMillis() - start.wallMillis() < FRESH_WALL_MILLIS;
    }
}
