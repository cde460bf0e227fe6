package io.godwit.perf.load;

import io.godwit.perf.load.check.DeliveryCounts;
import io.godwit.perf.load.measure.Sample;
import io.godwit.perf.load.measure.Spread;
import io.godwit.perf.scenario.Scenario;
import java.time.Instant;
import java.util.List;
import java.util.Map;

/**
 * The result of a run.
 *
 * @param scenario as it was run, scaled
 * @param published the scenario before scaling
 * @param watched the source of the broker's CPU and memory; empty if there was none
 * @param measuredSeconds how long rates were measured
 * @param expectedIn messages that were due in that time; 0 in a closed loop
 * @param countedIn messages sent, or acknowledged at QoS 1 and 2, in that time
 * @param countedOut deliveries in that time
 * @param subscribe from SUBSCRIBE to SUBACK
 * @param clientRates messages per second of each one-shot client, added up
 * @param connectSeconds how long the scenario's connections were being opened; 0 if that is not measured
 * @param bottlenecks reasons why the tool rather than the broker may limit the figures; empty if there is no sign of it
 * @param isMachineFull whether this machine as a whole had no CPU left
 */
public record RunResult(
        Scenario scenario,
        Scenario published,
        double scale,
        Instant begun,
        List<String> brokers,
        String watched,
        double measuredSeconds,
        double expectedIn,
        double expectedOut,
        long countedIn,
        long countedOut,
        DeliveryCounts delivery,
        Spread latency,
        Spread lateness,
        Spread acknowledgement,
        Spread connect,
        Spread subscribe,
        Spread connectLateness,
        Spread clientRuntime,
        Spread messageTime,
        double clientRates,
        int wanted,
        long connected,
        long connectFailed,
        double connectSeconds,
        Map<String, Long> errors,
        BrokerUse broker,
        ToolUse tool,
        List<String> bottlenecks,
        boolean isMachineFull,
        List<String> remarks,
        List<Sample> samples) {
    public RunResult {
        brokers = List.copyOf(brokers);
        errors = Map.copyOf(errors);
        bottlenecks = List.copyOf(bottlenecks);
        remarks = List.copyOf(remarks);
        samples = List.copyOf(samples);
    }

    /**
     * The broker's CPU and memory in the measured time.
     *
     * @param isWatched if false, all other components are 0
     * @param isHere whether it runs on this machine
     * @param cores of its machine, or of all machines of several brokers
     * @param userShare share of user time in its CPU time, 0 to 1; negative if unknown
     */
    public record BrokerUse(
            boolean isWatched,
            boolean isHere,
            int cores,
            double meanCores,
            double mostCores,
            double userShare,
            long leastBytes,
            long mostBytes,
            long lastBytes) {}

    /** The CPU and memory of this process in the measured time. */
    public record ToolUse(
            double meanCores,
            double mostCores,
            double busiestLoop,
            long mostBytes,
            double meanMachine,
            double loadAverage) {}

    /** Messages per second that came in. */
    public double rateIn() {
        return measuredSeconds > 0 ? countedIn / measuredSeconds : 0;
    }

    /** Deliveries per second. */
    public double rateOut() {
        return measuredSeconds > 0 ? countedOut / measuredSeconds : 0;
    }

    /**
     * Microseconds of the broker's CPU time for each delivery in the measured time, or for each message that came in if
     * nothing was delivered. With several brokers, their CPU time is added up. 0 if the broker is not watched or there
     * were no messages.
     */
    public double cpuMicrosPerMessage() {
        long messages = countedOut > 0 ? countedOut : countedIn;
        return messages > 0 && broker.isWatched() ? broker.meanCores() * measuredSeconds * 1e6 / messages : 0;
    }

    public double connectRate() {
        return connectSeconds > 0 ? connected / connectSeconds : 0;
    }
}
