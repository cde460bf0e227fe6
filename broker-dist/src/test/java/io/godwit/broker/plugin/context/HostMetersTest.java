package io.godwit.broker.plugin.context;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.godwit.plugin.context.Meters;
import io.godwit.plugin.event.EventListener;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import org.junit.jupiter.api.Test;

class HostMetersTest {
    private final SimpleMeterRegistry registry = new SimpleMeterRegistry();
    private final PluginReports reports =
            new PluginReports("acme", "auth-provider", EventListener.NONE, new SimpleMeterRegistry());
    private final HostMeters meters = new HostMeters("acme", registry, reports);

    @Test
    void metersHaveTheNameOfThePlugin() {
        meters.counter("look.ups", "questions", "kind", "a").add(3);
        meters.counter("look.ups", "questions", "kind", "a").add(4);
        meters.timer("wait", "for the directory").record(2_000_000_000);
        meters.gauge("open", "connections", () -> 5);
        meters.gauge("bad", "throws", () -> {
            throw new IllegalStateException("no value");
        });
        assertThat(registry.get("plugin.acme.look.ups")
                        .tag("kind", "a")
                        .counter()
                        .count())
                .isEqualTo(7);
        assertThat(registry.get("plugin.acme.wait").timer().count()).isEqualTo(1);
        assertThat(registry.get("plugin.acme.open").gauge().value())
                .as("the gauge has no value before a scrape")
                .isNaN();
        meters.refresh();
        assertThat(registry.get("plugin.acme.open").gauge().value()).isEqualTo(5);
        assertThat(registry.get("plugin.acme.bad").gauge().value()).isNaN();
    }

    @Test
    void thereIsABoundHoweverManyLabelsAreUsed() {
        for (int i = 0; i < 10 * Meters.MAX_METERS; i++) {
            meters.counter("clients", "each", "id", "c" + i).add(1);
            meters.timer("t" + i, "each").record(1);
            meters.gauge("g" + i, "each", () -> 1);
        }
        assertThat(registry.getMeters()).hasSize(Meters.MAX_METERS);
        assertThat(reports.faults()).as("the fault is reported only once").isEqualTo(1);
    }

    @Test
    void whatFitsNoMeterIsRefused() {
        meters.counter("one", "a counter", "kind", "a");
        assertThatThrownBy(() -> meters.timer("one", "a timer", "kind", "a")).hasMessageContaining("one");
        assertThatThrownBy(() -> meters.counter("one", "labels", "other", "a")).hasMessageContaining("one");
        assertThatThrownBy(() -> meters.counter("One", "a name")).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> meters.counter("x".repeat(65), "a name")).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> meters.counter("two", "odd", "kind")).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> meters.counter("two", "long", "kind", "x".repeat(65)))
                .isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> meters.counter("two", "many", "a", "", "b", "", "c", "", "d", ""))
                .isInstanceOf(IllegalArgumentException.class);
    }
}
