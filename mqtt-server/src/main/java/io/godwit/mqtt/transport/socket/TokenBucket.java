package io.godwit.mqtt.transport.socket;

/**
 * A limit on bytes or messages per second: a second's worth may be taken at once, after that at the rate. Owned by one
 * connection's event loop.
 */
final class TokenBucket {
    private final long perSecond;
    /** With fractions, since calls come more often than a token flows in. Negative while there is a debt. */
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
     * Takes {@code count} units that were already used; this may leave a debt. Returns the nanoseconds to pause for, 0
     * for none.
     */
    long take(long count, long nowNanos) {
        double gained = (nowNanos - filledAtNanos) / 1e9 * perSecond;
        tokens = Math.min((double) perSecond, tokens + gained) - count;
        filledAtNanos = nowNanos;
        return tokens >= 0 ? 0 : (long) (-tokens * 1e9 / perSecond);
    }

    /** The nanoseconds until the debt is paid, 0 without a debt. */
    long owedNanos(long nowNanos) {
        return take(0, nowNanos);
    }
}
