package io.godwit.perf.load;

/**
 * Which part of a run is measured: what was meant to be sent in it counts, whenever it arrives. Set by the thread that
 * runs the load before the first message is due, read by the event loops.
 */
final class MeasuredTime {
    private volatile long fromNanos = Long.MAX_VALUE;

    void begin(long fromNanos) {
        this.fromNanos = fromNanos;
    }

    boolean has(long intendedNanos) {
        return intendedNanos >= fromNanos;
    }
}
