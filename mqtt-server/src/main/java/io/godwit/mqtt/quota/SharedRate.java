package io.godwit.mqtt.quota;

import java.util.concurrent.atomic.AtomicLong;

/**
 * A rate limit that many event loops share: a second's worth may be taken at once, after that at the rate. Thread-safe
 * without a lock: one number holds the time until which everything taken is paid for.
 */
final class SharedRate {
    private static final long SECOND_NANOS = 1_000_000_000L;

    /** A lower limit lengthens a debt to this at most. */
    private static final long LONGEST_GROWN_NANOS = 3_600 * SECOND_NANOS;

    private final long perSecond;
    /** For a limit of 0 that of the limit before, which the debt is of. */
    private final double nanosForOne;
    /**
     * Atomic: all loops take from it. Up to a second in the past while some may be taken at once; in the future while
     * there is a debt.
     */
    private final AtomicLong paidAtNanos;

    /** @param perSecond 0 allows none */
    SharedRate(long perSecond, long nowNanos) {
        this(perSecond, SECOND_NANOS, new AtomicLong(nowNanos - SECOND_NANOS));
    }

    private SharedRate(long perSecond, double nanosForOneBefore, AtomicLong paidAtNanos) {
        this.perSecond = perSecond;
        this.nanosForOne = perSecond == 0 ? nanosForOneBefore : (double) SECOND_NANOS / perSecond;
        this.paidAtNanos = paidAtNanos;
    }

    /**
     * The same with another limit. The units that are owed stay owed, at the new rate: a debt that was made under a
     * limit that was too low must not outlive its correction, and a share of a cluster's limit that goes up and down
     * must not forgive a debt. One call at a time; what others take from this meanwhile may count at the old rate.
     */
    SharedRate at(long otherPerSecond, long nowNanos) {
        if (otherPerSecond == perSecond) {
            return this;
        }
        SharedRate other = new SharedRate(otherPerSecond, nanosForOne, paidAtNanos);
        double ratio = other.nanosForOne / nanosForOne;
        paidAtNanos.updateAndGet(paid -> {
            long debt = paid - nowNanos;
            long most = Math.max(debt, LONGEST_GROWN_NANOS);
            return debt <= 0 ? paid : nowNanos + Math.min(Math.round(debt * ratio), most);
        });
        return other;
    }

    long perSecond() {
        return perSecond;
    }

    /** Takes {@code count} units that were already used. Returns the nanoseconds to pause for, 0 for none. */
    long take(long count, long nowNanos) {
        if (perSecond == 0) {
            return SECOND_NANOS;
        }
        long cost = Math.round(count * nanosForOne);
        long paid = paidAtNanos.updateAndGet(before -> latest(before, nowNanos) + cost);
        return Math.max(0, paid - nowNanos);
    }

    /** Takes one unit if that is allowed now. */
    boolean tryTake(long nowNanos) {
        if (perSecond == 0) {
            return false;
        }
        long cost = Math.round(nanosForOne);
        long before = paidAtNanos.get();
        while (true) {
            long paid = latest(before, nowNanos) + cost;
            if (paid - nowNanos > 0) {
                return false;
            }
            long seen = paidAtNanos.compareAndExchange(before, paid);
            if (seen == before) {
                return true;
            }
            before = seen;
        }
    }

    /** The nanoseconds until the debt is paid, 0 without a debt. */
    long owedNanos(long nowNanos) {
        return perSecond == 0 ? SECOND_NANOS : Math.max(0, paidAtNanos.get() - nowNanos);
    }

    /** The nanoseconds until {@link #tryTake} may succeed, 0 for now. */
    long waitNanos(long nowNanos) {
        if (perSecond == 0) {
            return SECOND_NANOS;
        }
        return Math.max(0, latest(paidAtNanos.get(), nowNanos) + Math.round(nanosForOne) - nowNanos);
    }

    private static long latest(long paid, long nowNanos) {
        long least = nowNanos - SECOND_NANOS;
        return paid - least > 0 ? paid : least;
    }
}
