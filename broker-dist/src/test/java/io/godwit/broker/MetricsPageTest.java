package io.godwit.broker;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.api.port.figure.NodeFigures;
import io.godwit.api.port.figure.ScrapeFormat;
import io.godwit.api.port.figure.StatsSource;
import io.godwit.broker.check.ConfigLoader;
import io.godwit.broker.metrics.Exposition;
import io.godwit.mqtt.TestClient;
import io.godwit.mqtt.packet.PubAck;
import io.godwit.mqtt.packet.Publish;
import io.godwit.mqtt.packet.field.ReasonCode;
import io.godwit.plugin.message.Qos;
import io.godwit.testing.Await;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Predicate;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A cluster node's answer to a scrape. {@code -Dgodwit.metrics.write} updates {@code docs/metrics.md}. */
@Tag("slow") // it starts a node
class MetricsPageTest {
    private static final Path PAGE =
            Path.of(System.getProperty("user.dir")).toAbsolutePath().getParent().resolve("docs/metrics.md");
    /** Endings of Prometheus's own names; only these find a name without a base unit. */
    private static final List<String> NO_BASE_UNITS = List.of(
            "_millis",
            "_milliseconds",
            "_ms",
            "_nanos",
            "_nanoseconds",
            "_micros",
            "_minutes",
            "_kilobytes",
            "_megabytes",
            "_percent");

    @TempDir
    private static Path directory;

    /** More than a node has, which are some hundreds. */
    private static final int MOST_SERIES = 1_000;

    private static final Duration PATIENCE = Duration.ofSeconds(20);

    private static Broker broker;
    private static InetSocketAddress address;
    private static Exposition scrape;

    @BeforeAll
    static void scrapeANode() throws Exception {
        int port = freePort();
        Path file = Files.writeString(directory.resolve("standalone.yml"), """
                bootstrap: true
                apiServerConfig: {enable: false}
                mqttServerConfig: {tcpListener: {host: 127.0.0.1, port: 0}}
                topicConfig: {sysIntervalSeconds: 10}
                tenantConfig: {maxMeteredTenants: 1}
                otlpConfig: {url: "http://127.0.0.1:1/v1/metrics"}
                clusterConfig: {env: test, host: 127.0.0.1, port: %d, rpcPort: %d,
                    seedEndpoints: "127.0.0.1:%d", foundAlone: true}
                """.formatted(port, port + 1, port));
        Path data = Files.createDirectories(directory.resolve("data"));
        broker = new Broker(ConfigLoader.load(file, Map.of()), data, directory.resolve("plugins"));
        String listener = broker.start().get(0);
        address = address(listener);
        scrape = scrape();
    }

    @AfterAll
    static void stop() {
        broker.close();
    }

    /** @param listener such as "listening on tcp 127.0.0.1:1883" */
    private static InetSocketAddress address(String listener) {
        Matcher port = Pattern.compile("127\\.0\\.0\\.1:(\\d+)").matcher(listener);
        assertThat(port.find()).as(listener).isTrue();
        return new InetSocketAddress(InetAddress.getLoopbackAddress(), Integer.parseInt(port.group(1)));
    }

    private static int freePort() throws Exception {
        while (true) {
            int port = ThreadLocalRandom.current().nextInt(10_000, 16_000) * 2;
            try (ServerSocket one = new ServerSocket(port, 1, InetAddress.getLoopbackAddress());
                    ServerSocket two = new ServerSocket(port + 1, 1, InetAddress.getLoopbackAddress())) {
                return Math.min(one.getLocalPort(), two.getLocalPort());
            } catch (java.io.IOException e) {
                // taken: the next one
            }
        }
    }

    private static Exposition scrape() {
        byte[] text = broker.metrics().scrapes().scrape(ScrapeFormat.TEXT).text();
        return new Exposition(new String(text, StandardCharsets.UTF_8));
    }

    /** Scrapes until the condition is met, as figures of stores and links may be half a second old. */
    private static Exposition scrapeUntil(Predicate<Exposition> shows) {
        AtomicReference<Exposition> last = new AtomicReference<>(scrape());
        Await.until(() -> "scrape", Duration.ofSeconds(20), () -> {
            last.set(scrape());
            return shows.test(last.get());
        });
        return last.get();
    }

    @Test
    void thePageIsWrittenFromAScrape() throws Exception {
        String page = MetricsPage.of(scrape);
        if (System.getProperty("godwit.metrics.write") != null) {
            Files.writeString(PAGE, page);
        }
        assertThat(page.lines()).allMatch(line -> line.length() <= 120);
        assertThat(PAGE).hasContent(page);
    }

    @Test
    void everyMeterThatIsRegisteredIsScraped() {
        assertThat(broker.metrics().leftOut()).isEmpty();
    }

    @Test
    void everyMetricIsNamedAsPrometheusWants() {
        scrape.families().forEach((name, family) -> {
            assertThat(name).matches("[a-z][a-z0-9_]*");
            if (name.startsWith("godwit_")) {
                assertThat(family.help()).as("description of %s", name).isNotBlank();
                assertThat(NO_BASE_UNITS).as("unit of %s", name).noneMatch(name.replace("_total", "")::endsWith);
            }
            if (family.type().equals("counter")) {
                assertThat(name).endsWith("_total");
            } else {
                assertThat(name).doesNotEndWith("_total");
            }
            if (family.type().equals("histogram")) {
                assertThat(name).endsWith("_seconds");
            }
        });
    }

    @Test
    void bytesAndSecondsAreCalledSo() {
        TreeSet<String> misnamed = new TreeSet<>();
        scrape.families().forEach((name, family) -> {
            boolean isOfBytes = family.help().matches("(what .* take in the memory|heap of|bytes of) .*");
            if (name.startsWith("godwit_") && isOfBytes && !name.contains("_bytes")) {
                misnamed.add(name);
            }
        });
        assertThat(misnamed).isEmpty();
    }

    @Test
    void theProcessIsMeasured() {
        assertThat(scrape.families()).containsKeys(MetricsPage.OF_PROCESS.toArray(String[]::new));
    }

    /**
     * Client ids, users, topics and filters that would show up as labels, or break the format, if metrics contained
     * them.
     */
    @Test
    void namesThatClientsChooseMakeNoSeries() {
        double before = scrape().sum("godwit_mqtt_publishes_in_total");
        String hostile = "x\"} 1\n# TYPE y counter\ny{a=\"\\";
        int clients = 40;
        for (int i = 0; i < clients; i++) {
            boolean isLasting = i % 2 == 0;
            String id = "hostile-" + i + hostile;
            try (TestClient client =
                    isLasting ? TestClient.persistent(address, 5, id) : TestClient.clean(address, 5, id)) {
                client.subscribe(1, "topic-" + i + hostile.replace('#', 'h') + "/+", Qos.AT_LEAST_ONCE);
                for (int message = 0; message < 70; message++) {
                    client.send(TestClient.publish(
                            0,
                            Qos.AT_MOST_ONCE,
                            message == 0,
                            "topic-" + i + hostile.replace('#', 'h') + "/" + message,
                            "x"));
                    client.receive(Publish.class);
                }
            }
        }
        Exposition after = scrapeUntil(all -> all.sum("godwit_mqtt_publishes_in_total") >= before + 70 * clients);
        assertThat(steady(after)).isEqualTo(steady(scrape)).hasSizeLessThan(MOST_SERIES);
        after.families()
                .values()
                .forEach(family -> family.samples()
                        .forEach(sample ->
                                assertThat(sample.labels().values()).noneMatch(value -> value.contains("hostile"))));
    }

    /** All series except those of the garbage collector, which first appear after a pause. */
    private static Set<String> steady(Exposition all) {
        return all.families().values().stream()
                .filter(family -> !family.name().startsWith("jvm_gc_"))
                .flatMap(family -> family.samples().stream())
                .map(sample -> sample.name() + sample.labels())
                .collect(Collectors.toSet());
    }

    @Test
    void latenciesAreMeasured() {
        double before = scrape().sum("godwit_mqtt_publishes_out_total");
        try (TestClient client = TestClient.persistent(address, 5, "measured")) {
            client.subscribe(1, "measured", Qos.AT_LEAST_ONCE);
            for (int message = 1; message <= 200; message++) {
                client.send(TestClient.publish(message, Qos.AT_LEAST_ONCE, false, "measured", "x"));
                int answers = 0;
                while (answers < 2) { // PUBACK and PUBLISH, in whatever order
                    if (client.receive() instanceof Publish publish) {
                        client.send(new PubAck(publish.packetId(), ReasonCode.SUCCESS));
                    }
                    answers++;
                }
            }
        }
        Exposition after = scrapeUntil(all -> all.sum("godwit_mqtt_publishes_out_total") >= before + 200);
        assertThat(count(after, "godwit_mqtt_latency_seconds", "qos", "1")).isBetween(2.0, 5.0);
        assertThat(count(after, "godwit_kv_commit_seconds", "store", "inbox")).isPositive();
        assertThat(after.sum("godwit_kv_log_sync_seconds_count")).isPositive();
        assertThat(after.sum("godwit_dist_match_seconds_count")).isPositive();
        assertThat(after.sum("godwit_kv_log_written_bytes_total")).isPositive();
        assertThat(count(after, "godwit_kv_leaders", "store", "retain")).isEqualTo(1);
        assertThat(after.sum("godwit_kv_cache_capacity_bytes")).isPositive();
        assertThat(after.sum("godwit_kv_memtables_bytes")).isPositive();
    }

    /** Of the series with that label: the value of a gauge, or the count of a histogram. */
    private static double count(Exposition all, String name, String label, String value) {
        return all.families().get(name).samples().stream()
                .filter(sample -> sample.name().equals(name) || sample.name().equals(name + "_count"))
                .filter(sample -> value.equals(sample.labels().get(label)))
                .mapToDouble(Exposition.Sample::value)
                .sum();
    }

    @Test
    void histogramsHaveTwelveBounds() {
        scrape.families().values().stream()
                .filter(family ->
                        family.type().equals("histogram") && family.name().startsWith("godwit_"))
                .forEach(family -> {
                    Set<String> bounds = family.samples().stream()
                            .map(sample -> sample.labels().get("le"))
                            .filter(bound -> bound != null)
                            .collect(Collectors.toSet());
                    assertThat(bounds).as(family.name()).hasSize(13).contains("1.0E-4", "10.0", "+Inf");
                });
    }

    private static Map<String, Number> figures(boolean areStats) throws Exception {
        StatsSource source = broker.figures().orElseThrow();
        Duration within = Duration.ofSeconds(20);
        List<NodeFigures> nodes = (areStats ? source.stats(within) : source.metrics(within))
                .get(30, TimeUnit.SECONDS)
                .value();
        assertThat(nodes).hasSize(1);
        return nodes.get(0).figures();
    }

    private static long more(Map<String, Number> before, Map<String, Number> now, String name) {
        return now.get(name).longValue() - before.get(name).longValue();
    }

    @Test
    void figuresHaveTheNamesThatBoardsForRmqttKnow() throws Exception {
        for (String name : List.of(
                "connections",
                "handshakings",
                "handshakings_rate",
                "sessions",
                "topics",
                "subscriptions",
                "subscriptions_shared",
                "routes",
                "retained",
                "inflights",
                "in_inflights",
                "out_inflights",
                "message_queues")) {
            assertThat(figures(true)).containsKeys(name + ".count", name + ".max");
        }
        assertThat(figures(false))
                .containsKeys(
                        "messages.publish",
                        "messages.publish.custom",
                        "messages.publish.lastwill",
                        "messages.publish.system",
                        "messages.delivered",
                        "messages.delivered.custom",
                        "messages.delivered.retain",
                        "messages.acked",
                        "messages.dropped",
                        "messages.nonsubscribed",
                        "messages.nonsubscribed.custom",
                        "messages.nonsubscribed.system",
                        "client.connect",
                        "client.connected",
                        "client.disconnected",
                        "client.connack",
                        "client.subscribe",
                        "session.created",
                        "session.resumed",
                        "session.subscribed",
                        "session.unsubscribed");
    }

    @Test
    void figuresFollowWhatClientsDo() throws Exception {
        Map<String, Number> stats = figures(true);
        Map<String, Number> counts = figures(false);
        try (TestClient client = TestClient.clean(address, 5, "figures")) {
            client.subscribe(1, "figures/a", Qos.AT_LEAST_ONCE);
            client.subscribe(2, "figures/+/b", Qos.AT_LEAST_ONCE);
            client.subscribe(3, "$share/g/figures/c", Qos.AT_LEAST_ONCE);
            client.send(TestClient.publish(4, Qos.AT_LEAST_ONCE, true, "figures/a", "x"));
            client.send(TestClient.publish(0, Qos.AT_MOST_ONCE, false, "figures/of/nobody", "x"));
            int packetId = 0;
            for (int answers = 0; answers < 2; answers++) { // PUBACK and PUBLISH, in whatever order
                packetId = client.receive() instanceof Publish publish ? publish.packetId() : packetId;
            }
            Await.until(() -> "counted", PATIENCE, () -> more(counts, figures(false), "messages.nonsubscribed") >= 1);
            Map<String, Number> now = figures(true);
            for (String one : List.of("connections", "sessions", "subscriptions_shared", "retained", "out_inflights")) {
                assertThat(more(stats, now, one + ".count")).as(one).isEqualTo(1);
            }
            for (String three : List.of("subscriptions", "topics", "routes")) {
                assertThat(more(stats, now, three + ".count")).as(three).isEqualTo(3);
            }
            client.send(new PubAck(packetId, ReasonCode.SUCCESS));
            Await.until(() -> "acked", PATIENCE, () -> more(counts, figures(false), "messages.acked") == 1);
            Await.until(() -> "over", PATIENCE, () -> more(stats, figures(true), "out_inflights.count") == 0);
        }
        for (String name : List.of("connections", "subscriptions", "topics", "routes")) {
            Await.until(() -> name, PATIENCE, () -> more(stats, figures(true), name + ".count") == 0);
        }
        assertThat(figures(true).get("connections.max").longValue()).isPositive();
        Map<String, Number> counted = figures(false);
        assertThat(more(counts, counted, "client.connected")).isEqualTo(1);
        assertThat(more(counts, counted, "client.disconnected")).isEqualTo(1);
        assertThat(more(counts, counted, "session.created")).isEqualTo(1);
        assertThat(more(counts, counted, "session.subscribed")).isEqualTo(3);
        assertThat(more(counts, counted, "messages.publish.custom")).isEqualTo(2);
        assertThat(more(counts, counted, "messages.delivered")).isEqualTo(1);
    }
}
