package io.godwit.mqtt.transport.report;

import io.godwit.mqtt.trace.Tracing;
import io.godwit.plugin.event.EventListener;
import io.micrometer.core.instrument.MeterRegistry;

/**
 * Where the frontend reports to.
 *
 * @param events receives events
 * @param meters has the counters
 * @param tracing the traces of clients and messages
 */
public record ReportTargets(EventListener events, MeterRegistry meters, Tracing tracing) {}
