package io.godwit.perf.load.measure;

/**
 * The intended times of a fixed number of sends, evenly spaced and independent of what became of earlier ones. Latency
 * counts from these times, so that a broker does not look faster by stalling the sender. Immutable.
 */
public final class Timetable {
    private final long startNanos;
    private final double ratePerSecond;
    private final long count;
    private final double phase;

    /**
     * @param ratePerSecond of all sends together, above 0
     * @param count of all sends
     * @param phase the time of the first send after the start, as a fraction of the interval, 0 to 1; with different
     * phases several timetables do not send at the same instants
     */
    public Timetable(long startNanos, double ratePerSecond, long count, double phase) {
        if (!(ratePerSecond > 0) || count < 0 || phase < 0 || phase > 1) {
            throw new IllegalArgumentException("rate must be above 0, count not below 0, phase 0 to 1: " + ratePerSecond
                    + ", " + count + ", " + phase);
        }
        this.startNanos = startNanos;
        this.ratePerSecond = ratePerSecond;
        this.count = count;
        this.phase = phase;
    }

    /** How many sends are due at {@code nowNanos}; at most {@link #count}. */
    public long due(long nowNanos) {
        double slots = (nowNanos - startNanos) / 1e9 * ratePerSecond - phase;
        long due = (long) Math.max(0, Math.min((double) count, slots + 1));
        // This rounds differently from intendedNanos, which decides whether a send is due.
        while (due < count && intendedNanos(due) <= nowNanos) {
            due++;
        }
        while (due > 0 && intendedNanos(due - 1) > nowNanos) {
            due--;
        }
        return due;
    }

    /** The intended time of send {@code slot}, from 0. */
    public long intendedNanos(long slot) {
        return startNanos + Math.round((slot + phase) * 1e9 / ratePerSecond);
    }

    public long count() {
        return count;
    }
}
