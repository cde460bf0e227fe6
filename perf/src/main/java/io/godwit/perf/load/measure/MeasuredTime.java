package io.godwit.perf.load.measure;

/**
 * When the measured part of a run begins: messages that were meant to be sent in it count, whenever they arrive. Set by
 * the thread that leads the run before the first message is due, read by the event loops.
 */
public final class MeasuredTime {
    private volatile long fromNanos = Long.MAX_VALUE;

    public void begin(long fromNanos) {
        this.fromNanos = fromNanos;
    }

    public boolean has(long intendedNanos) {
        return intendedNanos >= fromNanos;
    }
}
