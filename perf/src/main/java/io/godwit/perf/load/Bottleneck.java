package io.godwit.perf.load;

import io.godwit.perf.scenario.Scenario;
import java.util.ArrayList;
import java.util.List;

/** Whether the tool itself, not the broker, has made the figures what they are. */
final class Bottleneck {
    /** Share of the machine's cores above which there is no CPU left for anybody. */
    static final double FULL_MACHINE = 0.95;

    /** Share of a core; above it what arrives waits in the tool. */
    private static final double BUSY_LOOP = 0.85;

    private static final double MUCH_GC = 0.05;
    /** A few wake-ups of the pacer, which a busy machine may delay. */
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
        // Of what was sent without waiting for the broker: a publisher with too much under way is late, and not by
        // itself.
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
