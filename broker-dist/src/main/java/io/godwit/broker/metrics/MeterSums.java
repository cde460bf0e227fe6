package io.godwit.broker.metrics;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tag;
import java.util.HashMap;
import java.util.Map;
import java.util.OptionalDouble;
import java.util.Set;

/** The values of counters and gauges, read at about one time, and summed over their tags. */
final class MeterSums {
    /** By name, and by name with one tag. */
    private final Map<String, Double> values = new HashMap<>();

    private MeterSums() {}

    /** Reads only the meters of these names, since a gauge may have to compute its value. */
    static MeterSums of(MeterRegistry registry, Set<String> names) {
        MeterSums sums = new MeterSums();
        for (Meter meter : registry.getMeters()) {
            if (names.contains(meter.getId().getName())) {
                sums.add(meter);
            }
        }
        return sums;
    }

    private void add(Meter meter) {
        double value;
        if (meter instanceof Gauge gauge) {
            value = gauge.value();
        } else if (meter instanceof FunctionCounter counter) {
            value = counter.count();
        } else if (meter instanceof Counter counter) {
            value = counter.count();
        } else {
            return;
        }
        if (Double.isNaN(value)) {
            return; // the measured object is gone
        }
        String name = meter.getId().getName();
        values.merge(name, value, Double::sum);
        for (Tag tag : meter.getId().getTags()) {
            values.merge(name + '{' + tag.getKey() + '=' + tag.getValue() + '}', value, Double::sum);
        }
    }

    /**
     * @param name of the meters, optionally with a tag: {@code name{key=value}}
     * @return empty if there is no such meter
     */
    OptionalDouble get(String name) {
        Double value = values.get(name);
        return value == null ? OptionalDouble.empty() : OptionalDouble.of(value);
    }
}
