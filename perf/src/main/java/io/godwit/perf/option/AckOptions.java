package io.godwit.perf.option;

import io.godwit.perf.load.client.LoadSettings;
import io.godwit.perf.scenario.Scenario;
import io.godwit.perf.scenario.Topology;
import java.time.Duration;
import picocli.CommandLine.Option;

/** The option that delays subscribers' acknowledgements, for the commands that have subscribers. */
public final class AckOptions {
    @Option(
            names = "--ack-delay",
            paramLabel = "TIME",
            converter = Durations.class,
            description = "subscribers acknowledge each QoS 1 or 2 message that long after it came, as 50ms; at QoS "
                    + "2 the PUBCOMP waits (default: at once)")
    private Duration delay = Duration.ZERO;

    public LoadSettings applyTo(LoadSettings settings, Scenario scenario) {
        boolean isDelivering = scenario.copies() > 0 || scenario.topology() == Topology.LISTEN;
        if (!delay.isZero() && (!isDelivering || scenario.qos() == 0)) {
            throw new IllegalArgumentException(
                    "--ack-delay: nothing is delivered with QoS 1 or 2 by " + scenario.name());
        }
        return settings.withAckDelay(delay);
    }
}
