package io.godwit.perf.load;

import io.godwit.perf.scenario.Scenario;
import java.time.Instant;
import java.util.List;
import java.util.Map;

/**
 * What a run has found out.
 *
 * @param scenario as it was run, scaled
 * @param published as its name says
 * @param measuredSeconds how long rates were measured
 * @param expectedIn messages that were due in that time; 0 in a closed loop
 * @param countedIn messages sent, or acknowledged at QoS 1 and 2, in that time
 * @param countedOut deliveries in that time
 * @param subscribe from SUBSCRIBE to SUBACK
 * @param clientRates messages per second of each one-shot client, added up
 * @param connectSeconds from the first connection to the last, of those that are the scenario's
 * @param bottlenecks why the figures may be the tool's own rather than the broker's; empty when nothing speaks for it
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
        Delivery delivery,
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
     * The broker while it was measured.
     *
     * @param isWatched otherwise all else is 0
     * @param isHere whether it runs on this machine
     * @param cores of its machine, or of all machines of several brokers
     * @param userShare of its CPU time, 0 to 1; negative where it is not known
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

    /** This process while it was measured. */
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
     * Microseconds of the broker's CPU time for each delivery in the measured time, or for each message that came in
     * where nothing is delivered; of several brokers, of all that are watched together. 0 where the broker is not
     * watched or there were no messages.
     */
    public double cpuMicrosPerMessage() {
        long messages = countedOut > 0 ? countedOut : countedIn;
        return messages > 0 && broker.isWatched() ? broker.meanCores() * measuredSeconds * 1e6 / messages : 0;
    }

    public double connectRate() {
        return connectSeconds > 0 ? connected / connectSeconds : 0;
    }
}
