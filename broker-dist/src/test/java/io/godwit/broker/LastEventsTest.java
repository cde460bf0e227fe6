package io.godwit.broker;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.broker.check.ConfigLoader;
import io.godwit.broker.effective.PluginJars;
import io.godwit.mqtt.TestClient;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A listener hears what the end of its node raises, before it is stopped itself. */
@Tag("slow") // it starts a node
@Timeout(120)
class LastEventsTest {
    private static final String EAR = """
            import io.godwit.plugin.context.*;
            import io.godwit.plugin.event.*;
            import java.nio.file.*;
            public class Ear implements EventListenerFactory, Plugin {
                private PluginContext context;
                @Override public String name() { return "ear"; }
                @Override public void create(PluginContext given) { context = given; }
                @Override public EventListener create() {
                    return event -> {
                        if (event instanceof BrokerEvent.ClientDisconnected
                                || event instanceof BrokerEvent.RangeLeadershipBegan
                                || event instanceof BrokerEvent.RangeLeadershipEnded) {
                            write(event.toString());
                        }
                    };
                }
                @Override public void stop() { write("stop"); }
                private void write(String line) {
                    try {
                        Files.writeString(context.dataDirectory().resolve("heard"), line + System.lineSeparator(),
                            StandardOpenOption.CREATE, StandardOpenOption.APPEND);
                    } catch (java.io.IOException e) {
                        throw new java.io.UncheckedIOException(e);
                    }
                }
            }
            """;

    @TempDir
    private Path directory;

    @Test
    void theEndOfClientsAndOfLeadershipsIsHeardBeforeTheStop() throws Exception {
        Path plugins = Files.createDirectory(directory.resolve("plugins"));
        PluginJars.make(
                directory,
                plugins.resolve("ear.jar"),
                "META-INF/services/io.godwit.plugin.event.EventListenerFactory",
                "Ear",
                Map.of("Ear", EAR));
        Path file = Files.writeString(directory.resolve("standalone.yml"), """
                bootstrap: true
                apiServerConfig: {enable: false}
                mqttServerConfig: {tcpListener: {host: 127.0.0.1, port: 0}}
                pluginConfig: {eventListeners: [ear]}
                """);
        Path data = Files.createDirectories(directory.resolve("data"));
        TestClient client;
        try (Broker broker = new Broker(ConfigLoader.load(file, Map.of()), data, plugins)) {
            Matcher port = Pattern.compile("127\\.0\\.0\\.1:(\\d+)")
                    .matcher(broker.start().get(0));
            assertThat(port.find()).isTrue();
            InetSocketAddress address =
                    new InetSocketAddress(InetAddress.getLoopbackAddress(), Integer.parseInt(port.group(1)));
            client = TestClient.clean(address, 5, "gull");
        }
        client.close(); // later than the broker, which had to end the connection
        List<String> heard = Files.readAllLines(data.resolve("plugins/ear/heard"));
        assertThat(heard.get(heard.size() - 1)).isEqualTo("stop");
        assertThat(heard).anyMatch(line -> line.startsWith("ClientDisconnected") && line.contains("gull"));
        long begun = heard.stream()
                .filter(line -> line.startsWith("RangeLeadershipBegan"))
                .count();
        assertThat(begun).as("one of each store at least").isGreaterThanOrEqualTo(3);
        assertThat(heard)
                .filteredOn(line -> line.startsWith("RangeLeadershipEnded"))
                .hasSize((int) begun)
                .allMatch(line -> line.contains("cause=STOPPED"));
    }
}
