package io.godwit.broker.report;

import io.godwit.broker.metrics.BrokerMeters;
import io.godwit.broker.metrics.StoreMeters;
import io.godwit.broker.plugin.guard.PluginEvents;
import io.godwit.broker.watch.tap.EventTap;
import io.godwit.broker.watch.tap.TraceTap;
import io.godwit.kv.client.RangeReports;
import io.godwit.mqtt.trace.Tracing;
import io.micrometer.core.instrument.MeterRegistry;

/**
 * Through what the parts of a {@code Broker} report. It exists before the start and closes nothing itself. Thread-safe.
 *
 * @param stores the meters of the node's stores
 * @param ranges counts and reports what happens to the ranges of these stores
 * @param log counts events for the status file and the log
 * @param toPlugins passes events on to {@code log} and to the event listeners of plugins
 * @param events where the parts of the broker send their events; passes them on to {@code toPlugins}
 * @param traces what operators see of {@code tracing}
 */
public record Reporting(
        StatusFile status,
        BrokerMeters metrics,
        StoreMeters stores,
        RangeReports ranges,
        EventLog log,
        PluginEvents toPlugins,
        EventTap events,
        Tracing tracing,
        TraceTap traces) {

    public static Reporting to(StatusFile status) {
        BrokerMeters metrics = new BrokerMeters();
        StoreMeters stores = new StoreMeters(metrics.registry());
        Tracing tracing = new Tracing();
        TraceTap traces = new TraceTap(tracing, System::currentTimeMillis);
        EventLog log = new EventLog(metrics.registry(), status::events, status::alive);
        PluginEvents toPlugins = new PluginEvents(log);
        EventTap events = new EventTap(toPlugins, System::currentTimeMillis);
        RangeReports ranges = new RangeReports(events, metrics.registry(), StoreMeters.STORES);
        return new Reporting(status, metrics, stores, ranges, log, toPlugins, events, tracing, traces);
    }

    public MeterRegistry meters() {
        return metrics.registry();
    }
}
