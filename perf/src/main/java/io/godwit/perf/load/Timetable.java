package io.godwit.perf.load;

/**
 * When each of a series of sends is meant to happen: a fixed number, evenly spread, whatever became of the ones before.
 * Latency counts from here, so that a broker that stalls the sender gains nothing by it. Immutable.
 */
public final class Timetable {
    private final long startNanos;
    private final double ratePerSecond;
    private final long count;
    private final double phase;

    /**
     * @param ratePerSecond of all sends together, above 0
     * @param count of all sends
     * @param phase by how many sends the first one comes after the start, 0 to 1: timetables beside one another do not
     *     send at the same instants
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

    /** How many sends are due at {@code nowNanos}; never more than there are. */
    public long due(long nowNanos) {
        double slots = (nowNanos - startNanos) / 1e9 * ratePerSecond - phase;
        long due = (long) Math.max(0, Math.min((double) count, slots + 1));
        // The conversion rounds otherwise than the one below: a send is due when its own time has come.
        while (due < count && intendedNanos(due) <= nowNanos) {
            due++;
        }
        while (due > 0 && intendedNanos(due - 1) > nowNanos) {
            due--;
        }
        return due;
    }

    /** When send {@code slot}, from 0, is meant to happen. */
    public long intendedNanos(long slot) {
        return startNanos + Math.round((slot + phase) * 1e9 / ratePerSecond);
    }

    public long count() {
        return count;
    }
}
