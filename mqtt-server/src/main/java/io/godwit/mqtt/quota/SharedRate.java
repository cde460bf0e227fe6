package io.godwit.mqtt.quota;

import java.util.concurrent.atomic.AtomicLong;

/**
 * A limit per second that many event loops take from: a second's worth may go at once, then as much as flows in. Thread
 * safe without a lock: one number says until when all that was taken is paid for.
 */
final class SharedRate {
    private static final long SECOND_NANOS = 1_000_000_000L;

    private final long perSecond;
    private final double nanosForOne;
    /** Atomic: taken from on all loops. Up to a second before now for what may go at once; after now when owed. */
    private final AtomicLong paidAtNanos;

    /** @param perSecond 0 for none at all */
    SharedRate(long perSecond, long nowNanos) {
        this(perSecond, new AtomicLong(nowNanos - SECOND_NANOS));
    }

    private SharedRate(long perSecond, AtomicLong paidAtNanos) {
        this.perSecond = perSecond;
        this.nanosForOne = perSecond == 0 ? SECOND_NANOS : (double) SECOND_NANOS / perSecond;
        this.paidAtNanos = paidAtNanos;
    }

    /** The same with another limit; what is owed stays owed, and for as long. */
    SharedRate at(long otherPerSecond) {
        return otherPerSecond == perSecond ? this : new SharedRate(otherPerSecond, paidAtNanos);
    }

    long perSecond() {
        return perSecond;
    }

    /** Takes {@code count}, which have gone already. Returns the nanoseconds to pause for, 0 for none. */
    long take(long count, long nowNanos) {
        if (perSecond == 0) {
            return SECOND_NANOS;
        }
        long cost = Math.round(count * nanosForOne);
        long paid = paidAtNanos.updateAndGet(before -> latest(before, nowNanos) + cost);
        return Math.max(0, paid - nowNanos);
    }

    /** Takes one if that may go now. */
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

    /** The nanoseconds until nothing is owed any more, 0 when nothing is. */
    long owedNanos(long nowNanos) {
        return perSecond == 0 ? SECOND_NANOS : Math.max(0, paidAtNanos.get() - nowNanos);
    }

    private static long latest(long paid, long nowNanos) {
        long least = nowNanos - SECOND_NANOS;
        return paid - least > 0 ? paid : least;
    }
}
