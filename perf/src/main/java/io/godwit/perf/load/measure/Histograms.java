package io.godwit.perf.load.measure;

import java.util.concurrent.TimeUnit;
import org.HdrHistogram.Histogram;
import org.HdrHistogram.SingleWriterRecorder;

/** Creates histograms of microseconds, with three significant digits, for times up to an hour. */
public final class Histograms {
    private static final long MOST_MICROS = TimeUnit.HOURS.toMicros(1);
    private static final int DIGITS = 3;

    private Histograms() {}

    public static Histogram histogram() {
        Histogram histogram = new Histogram(DIGITS); // grows with its values, as there are several per event loop
        histogram.setAutoResize(true);
        return histogram;
    }

    public static SingleWriterRecorder recorder() {
        return new SingleWriterRecorder(DIGITS);
    }

    /**
     * Microseconds within the bounds: negative times, which clocks that differ cause, count as 0, and times above an
     * hour as an hour.
     */
    public static long micros(long nanos) {
        return Math.max(0, Math.min(MOST_MICROS, nanos / 1_000));
    }
}
