package io.godwit.api;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.api.port.access.BanAdmin.Kind;
import io.godwit.api.port.access.BanAdmin.Wanted;
import io.godwit.api.port.cluster.Liveness;
import io.godwit.api.port.cluster.NodeView;
import io.godwit.api.port.figure.NodeHistory;
import io.godwit.api.port.figure.NodeHistory.Sample;
import io.godwit.api.port.message.DelayedAdmin.DelayedView;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.stream.LongStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;

/** A dashboard over a broker in memory with three nodes, an hour of figures, and clients of all kinds. */
abstract class DashboardFixture {
    static final String THIRD = "node-c";
    static final Path PICTURES = Path.of("target/dashboard");
    /** Milliseconds between two figures. */
    static final long STEP = 10_000;

    private static final List<Double> BOUNDS = List.of(1.0, 5.0, 25.0, 100.0);

    /** Client ids chosen to harm whoever views them. */
    static final List<String> HOSTILE = List.of(
            "<img src=x onerror=\"window.hacked=1;document.title='hacked'\">",
            "\"><script>window.hacked=1</script>",
            "javascript:window.hacked=1",
            "../../api/v1/nodes?x=#y/%2e%2e/",
            "a\u202Egpj.exe",
            "' autofocus onfocus='window.hacked=1",
            "{{constructor.constructor('window.hacked=1')()}}",
            "鴫 \uD83D\uDC26 ключ");

    @TempDir
    private Path directory;

    Dashboard dashboard;
    ApiFixture api;

    static Browser browser() {
        return OneBrowser.browser();
    }

    @BeforeEach
    void openDashboard() throws Exception {
        dashboard = new Dashboard(directory);
        api = dashboard.api;
        fill(api.node);
    }

    @AfterEach
    void closeDashboard() {
        dashboard.close();
    }

    /** Three nodes with an hour of figures, ranges and clients. */
    static void fill(FakeNode node) {
        node.nodes = List.of(
                new NodeView(
                        FakeNode.ID,
                        "10.0.0.1:1884",
                        "0.1.0",
                        "z1",
                        Liveness.ALIVE,
                        false,
                        8,
                        0.42,
                        512L << 30,
                        300L << 30,
                        3,
                        7,
                        false,
                        true),
                new NodeView(
                        FakeNode.OTHER,
                        "10.0.0.2:1884",
                        "0.1.0",
                        "z2",
                        Liveness.ALIVE,
                        true,
                        8,
                        0.31,
                        512L << 30,
                        280L << 30,
                        2,
                        7,
                        false,
                        false),
                new NodeView(THIRD, "10.0.0.3:1884", "", "", Liveness.DOWN, false, 0, -1, 0, 0, 2, 7, false, false));
        node.ranges.put(
                "dist",
                List.of(
                        FakeNode.range("dist", 1, "", "default/m", FakeNode.ID, 120),
                        FakeNode.range("dist", 2, "default/m", "", FakeNode.OTHER, 60)));
        node.ranges.put(
                "inbox",
                List.of(
                        FakeNode.range("inbox", 1, "", "\\x10", FakeNode.ID, 400),
                        FakeNode.range("inbox", 2, "\\x10", "\\x80", FakeNode.OTHER, 220),
                        FakeNode.range("inbox", 3, "\\x80", "\\xc0", THIRD, 90),
                        FakeNode.range("inbox", 4, "\\xc0", "", "", 0)));
        node.figures = Map.of("sessions.count", 31_400L, "subscriptions.count", 52_000L, "retained.count", 1_280L);
        node.history = List.of(
                hour(FakeNode.ID, "10.0.0.1:1884", 1_200),
                hour(FakeNode.OTHER, "10.0.0.2:1884", 700),
                hour(THIRD, "10.0.0.3:1884", 450));
        for (int i = 0; i < 120; i++) {
            node.add("default", "lamp-%03d".formatted(i), "ann", i % 2 == 0 ? 5 : 4, true, i);
        }
        node.add("t1", "kettle", "bob", 5, true, 0);
        HOSTILE.forEach(id -> node.add("default", id, id, 5, true, 1));
        for (int i = 0; i < 60; i++) {
            node.sessions.add("default", "lamp-%03d".formatted(i), i % 2 == 0, 1 + i);
            node.messages.retain("rooms/" + i, "21.5".getBytes(StandardCharsets.UTF_8));
            node.delayed.waiting.add(new DelayedView("id" + i, "rooms/" + i, "timer", 1, 7, 1_800_000_000_000L));
        }
        node.records.ban(
                new Wanted("default", Kind.CLIENT, HOSTILE.get(0), OptionalLong.empty(), "floods", "ola", false),
                Duration.ofSeconds(1));
    }

    private static NodeHistory hour(String id, String name, double rate) {
        long end = 1_790_000_000_000L / STEP;
        List<Sample> samples = LongStream.rangeClosed(end - 359, end)
                .mapToObj(step -> new Sample(
                        step * STEP,
                        rate * 10,
                        rate + 100 * Math.sin(step / 20.0),
                        2 * rate + 150 * Math.cos(step / 25.0),
                        step % 50 < 5 ? Map.of("queue_full", 3.5, "expired", 1.0) : Map.of(),
                        List.of(900L, 80L, 15L, 5L, 0L)))
                .toList();
        return new NodeHistory(id, name, BOUNDS, samples);
    }

    String address(String page) {
        return dashboard.address(page);
    }

    void logIn(String token, String page) {
        dashboard.logIn(token, page);
    }

    static void assertFits() {
        assertThat(browser().run("return document.documentElement.scrollWidth - document.documentElement.clientWidth"))
                .as("pixels outside the screen")
                .isEqualTo(0L);
    }
}
