package io.godwit.it.metrics;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonElement;
import com.google.gson.JsonParser;
import io.godwit.it.broker.BrokerProcess;
import io.godwit.it.broker.Ports;
import io.godwit.it.cluster.BrokerCluster;
import io.godwit.mqtt.TestClient;
import io.godwit.mqtt.packet.PubAck;
import io.godwit.mqtt.packet.Publish;
import io.godwit.mqtt.packet.field.ReasonCode;
import io.godwit.plugin.message.Qos;
import io.godwit.testing.Await;
import io.godwit.testing.Needs;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.yaml.snakeyaml.Yaml;

/**
 * What is in {@code conf/metrics} before a real Prometheus that scrapes the APIs of three brokers of a cluster.
 */
@Tag("full")
@Timeout(240)
class PrometheusTest {
    private static final Duration PATIENCE = Duration.ofSeconds(90);
    private static final Path CONF = Path.of("../conf/metrics").toAbsolutePath().normalize();
    private static final String INSTALLER = ".ci/install-test-clients does it";

    @TempDir
    private static Path directory;

    private static final Deque<AutoCloseable> OPENED = new ArrayDeque<>();
    private static final List<InetSocketAddress> LISTENERS = new ArrayList<>();
    private static @Nullable PrometheusProcess prometheus;

    @BeforeAll
    static void startAll() throws Exception {
        String program = PrometheusProcess.program("prometheus");
        Needs.need(program != null, "prometheus", INSTALLER);
        List<Integer> metrics = startBrokers();
        Files.copy(CONF.resolve("alerts.yml"), directory.resolve("alerts.yml"));
        String config = Files.readString(CONF.resolve("prometheus.yml"))
                .replace("scrape_interval: 15s", "scrape_interval: 1s\n  evaluation_interval: 1s")
                .replaceAll(" +authorization:\n +credentials_file: godwit.token\n", "");
        for (int i = 0; i < metrics.size(); i++) {
            config = config.replace("node" + (i + 1) + ":8091", "127.0.0.1:" + metrics.get(i));
        }
        Path file = Files.writeString(directory.resolve("prometheus.yml"), config);
        PrometheusProcess started = new PrometheusProcess(
                String.valueOf(program), directory, file, Ports.free().getPort());
        OPENED.push(started);
        prometheus = started;
        Await.until("prometheus is ready", PATIENCE, started::isReady);
    }

    /** Returns the ports of their APIs. */
    private static List<Integer> startBrokers() throws Exception {
        BrokerCluster cluster = new BrokerCluster(directory.resolve("brokers"), 3);
        OPENED.push(cluster);
        List<Integer> ports = new ArrayList<>();
        for (BrokerProcess node : cluster.nodes()) {
            int port = Ports.free().getPort();
            node.setting("apiServerConfig", "{port: " + port + "}");
            ports.add(port);
        }
        cluster.start();
        cluster.nodes().forEach(node -> LISTENERS.add(node.address()));
        return ports;
    }

    @AfterAll
    static void stopAll() throws Exception {
        while (!OPENED.isEmpty()) {
            OPENED.pop().close();
        }
    }

    private static PrometheusProcess prometheus() {
        PrometheusProcess started = prometheus;
        assertThat(started).isNotNull();
        return started;
    }

    @Test
    void promtoolFindsNothingWrongWithTheRules() throws Exception {
        String program = PrometheusProcess.program("promtool");
        Needs.need(program != null, "prometheus", INSTALLER);
        Process check = new ProcessBuilder(
                        String.valueOf(program),
                        "check",
                        "rules",
                        CONF.resolve("alerts.yml").toString())
                .redirectErrorStream(true)
                .start();
        String said = new String(check.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(check.waitFor()).as(said).isZero();
        assertThat(said).contains("SUCCESS");
    }

    @Test
    void everyQueryOfTheBoardYieldsSomething() throws Exception {
        List<String> queries = new ArrayList<>();
        JsonParser.parseString(Files.readString(CONF.resolve("grafana.json")))
                .getAsJsonObject()
                .getAsJsonArray("panels")
                .forEach(panel -> {
                    if (panel.getAsJsonObject().has("targets")) {
                        for (JsonElement target : panel.getAsJsonObject().getAsJsonArray("targets")) {
                            queries.add(target.getAsJsonObject().get("expr").getAsString());
                        }
                    }
                });
        assertThat(queries).hasSizeGreaterThan(30);
        assertYield(queries.stream()
                .map(query ->
                        query.replace("$job", "godwit").replace("$node", ".*").replace("$__rate_interval", "20s"))
                .toList());
    }

    /** Without its limit each expression yields something; with it, nothing while all is well. */
    @Test
    void everyExpressionOfTheRulesYieldsSomething() throws Exception {
        List<String> expressions = new ArrayList<>();
        Map<String, List<Map<String, List<Map<String, Object>>>>> file =
                new Yaml().load(Files.readString(CONF.resolve("alerts.yml")));
        for (var group : file.getOrDefault("groups", List.of())) {
            group.getOrDefault("rules", List.of()).forEach(rule -> expressions.add(String.valueOf(rule.get("expr"))));
        }
        assertThat(expressions).hasSizeGreaterThan(10).allMatch(expression -> expression.matches(".* (>|==) [0-9.]+"));
        assertYield(expressions.stream()
                .map(expression -> expression.replaceAll(" (>|==) [0-9.]+$", ""))
                .toList());
        Await.until(
                "rules evaluated",
                PATIENCE,
                () -> prometheus().rules().stream().allMatch(rule -> rule.startsWith("ok ")));
        assertThat(prometheus().rules()).hasSameSizeAs(expressions);
        assertThat(prometheus().series("ALERTS{alertname=\"GodwitNodeDown\"}")).isZero();
        assertThat(prometheus().series("godwit_no_such_metric")).isZero();
    }

    /** While messages flow from the first node to a stored session that is connected to the second one. */
    private static void assertYield(List<String> queries) throws Exception {
        try (TestClient subscriber = TestClient.persistent(LISTENERS.get(1), 5, "subscriber");
                TestClient publisher = TestClient.clean(LISTENERS.get(0), 5, "publisher")) {
            subscriber.subscribe(1, "metrics/#", Qos.AT_LEAST_ONCE);
            List<String> left = new ArrayList<>(queries);
            int[] packetId = {0};
            Await.until(() -> "without an answer: " + left, PATIENCE, () -> {
                for (int i = 0; i < 40; i++) {
                    packetId[0] = packetId[0] % 60_000 + 1;
                    publisher.send(TestClient.publish(packetId[0], Qos.AT_LEAST_ONCE, false, "metrics/" + i, "x"));
                    publisher.receive(PubAck.class);
                    Publish copy = subscriber.receive(Publish.class);
                    subscriber.send(new PubAck(copy.packetId(), ReasonCode.SUCCESS));
                }
                List<String> answered = new ArrayList<>();
                for (String query : left) {
                    if (prometheus().series(query) > 0) {
                        answered.add(query);
                    }
                }
                left.removeAll(answered);
                return left.isEmpty();
            });
        }
    }
}
