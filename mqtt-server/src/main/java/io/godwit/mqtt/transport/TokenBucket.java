package io.godwit.mqtt.transport;

/** A bandwidth limit: a second's worth may go at once, then as much as flows in. Owned by one connection's event loop. */
final class TokenBucket {
    private final long bytesPerSecond;
    private long tokens;
    private long filledAtNanos;

    TokenBucket(long bytesPerSecond, long nowNanos) {
        this.bytesPerSecond = bytesPerSecond;
        this.tokens = bytesPerSecond;
        this.filledAtNanos = nowNanos;
    }

    /** Takes {@code bytes}, which have gone already; the bucket may owe them. Returns the nanoseconds to pause for, 0 for none. */
    long take(long bytes, long nowNanos) {
        double gained = (nowNanos - filledAtNanos) / 1e9 * bytesPerSecond;
        tokens = (long) Math.min((double) bytesPerSecond, tokens + gained) - bytes;
        filledAtNanos = nowNanos;
        return tokens >= 0 ? 0 : (long) (-tokens * 1e9 / bytesPerSecond);
    }
}
