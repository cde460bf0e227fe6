package io.godwit.mqtt.transport.report;

import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.binder.BaseUnits;
import java.util.EnumMap;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.atomic.LongAdder;
import org.jspecify.annotations.Nullable;

/** Makes the counters of the frontend and registers them. The registry does not keep them alive; their owners do. */
final class MqttCounters {
    private final MeterRegistry registry;

    MqttCounters(MeterRegistry registry) {
        this.registry = registry;
    }

    MeterRegistry registry() {
        return registry;
    }

    /** @param name without the prefix of all counters of the frontend */
    LongAdder counter(String name, String description) {
        return counter(name, description, null);
    }

    LongAdder bytes(String name, String description) {
        return counter(name, description, BaseUnits.BYTES);
    }

    LongAdder tagged(String name, String description, String tag, String value) {
        return counter(name, description, null, tag, value);
    }

    <K extends Enum<K>> KindCounters<K> byKind(String name, String description, String tag, Class<K> kinds) {
        Map<K, LongAdder> adders = new EnumMap<>(kinds);
        for (K kind : kinds.getEnumConstants()) {
            adders.put(kind, tagged(name, description, tag, kind.name().toLowerCase(Locale.ROOT)));
        }
        return new KindCounters<>(adders);
    }

    private LongAdder counter(String name, String description, @Nullable String unit, String... tags) {
        LongAdder adder = new LongAdder();
        FunctionCounter.builder("godwit.mqtt." + name, adder, LongAdder::sum)
                .description(description)
                .baseUnit(unit)
                .tags(tags)
                .register(registry);
        return adder;
    }
}
