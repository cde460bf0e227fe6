package io.godwit.perf.rows;

import io.godwit.perf.load.LoadFailedException;
import io.godwit.perf.observe.ProcessUsage;
import io.godwit.perf.observe.SelfUsage;
import io.godwit.perf.observe.Usage;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * The CPU that some brokers, this tool and the machine have used since this object was created; where all share few
 * cores, it shows how much of a time was work. Used by one thread.
 */
final class Machine {
    /** Used share of all cores above which there is no CPU left for broker or tool. */
    private static final double FULL = 0.95;

    private final SelfUsage machine = new SelfUsage(List.of());
    private final ProcessUsage brokers;
    private final ProcessUsage tool =
            new ProcessUsage(List.of(ProcessHandle.current().pid()));
    private final Usage brokersBefore;
    private final Usage toolBefore;

    /** @param brokers their processes, which must live until {@link #seconds} is called */
    Machine(List<Long> brokers) throws LoadFailedException {
        this.brokers = new ProcessUsage(brokers);
        brokersBefore = read(this.brokers);
        toolBefore = read(tool);
    }

    private static Usage read(ProcessUsage usage) throws LoadFailedException {
        return usage.read()
                .orElseThrow(() -> new LoadFailedException("the CPU time of " + usage.describe() + " cannot be read"));
    }

    /** Seconds of CPU time used. */
    Map<Value, Double> seconds() throws LoadFailedException {
        return Map.of(
                Value.BROKERS_CPU, (read(brokers).cpuNanos() - brokersBefore.cpuNanos()) / 1e9,
                Value.TOOL_CPU, (read(tool).cpuNanos() - toolBefore.cpuNanos()) / 1e9);
    }

    /** A caution if the machine had no CPU left; a modifiable list. */
    List<String> cautions() {
        List<String> cautions = new ArrayList<>();
        if (machine.look().machine() > FULL) {
            cautions.add("the machine had no CPU left");
        }
        return cautions;
    }
}
