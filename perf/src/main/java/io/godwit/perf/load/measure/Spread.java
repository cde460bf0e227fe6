package io.godwit.perf.load.measure;

import org.HdrHistogram.Histogram;

/** The distribution of times, in milliseconds; all 0 if there are none. */
public record Spread(
        long count,
        double min,
        double mean,
        double stdDev,
        double p50,
        double p90,
        double p99,
        double p999,
        double max) {
    public static Spread of(Histogram micros) {
        if (micros.getTotalCount() == 0) {
            return new Spread(0, 0, 0, 0, 0, 0, 0, 0, 0);
        }
        return new Spread(
                micros.getTotalCount(),
                micros.getMinValue() / 1e3,
                micros.getMean() / 1e3,
                micros.getStdDeviation() / 1e3,
                micros.getValueAtPercentile(50) / 1e3,
                micros.getValueAtPercentile(90) / 1e3,
                micros.getValueAtPercentile(99) / 1e3,
                micros.getValueAtPercentile(99.9) / 1e3,
                micros.getMaxValue() / 1e3);
    }
}
