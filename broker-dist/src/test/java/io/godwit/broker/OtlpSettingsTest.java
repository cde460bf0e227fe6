package io.godwit.broker;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.godwit.broker.check.ConfigLoader;
import io.godwit.broker.check.StartCheck;
import io.godwit.broker.config.ConfigException;
import io.godwit.broker.effective.BrokerConfig;
import io.godwit.broker.effective.OtlpSettings;
import io.godwit.broker.effective.PluginLoader;
import io.godwit.broker.metrics.OtlpCollector;
import io.godwit.broker.metrics.OtlpPush;
import io.godwit.broker.start.BrokerFacts;
import io.opentelemetry.proto.metrics.v1.Metric;
import io.opentelemetry.proto.metrics.v1.ResourceMetrics;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** {@code otlpConfig}, and a broker that acts by it. */
class OtlpSettingsTest {
    @TempDir
    private Path directory;

    private BrokerConfig load(String otlp, Map<String, String> environment) throws Exception {
        Path file = Files.writeString(directory.resolve("standalone.yml"), """
                mqttServerConfig: {tcpListener: {host: 127.0.0.1, port: 0}}
                apiServerConfig: {port: 0}
                otlpConfig: {%s}
                """.formatted(otlp));
        return ConfigLoader.load(file, Map.of(), environment);
    }

    private List<String> errors(String otlp) {
        return catchThrowableOfType(ConfigException.class, () -> load(otlp, Map.of()))
                .errors();
    }

    @Test
    void everyKeyIsTaken() throws Exception {
        BrokerConfig config = load(
                "url: 'http://otel.example:4318/v1/metrics', intervalSeconds: 1m, timeoutSeconds: 5,"
                        + " headers: ['Authorization=Basic YTpiPT0=', 'X-Scope = a,b'],"
                        + " resourceAttributes: [service.name=mqtt, 'place=Kiel, north']",
                Map.of());
        OtlpPush.Target target = OtlpSettings.of(config, "node-1");
        assertThat(target.url()).hasToString("http://otel.example:4318/v1/metrics");
        assertThat(target.interval()).isEqualTo(Duration.ofMinutes(1));
        assertThat(target.timeout()).isEqualTo(Duration.ofSeconds(5));
        assertThat(target.headers())
                .containsExactly(Map.entry("Authorization", "Basic YTpiPT0="), Map.entry("X-Scope", "a,b"));
        assertThat(target.resource())
                .containsEntry("service.name", "mqtt")
                .containsEntry("service.instance.id", "node-1")
                .containsEntry("place", "Kiel, north")
                .containsKey("service.version");
        assertThat(target.tls()).isNull();
        assertThat(target.toString()).doesNotContain("YTpi");
    }

    @Test
    void itIsOffByDefault() throws Exception {
        assertThat(OtlpSettings.isOn(load("", Map.of()))).isFalse();
        assertThat(OtlpSettings.warnings(load("", Map.of()))).isEmpty();
    }

    @Test
    void wrongValuesAreRefusedInWords() {
        for (String url : List.of(
                "ftp://a/v1/metrics",
                "otel:4318",
                "http://otel:4318",
                "http://:4318/v1",
                "http://otel:70000/v1",
                "http://user:pw@otel/v1",
                "http://otel/v1?key=x",
                "http://otel/v1#x",
                "http://otel/a b")) {
            assertThat(errors("url: '" + url + "'"))
                    .as(url)
                    .singleElement()
                    .asString()
                    .startsWith("otlpConfig.url: must be http:// or https:// with a host");
        }
        assertThat(errors("intervalSeconds: 0, timeoutSeconds: 61"))
                .anyMatch(error -> error.startsWith("otlpConfig.intervalSeconds: must be from 1 to 3600"))
                .anyMatch(error -> error.startsWith("otlpConfig.timeoutSeconds: must be from 1 to 60"));
        assertThat(errors("resourceAttributes: [nothing]"))
                .singleElement()
                .asString()
                .startsWith("otlpConfig.resourceAttributes: must be name=value");
        assertThat(errors("url: 'http://otel/v1', caFile: ca.crt"))
                .singleElement()
                .asString()
                .startsWith("otlpConfig.caFile: has no effect");
    }

    /** Errors about a mistyped header must not put its password into the log. */
    @Test
    void headersAreShownToNobody() throws Exception {
        for (String header : List.of("Bearer s3cret", "A b=s3cret", "A=s3cret\\r\\nB: c", "Host=s3cret", "=s3cret")) {
            assertThat(errors("headers: [\"" + header + "\"]"))
                    .as(header)
                    .singleElement()
                    .asString()
                    .startsWith("otlpConfig.headers: must ")
                    .contains("(line 3)")
                    .doesNotContain("s3cret");
        }
        BrokerConfig config = load(
                "url: 'http://otel.invalid/v1/metrics', headers: ['Authorization=Bearer s3cret${TOKEN:-s3cret}']",
                Map.of("TOKEN", "s3cret"));
        assertThat(OtlpSettings.of(config, "n").headers())
                .containsExactly(Map.entry("Authorization", "Bearer s3crets3cret"));
        assertThat(config.effective().toString())
                .contains("otlpConfig.headers=****")
                .doesNotContain("s3cret");
        assertThat(config.effective().stream().map(key -> key.origin()).toList())
                .noneMatch(origin -> origin.contains("s3cret"));
        try (PluginLoader plugins = PluginLoader.open(directory.resolve("plugins"))) {
            assertThat(new BrokerFacts(config, plugins).settings().toString())
                    .contains("otlpConfig.headers")
                    .doesNotContain("s3cret");
        }
        assertThat(OtlpSettings.warnings(config))
                .singleElement()
                .asString()
                .contains("in the clear", "https://")
                .doesNotContain("s3cret");
    }

    @Test
    void theAuthoritiesAreReadAtTheStart() throws Exception {
        BrokerConfig config = load("url: 'https://otel/v1/metrics', caFile: none.crt", Map.of());
        assertThat(StartCheck.errors(config, directory.resolve("plugins")))
                .singleElement()
                .asString()
                .startsWith("otlpConfig.caFile: ")
                .contains("none.crt");
    }

    @Test
    @Tag("slow") // it starts a node
    @Timeout(60)
    void aBrokerPushesItsMeters() throws Exception {
        try (OtlpCollector collector = OtlpCollector.answering(200)) {
            BrokerConfig config = load("url: '" + collector.url() + "', intervalSeconds: 1", Map.of());
            Path data = Files.createDirectories(directory.resolve("data"));
            try (Broker broker = new Broker(config, data, directory.resolve("plugins"))) {
                broker.start();
                ResourceMetrics pushed = collector.next().request().getResourceMetrics(0);
                while (!names(pushed).contains("godwit_mqtt_connects_total")) { // pushes begin before the listeners
                    pushed = collector.next().request().getResourceMetrics(0);
                }
                assertThat(names(pushed)).contains("godwit_kv_commit_seconds", "godwit_otlp_pushes_total");
                assertThat(pushed.getResource().getAttributesList())
                        .anyMatch(pair -> pair.getKey().equals("service.instance.id")
                                && !pair.getValue().getStringValue().isEmpty());
            }
        }
    }

    private static Set<String> names(ResourceMetrics pushed) {
        return pushed.getScopeMetrics(0).getMetricsList().stream()
                .map(Metric::getName)
                .collect(Collectors.toSet());
    }
}
