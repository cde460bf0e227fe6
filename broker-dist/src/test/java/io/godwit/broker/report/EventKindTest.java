package io.godwit.broker.report;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.plugin.event.BrokerEvent;
import io.godwit.plugin.event.DisconnectCause;
import io.godwit.plugin.event.PublishRefusalCause;
import io.godwit.plugin.event.SubscribeRefusalCause;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.slf4j.event.Level;

class EventKindTest {
    @Test
    void noEventIsWithoutItsKind() {
        Set<Class<?>> kinds =
                EventKind.ALL.stream().<Class<?>>map(EventKind::event).collect(Collectors.toUnmodifiableSet());

        assertThat(kinds)
                .hasSameSizeAs(EventKind.ALL)
                .containsExactlyInAnyOrder(BrokerEvent.class.getPermittedSubclasses());
    }

    @Test
    void theDocumentsNameEachEventWithItsCounters() throws IOException {
        Path docs = Path.of(System.getProperty("user.dir")).resolveSibling("docs");
        List<String> rows = Files.readAllLines(docs.resolve("operations.md"));
        String plugins = Files.readString(docs.resolve("plugins.md"));
        for (EventKind kind : EventKind.ALL) {
            String name = "`" + kind.event().getSimpleName() + "`";
            assertThat(rows.stream().filter(row -> row.startsWith("| " + name + " |")))
                    .as("rows of %s", name)
                    .singleElement()
                    .satisfies(row -> assertThat(row).contains(kind.meters().toArray(new String[0])));
            assertThat(plugins).as("the table of other names").contains(name);
        }
        assertThat(rows.stream().filter(row -> row.matches("\\| `[A-Z][A-Za-z]+` \\|.*`godwit\\..*")))
                .as("rows of events, each of one that is there")
                .hasSameSizeAs(EventKind.ALL);
    }

    @Test
    void theTableOfOtherNamesNamesEachCause() throws IOException {
        Path docs = Path.of(System.getProperty("user.dir")).resolveSibling("docs");
        List<String> rows = Files.readAllLines(docs.resolve("plugins.md"));
        theTableNames(rows, BrokerEvent.ClientDisconnected.class, DisconnectCause.values());
        theTableNames(rows, BrokerEvent.PublishRefused.class, PublishRefusalCause.values());
        theTableNames(rows, BrokerEvent.SubscribeRefused.class, SubscribeRefusalCause.values());
    }

    private static void theTableNames(List<String> rows, Class<? extends BrokerEvent> event, Enum<?>... causes) {
        for (Enum<?> cause : causes) {
            assertThat(rows.stream()
                            .filter(row -> row.startsWith("| `" + event.getSimpleName() + "` with ")
                                    && row.contains("`" + cause.name() + "`")))
                    .as("rows of %s with %s", event, cause)
                    .hasSize(1);
        }
    }

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
