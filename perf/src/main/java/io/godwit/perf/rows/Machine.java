package io.godwit.perf.rows;

import io.godwit.perf.load.LoadFailedException;
import io.godwit.perf.observe.ProcessUsage;
import io.godwit.perf.observe.SelfUsage;
import io.godwit.perf.observe.Usage;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

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

    /** Cores that the busiest of some brokers uses during {@code time} from now. Blocks for that time. */
    static double busiest(List<Long> brokers, Duration time) throws LoadFailedException, InterruptedException {
        List<ProcessUsage> each =
                brokers.stream().map(pid -> new ProcessUsage(List.of(pid))).toList();
        List<Usage> before = readEach(each);
        long fromNanos = System.nanoTime();
        TimeUnit.MILLISECONDS.sleep(time.toMillis());
        List<Usage> after = readEach(each);
        double nanos = System.nanoTime() - fromNanos;
        double most = 0;
        for (int i = 0; i < each.size(); i++) {
            most = Math.max(most, (after.get(i).cpuNanos() - before.get(i).cpuNanos()) / nanos);
        }
        return most;
    }

    private static List<Usage> readEach(List<ProcessUsage> each) throws LoadFailedException {
        List<Usage> usage = new ArrayList<>();
        for (ProcessUsage one : each) {
            usage.add(read(one));
        }
        return usage;
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
