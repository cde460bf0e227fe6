package io.godwit.broker.plugin.context;

import io.godwit.plugin.context.Meters;
import io.godwit.plugin.event.PluginFault;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.DoubleSupplier;
import java.util.regex.Pattern;

/**
 * Meters of one plugin in the broker's registry. Thread-safe: guarded by this, contended only while meters are created.
 */
public final class HostMeters implements Meters {
    private static final Pattern NAME = Pattern.compile("[a-z][a-z0-9._]{0,63}");
    private static final Pattern LABEL = Pattern.compile("[a-z][a-z0-9_]{0,63}");
    private static final int MAX_LABELS = 3;
    private static final int MAX_VALUE = 64;
    private static final int MAX_DESCRIPTION = 200;

    private final String prefix;
    private final MeterRegistry registry;
    private final PluginReports reports;
    /** The kind and the label names of each meter, by its name. */
    private final Map<String, String> shapes = new HashMap<>();

    private final Map<String, Object> meters = new HashMap<>();
    private final List<Value> values = new ArrayList<>();
    private boolean isFullTold;

    public HostMeters(String plugin, MeterRegistry registry, PluginReports reports) {
        this.prefix = "plugin." + plugin + ".";
        this.registry = registry;
        this.reports = reports;
    }

    /** The last value of a gauge, so that no scrape waits for a plugin. */
    private static final class Value {
        private final DoubleSupplier source;
        private volatile double now = Double.NaN;

        Value(DoubleSupplier source) {
            this.source = source;
        }

        double now() {
            return now;
        }

        void refresh() {
            try {
                now = source.getAsDouble();
            } catch (RuntimeException | Error e) { // the plugin's code has failed: the gauge shows NaN
                now = Double.NaN;
            }
        }
    }

    /** Reads the value of each gauge. Runs on a thread of the plugin. */
    public void refresh() {
        List<Value> all;
        synchronized (this) {
            all = List.copyOf(values);
        }
        all.forEach(Value::refresh);
    }

    @Override
    public synchronized Counter counter(String name, String description, String... labels) {
        Tags tags = check("counter", name, labels);
        Object known = meters.get(name + tags);
        if (known instanceof Counter counter) {
            return counter;
        }
        if (isFull()) {
            return count -> {};
        }
        io.micrometer.core.instrument.Counter made = io.micrometer.core.instrument.Counter.builder(prefix + name)
                .description(shortened(description))
                .tags(tags)
                .register(registry);
        Counter counter = made::increment;
        meters.put(name + tags, counter);
        return counter;
    }

    @Override
    public synchronized Timer timer(String name, String description, String... labels) {
        Tags tags = check("timer", name, labels);
        Object known = meters.get(name + tags);
        if (known instanceof Timer timer) {
            return timer;
        }
        if (isFull()) {
            return nanos -> {};
        }
        io.micrometer.core.instrument.Timer made = io.micrometer.core.instrument.Timer.builder(prefix + name)
                .description(shortened(description))
                .tags(tags)
                .register(registry);
        Timer timer = nanos -> made.record(nanos, TimeUnit.NANOSECONDS);
        meters.put(name + tags, timer);
        return timer;
    }

    @Override
    public synchronized void gauge(String name, String description, DoubleSupplier value, String... labels) {
        Tags tags = check("gauge", name, labels);
        if (meters.containsKey(name + tags) || isFull()) {
            return;
        }
        Value held = new Value(value);
        Gauge.builder(prefix + name, held, Value::now)
                .description(shortened(description))
                .tags(tags)
                .strongReference(true)
                .register(registry);
        values.add(held);
        meters.put(name + tags, held);
    }

    private static String shortened(String description) {
        return description.length() > MAX_DESCRIPTION ? description.substring(0, MAX_DESCRIPTION) : description;
    }

    private Tags check(String kind, String name, String[] labels) {
        if (!NAME.matcher(name).matches()) {
            throw new IllegalArgumentException("no name of a meter: " + name);
        }
        if (labels.length % 2 != 0 || labels.length > 2 * MAX_LABELS) {
            throw new IllegalArgumentException(
                    "labels of " + name + " must be up to " + MAX_LABELS + " names, each " + "with its value");
        }
        Tags tags = Tags.empty();
        StringBuilder shape = new StringBuilder(kind);
        for (int i = 0; i < labels.length; i += 2) {
            if (!LABEL.matcher(labels[i]).matches() || labels[i + 1].length() > MAX_VALUE) {
                throw new IllegalArgumentException("label of " + name + " is not valid: " + labels[i]);
            }
            shape.append(' ').append(labels[i]);
            tags = tags.and(labels[i], labels[i + 1]);
        }
        String before = shapes.get(name);
        if (before == null) {
            if (meters.size() < MAX_METERS) {
                shapes.put(name, shape.toString());
            }
        } else if (!before.contentEquals(shape)) {
            throw new IllegalArgumentException(name + " is a " + before + " already, and no " + shape);
        }
        return tags;
    }

    private boolean isFull() {
        if (meters.size() < MAX_METERS) {
            return false;
        }
        if (!isFullTold) {
            isFullTold = true;
            reports.fault(PluginFault.TOO_MANY_METERS, "more than " + MAX_METERS + " meters");
        }
        return true;
    }
}
