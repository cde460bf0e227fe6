package io.godwit.perf.load;

import java.util.concurrent.TimeUnit;
import org.HdrHistogram.Histogram;
import org.HdrHistogram.SingleWriterRecorder;

/** Times in microseconds, to three digits, up to an hour. */
final class Histograms {
    private static final long MOST_MICROS = TimeUnit.HOURS.toMicros(1);
    private static final int DIGITS = 3;

    private Histograms() {}

    static Histogram histogram() {
        Histogram histogram = new Histogram(DIGITS); // grows with what it gets: there are several per event loop
        histogram.setAutoResize(true);
        return histogram;
    }

    static SingleWriterRecorder recorder() {
        return new SingleWriterRecorder(DIGITS);
    }

    /** What is below 0, by clocks that differ, counts as 0; what is above the bound as the bound. */
    static long micros(long nanos) {
        return Math.max(0, Math.min(MOST_MICROS, nanos / 1_000));
    }
}
