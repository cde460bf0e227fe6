package io.godwit.broker;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.broker.metrics.Exposition;
import io.godwit.broker.metrics.ScrapeFormat;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * What a node of a cluster answers to a scrape. {@code docs/metrics.md} is written anew with
 * {@code -Dgodwit.metrics.write}.
 */
@Tag("slow") // it starts a node
class MetricsPageTest {
    private static final Path PAGE = Path.of(System.getProperty("user.dir"))
            .toAbsolutePath()
            .getParent()
            .resolve("docs/metrics.md");
    /** What Prometheus's own names end in; a name that is no base unit would be caught by them alone. */
    private static final List<String> NO_BASE_UNITS =
            List.of("_millis", "_milliseconds", "_ms", "_nanos", "_nanoseconds", "_micros", "_minutes", "_kilobytes",
                    "_megabytes", "_percent");

    @TempDir
    private static Path directory;

    private static Broker broker;
    private static Exposition scrape;

    @BeforeAll
    static void scrapeANode() throws Exception {
        int port = freePort();
        Path file = Files.writeString(
                directory.resolve("standalone.yml"),
                """
                bootstrap: true
                mqttServerConfig: {tcpListener: {host: 127.0.0.1, port: 0}}
                topicConfig: {sysIntervalSeconds: 10}
                clusterConfig: {env: test, host: 127.0.0.1, port: %d, rpcPort: %d,
                    seedEndpoints: "127.0.0.1:%d", foundAlone: true}
                """
                        .formatted(port, port + 1, port));
        Path data = Files.createDirectories(directory.resolve("data"));
        broker = new Broker(ConfigLoader.load(file, Map.of()), data, directory.resolve("plugins"));
        broker.start();
        scrape = scrape();
    }

    @AfterAll
    static void stop() {
        broker.close();
    }

    private static int freePort() throws Exception {
        while (true) {
            int port = ThreadLocalRandom.current().nextInt(10_000, 16_000) * 2;
            try (ServerSocket one = new ServerSocket(port, 1, InetAddress.getLoopbackAddress());
                    ServerSocket two = new ServerSocket(port + 1, 1, InetAddress.getLoopbackAddress())) {
                return one.getLocalPort();
            } catch (java.io.IOException e) {
                continue; // taken
            }
        }
    }

    private static Exposition scrape() throws Exception {
        byte[] text = broker.metrics().scrapes().scrape(ScrapeFormat.TEXT).get(30, TimeUnit.SECONDS);
        return new Exposition(new String(text, StandardCharsets.UTF_8));
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
}
