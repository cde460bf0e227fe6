package io.godwit.perf.load;

import io.godwit.perf.load.measure.Spread;
import io.godwit.perf.scenario.Scenario;
import java.util.ArrayList;
import java.util.List;

/** Finds signs that the tool itself, and not the broker, limited the figures. */
final class Bottleneck {
    /** Used share of the machine's cores above which there is no CPU left for broker or tool. */
    static final double FULL_MACHINE = 0.95;

    /** Used share of a core above which arrivals wait in the tool. */
    private static final double BUSY_LOOP = 0.85;

    private static final double MUCH_GC = 0.05;
    /** The pacer's resolution several times over, as a busy machine may delay it. */
    private static final double LATE_MILLIS = 5;

    private Bottleneck() {}

    static List<String> reasons(
            Scenario scenario, double busiestLoop, double gcShare, Spread lateness, Spread connectLateness) {
        List<String> reasons = new ArrayList<>();
        if (busiestLoop > BUSY_LOOP) {
            reasons.add(("its busiest event loop used %.0f %% of a core: more --loops on a machine with more cores, "
                            + "or several machines")
                    .formatted(busiestLoop * 100));
        }
        if (gcShare > MUCH_GC) {
            reasons.add(
                    "garbage collections took %.1f %% of the time: more heap (JVM_HEAP_OPTS)".formatted(gcShare * 100));
        }
        // Only of messages that did not wait for the broker, which makes a publisher with too much under way late.
        if (scenario.isOpenLoop() && lateness.p99() > LATE_MILLIS) {
            reasons.add("it sent late by %.1f ms (p99), and latency counts from the time intended"
                    .formatted(lateness.p99()));
        }
        if (scenario.connectRate() > 0 && connectLateness.p99() > LATE_MILLIS * 10) {
            reasons.add("it opened connections late by %.0f ms (p99)".formatted(connectLateness.p99()));
        }
        return reasons;
    }
}
