package io.godwit.broker.plugin.context;

import io.godwit.broker.config.key.EnumNames;
import io.godwit.plugin.event.BrokerEvent;
import io.godwit.plugin.event.EventListener;
import io.godwit.plugin.event.PluginFault;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.FunctionTimer;
import io.micrometer.core.instrument.MeterRegistry;
import java.util.EnumMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Counts the calls and the faults of one plugin, and raises events for faults. Thread-safe. */
public final class PluginReports {
    private static final Logger LOG = LoggerFactory.getLogger(PluginReports.class);
    private static final int MAX_DETAIL = 500;

    private final String plugin;
    private final String kind;
    private final EventListener events;
    private final LongAdder calls = new LongAdder();
    private final LongAdder nanos = new LongAdder();
    private final Map<PluginFault, Counter> faults = new EnumMap<>(PluginFault.class);
    /** The last fault; empty for none. Volatile: any thread writes and reads it. */
    private volatile String last = "";

    public PluginReports(String plugin, String kind, EventListener events, MeterRegistry meters) {
        this.plugin = plugin;
        this.kind = kind;
        this.events = events;
        FunctionTimer.builder(
                        "godwit.plugins.calls",
                        this,
                        one -> one.calls.sum(),
                        one -> one.nanos.sum(),
                        TimeUnit.NANOSECONDS)
                .description("calls of a plugin that have ended, and how long they took")
                .tags("plugin", plugin, "kind", kind)
                .register(meters);
        for (PluginFault fault : PluginFault.values()) {
            faults.put(
                    fault,
                    Counter.builder("godwit.plugins.faults")
                            .description("what plugins did that they must not")
                            .tags("plugin", plugin, "kind", kind, "fault", EnumNames.of(fault))
                            .register(meters));
        }
    }

    /** Counts a call that has ended, successfully or not. */
    public void called(long tookNanos) {
        calls.increment();
        nanos.add(tookNanos);
    }

    /** @param detail the call and the problem */
    public void fault(PluginFault fault, String detail) {
        faults(fault, 1, detail);
    }

    /** Counts several faults of one kind, and raises one event for them. */
    public void faults(PluginFault fault, long count, String detail) {
        Counter counter = faults.get(fault);
        if (counter != null) {
            counter.increment((double) count);
        }
        String shown = detail.length() > MAX_DETAIL ? detail.substring(0, MAX_DETAIL) : detail;
        last = EnumNames.of(fault) + ": " + shown;
        LOG.debug("plugin fault plugin={} kind={} fault={} detail={}", plugin, kind, fault, shown);
        if (events.isListening(BrokerEvent.PluginFailed.class)) {
            events.onEvent(new BrokerEvent.PluginFailed(plugin, kind, fault, shown));
        }
    }

    public long calls() {
        return calls.sum();
    }

    public long nanos() {
        return nanos.sum();
    }

    public long faults() {
        double sum = 0;
        for (Counter each : faults.values()) {
            sum += each.count();
        }
        return (long) sum;
    }

    public String last() {
        return last;
    }
}
