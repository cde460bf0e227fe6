package io.godwit.mqtt.transport.report;

import java.util.Map;
import java.util.Objects;
import java.util.concurrent.atomic.LongAdder;

/** A counter for each constant of {@code K}, distinguished by a tag. Any thread. */
final class KindCounters<K extends Enum<K>> {
    private final Map<K, LongAdder> adders;

    /** @param adders of all constants; not changed any more */
    KindCounters(Map<K, LongAdder> adders) {
        this.adders = adders;
    }

    void increment(K kind) {
        Objects.requireNonNull(adders.get(kind)).increment();
    }
}
