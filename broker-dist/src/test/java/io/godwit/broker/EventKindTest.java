package io.godwit.broker;

import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.domain.JavaCodeUnit;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import io.godwit.broker.auth.AuthFileReports;
import io.godwit.broker.plugin.PluginReports;
import io.godwit.broker.settings.ClusterWaitsSection;
import io.godwit.broker.sub.SubReports;
import io.godwit.dist.deliver.DistCounters;
import io.godwit.dist.member.MemberReports;
import io.godwit.inbox.report.InboxReports;
import io.godwit.mqtt.transport.MqttMetrics;
import io.godwit.plugin.event.BrokerEvent;
import io.godwit.plugin.event.EventListener;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Every kind of event is raised somewhere, counted beside it, and told of in the documentation. */
class EventKindTest {
    private static final JavaClasses CLASSES = new ClassFileImporter()
            .withImportOption(location -> !location.contains("test-classes") && !location.contains("-tests.jar"))
            .importPackages("io.godwit");
    private static final MeterRegistry METERS = registry();

    private static MeterRegistry registry() {
        MeterRegistry meters = new SimpleMeterRegistry();
        new MqttMetrics(meters);
        new DistCounters(meters);
        new InboxReports(EventListener.NONE, meters);
        new MemberReports(EventListener.NONE, meters);
        new NodeWaits(new ClusterWaitsSection(1, 1, 1, 2, 1, 1, 1, 1, 1, 5, 1, 1, 1), EventListener.NONE, meters);
        new AuthFileReports(EventListener.NONE, meters);
        new SubReports(EventListener.NONE, meters);
        new PluginReports("some-plugin", "auth-provider", EventListener.NONE, meters);
        return meters;
    }

    static Stream<Class<?>> events() {
        return Stream.of(BrokerEvent.class.getPermittedSubclasses());
    }

    @ParameterizedTest
    @MethodSource("events")
    void isCounted(Class<? extends BrokerEvent> event) {
        List<EventKind> kinds =
                EventKind.ALL.stream().filter(kind -> kind.event() == event).toList();

        assertThat(kinds)
                .singleElement()
                .satisfies(kind -> assertThat(kind.meters())
                        .isNotEmpty()
                        .allSatisfy(meter -> assertThat(METERS.find(meter).meters())
                                .as(meter)
                                .isNotEmpty()));
    }

    /** No event is made that nobody wants. */
    @ParameterizedTest
    @MethodSource("events")
    void isRaisedWhereSomebodyIsAskedToListen(Class<? extends BrokerEvent> event) {
        List<JavaCodeUnit> sources = CLASSES.get(event).getConstructorCallsToSelf().stream()
                .map(call -> call.getOrigin())
                .distinct()
                .toList();

        assertThat(sources)
                .isNotEmpty()
                .allSatisfy(source -> assertThat(source.getMethodCallsFromSelf())
                        .as(source.getFullName())
                        .anyMatch(call -> call.getName().equals("isListening")));
    }

    @ParameterizedTest
    @MethodSource("events")
    void isTold(Class<? extends BrokerEvent> event) throws IOException {
        Path page = Path.of("..", "docs", "operations.md");

        assertThat(Files.readAllLines(page))
                .as("lines of %s about %s", page, event.getSimpleName())
                .anyMatch(line -> line.startsWith("| `" + event.getSimpleName() + "` |")
                        && EventKind.ALL.stream()
                                .filter(kind -> kind.event() == event)
                                .flatMap(kind -> kind.meters().stream())
                                .allMatch(line::contains));
    }

    @Test
    void whatStatusCallsThemIsTold() throws IOException {
        String page = Files.readString(Path.of("..", "docs", "operations.md"));

        assertThat(EventKind.ALL)
                .filteredOn(kind -> kind.level() != null)
                .allSatisfy(kind -> assertThat(page)
                        .containsPattern("(?m)^\\|[^|]*`" + kind.name() + "[`.][^|]*\\|[^|]*`"
                                + kind.event().getSimpleName() + "`"));
    }

    @Test
    void namesAreUnique() {
        assertThat(EventKind.ALL).extracting(EventKind::name).doesNotHaveDuplicates();
    }
}
