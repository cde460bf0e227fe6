package io.godwit.dist.member;

import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Since when this node is known to serve, with all routes that there were. Written by the thread of the members; any
 * thread looks, without a lock.
 *
 * <p>Why a look may be trusted. Let a read (a ReadIndex over all dist ranges) begin at s and show this life as SERVING,
 * and let somebody commit at t that it has lapsed. If s is after t the read shows the lapse, or that the life has
 * joined again since. So s is before t, and a look says yes only before s + {@link #FRESH_NANOS}, which is before t +
 * FRESH_NANOS. Who has committed the lapse waits for {@link #OVER_NANOS} by a clock of its own, which is half a second
 * more: enough for clocks whose rates differ by less than a third. So when it goes on, every later look here says no.
 * The look comes after matching, and the order of the two is all that matters: a process that stands still between
 * them, or behind the look, acknowledges what it had matched before the others went on without it.
 *
 * <p>A life that has lapsed and has joined again is fresh, but what it had matched before rests on routes that may have
 * lacked some: such a look has to be for the epoch that the matching began in.
 *
 * <p>A monotonic clock may stand still with the machine, when it is suspended. So the wall clock has to agree that
 * little time has passed: one that jumps ahead costs freshness until the next read, one that goes back changes nothing.
 */
final class Freshness {
    /** How long a look says yes, from the start of the read on. */
    static final long FRESH_NANOS = TimeUnit.MILLISECONDS.toNanos(1_500);
    /** After so long from the commit of a lapse no look of the lapsed life says yes. */
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

    /** A read that began at {@code start} has shown that this life serves, and has done so all the while. */
    void renew(Mark start) {
        Mark known = since;
        if (known == null || known.epoch() != start.epoch() || start.nanos() - known.nanos() > 0) {
            since = start;
        }
    }

    void end() {
        since = null;
    }

    /** How long ago the last read began that has shown so; 0 when none has. */
    long ageNanos() {
        Mark start = since;
        return start == null ? 0 : clock.nanoTime() - start.nanos();
    }

    /** Any thread. */
    boolean isFresh() {
        return isFresh(since);
    }

    /** Whether it is, and has been a member without a break since that epoch began. Any thread. */
    boolean isFresh(long epoch) {
        Mark start = since;
        return start != null && start.epoch() == epoch && isFresh(start);
    }

    /** The mark was read before the clocks: what passes between only makes it older. */
    private boolean isFresh(@Nullable Mark start) {
        return start != null
                && clock.nanoTime() - start.nanos() < FRESH_NANOS
                && clock.wallMillis() - start.wallMillis() < FRESH_WALL_MILLIS;
    }
}
