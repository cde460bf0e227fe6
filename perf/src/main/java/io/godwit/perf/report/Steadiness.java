package io.godwit.perf.report;

import io.godwit.perf.load.RunResult;
import io.godwit.perf.load.measure.Phase;
import io.godwit.perf.load.measure.Sample;
import java.util.List;
import java.util.Locale;

/** Computes how long a cold start takes until the broker delivers as it does at the end. */
final class Steadiness {
    /** Share of the stated rate that counts as steady. */
    private static final double RATE = 0.95;

    /** Multiple of the p99 of the last third up to which latency counts as steady. */
    private static final double LATENCY = 2;

    private Steadiness() {}

    static String describe(RunResult result) {
        double seconds = secondsUntilSteady(result);
        return seconds < 0
                ? "cold start: not steady by the end"
                : String.format(
                        Locale.ROOT,
                        "cold start: steady after %.0f s (rate within 5 %%, p99 within twice that of the end)",
                        seconds);
    }

    /** Seconds from the first message; negative if the broker did not become steady. */
    static double secondsUntilSteady(RunResult result) {
        List<Sample> samples = result.samples().stream()
                .filter(s -> s.phase() == Phase.MEASURE)
                .toList();
        if (samples.isEmpty()) {
            return -1;
        }
        double settled = samples.subList(samples.size() * 2 / 3, samples.size()).stream()
                .mapToDouble(s -> s.latency().p99())
                .average()
                .orElse(0);
        double stated = result.scenario().statedRateOut();
        int steadyFrom = samples.size();
        for (int i = samples.size() - 1; i >= 0; i--) {
            Sample sample = samples.get(i);
            if (sample.rateOut() < stated * RATE || sample.latency().p99() > settled * LATENCY) {
                break;
            }
            steadyFrom = i;
        }
        if (steadyFrom == samples.size()) {
            return -1;
        }
        double begun = samples.get(0).atSeconds() - 1;
        return Math.max(0, samples.get(steadyFrom).atSeconds() - 1 - begun);
    }
}
