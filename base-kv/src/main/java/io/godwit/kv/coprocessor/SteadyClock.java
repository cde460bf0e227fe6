package io.godwit.kv.coprocessor;

import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Wall time that never jumps. It begins with the system's wall clock and advances with the monotonic clock. If the wall
 * clock is set, this clock follows by running a tenth faster or slower until both agree. So deadlines in memory stay
 * correct, time never goes back, and setting the clock does not end many things at once. Stored times are wall times
 * with this deviation; only a restart applies a jump in full.
 *
 * <p>Thread-safe. A read needs two fields and one clock; once a second, one reader takes a lock.
 */
public final class SteadyClock {
    private static final Logger LOG = LoggerFactory.getLogger(SteadyClock.class);

    /** The clock of this process. */
    private static final SteadyClock SYSTEM = new SteadyClock(System::currentTimeMillis, System::nanoTime);

    private static final long COMPARE_NANOS = TimeUnit.SECONDS.toNanos(1);
    private static final int FOLLOWS_BY_PARTS = 10;
    private static final long TELL_NANOS = TimeUnit.SECONDS.toNanos(10);

    private final LongSupplier wallMillis;
    private final LongSupplier nanoTime;
    /** Replaced once a second by the thread that reads then. */
    private volatile Base base;

    /**
     * A point in time, and how far the wall clock was ahead of this clock then.
     *
     * @param atNanos time of the monotonic clock
     * @param nanos time of this clock since the epoch
     * @param aheadNanos lead of the wall clock; negative if it was behind
     */
    private record Base(long atNanos, long nanos, long aheadNanos) {
        long nanosAt(long now) {
            long passed = Math.max(0, now - atNanos);
            long most = passed / FOLLOWS_BY_PARTS;
            return nanos + passed + Math.max(-most, Math.min(most, aheadNanos));
        }
    }

    /** For tests with their own clocks. */
    public SteadyClock(LongSupplier wallMillis, LongSupplier nanoTime) {
        this.wallMillis = wallMillis;
        this.nanoTime = nanoTime;
        this.base = new Base(nanoTime.getAsLong(), TimeUnit.MILLISECONDS.toNanos(wallMillis.getAsLong()), 0);
    }

    public static SteadyClock system() {
        return SYSTEM;
    }

    /** Milliseconds since the epoch. Never less than an earlier result on the same thread. */
    public long millis() {
        long now = nanoTime.getAsLong();
        Base known = base;
        if (now - known.atNanos > COMPARE_NANOS) {
            compare(known, now);
        }
        return TimeUnit.NANOSECONDS.toMillis(known.nanosAt(now));
    }

    private synchronized void compare(Base known, long now) {
        if (!known.equals(base)) {
            return; // another thread has compared already
        }
        long nanos = known.nanosAt(now);
        long ahead = TimeUnit.MILLISECONDS.toNanos(wallMillis.getAsLong()) - nanos;
        base = new Base(now, nanos, ahead);
        if (Math.abs(ahead) > TELL_NANOS && Math.abs(known.aheadNanos) <= TELL_NANOS) {
            LOG.warn(
                    "the wall clock was changed, expiry times follow it slowly differenceSeconds={}",
                    TimeUnit.NANOSECONDS.toSeconds(ahead));
        }
    }
}
