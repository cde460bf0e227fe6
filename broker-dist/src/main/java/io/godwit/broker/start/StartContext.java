package io.godwit.broker.start;

import io.godwit.broker.effective.BrokerConfig;
import io.godwit.broker.report.Reporting;
import io.godwit.mqtt.transport.config.TransportConfig;
import java.nio.file.Path;

/**
 * What every step of a {@code Broker}'s start uses. Exists before the start.
 *
 * @param data the data directory
 * @param io the kind of channels that the listeners use
 * @param opened receives the parts that a step opens, in their order
 * @param ports receives what a step offers to the API and to plugins
 */
public record StartContext(
        BrokerConfig config,
        Path data,
        TransportConfig.Io io,
        Reporting reporting,
        OpenedParts opened,
        ServedPorts ports,
        Serving serving) {}
