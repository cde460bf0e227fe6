package io.godwit.broker;

import static org.assertj.core.api.Assertions.assertThat;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import org.junit.jupiter.api.Test;
import org.slf4j.event.Level;

class EventKindTest {
    /** A plugin has a meter for each fault: each counts once. */
    @Test
    void metersThatDifferInAnotherTagAreAddedUpOnce() {
        SimpleMeterRegistry registry = new SimpleMeterRegistry();
        registry.counter("godwit.plugins.faults", "plugin", "acme", "fault", "threw")
                .increment(2);
        registry.counter("godwit.plugins.faults", "plugin", "acme", "fault", "blocked")
                .increment();
        registry.counter("godwit.plugins.faults", "plugin", "other", "fault", "threw")
                .increment();
        assertThat(EventKind.totals(Level.WARN, registry))
                .containsEntry("plugin-faults.acme", 3L)
                .containsEntry("plugin-faults.other", 1L)
                .hasSize(2);
    }
}
