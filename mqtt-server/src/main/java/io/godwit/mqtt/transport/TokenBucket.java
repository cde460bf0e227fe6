package io.godwit.mqtt.transport;

/** A limit on bytes, or on messages, per second: a second's worth may go at once, then as much as flows in. Owned by one connection's event loop. */
final class TokenBucket {
    private final long perSecond;
    private long tokens;
    private long filledAtNanos;

    TokenBucket(long perSecond, long nowNanos) {
        this.perSecond = perSecond;
        this.tokens = perSecond;
        this.filledAtNanos = nowNanos;
    }

    /** Takes {@code count}, which have gone already; the bucket may owe them. Returns the nanoseconds to pause for, 0 for none. */
    long take(long count, long nowNanos) {
        double gained = (nowNanos - filledAtNanos) / 1e9 * perSecond;
        tokens = (long) Math.min((double) perSecond, tokens + gained) - count;
        filledAtNanos = nowNanos;
        return tokens >= 0 ? 0 : (long) (-tokens * 1e9 / perSecond);
    }
}
