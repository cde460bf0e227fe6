package io.godwit.mqtt.transport;

/**
 * A limit on bytes, or on messages, per second: a second's worth may go at once, then as much as flows in. Owned by one
 * connection's event loop.
 */
final class TokenBucket {
    private final long perSecond;
    /** With its fractions: takes come within the time that one token takes to flow in. Negative when it is owed. */
    private double tokens;

    private long filledAtNanos;

    TokenBucket(long perSecond, long nowNanos) {
        this.perSecond = perSecond;
        this.tokens = perSecond;
        this.filledAtNanos = nowNanos;
    }

    long perSecond() {
        return perSecond;
    }

    /**
     * Takes {@code count}, which have gone already; the bucket may owe them. Returns the nanoseconds to pause for, 0
     * for none.
     */
    long take(long count, long nowNanos) {
        double gained = (nowNanos - filledAtNanos) / 1e9 * perSecond;
        tokens = Math.min((double) perSecond, tokens + gained) - count;
        filledAtNanos = nowNanos;
        return tokens >= 0 ? 0 : (long) (-tokens * 1e9 / perSecond);
    }

    /** The nanoseconds until nothing is owed any more, 0 when nothing is. */
    long owedNanos(long nowNanos) {
        return take(0, nowNanos);
    }
}
