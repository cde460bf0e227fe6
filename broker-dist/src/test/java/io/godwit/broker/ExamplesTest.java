package io.godwit.broker;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.broker.check.ConfigLoader;
import io.godwit.broker.check.StartCheck;
import io.godwit.broker.effective.PluginJars;
import io.godwit.mqtt.TestClient;
import io.godwit.mqtt.packet.ConnAck;
import io.godwit.mqtt.packet.Connect;
import io.godwit.mqtt.packet.PubAck;
import io.godwit.mqtt.packet.ReasonCode;
import io.godwit.plugin.message.Qos;
import io.godwit.testing.Await;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The sample plugins under {@code docs/examples}, as their READMEs tell: a jar dropped in, and named. */
@Tag("slow") // it starts nodes
@Timeout(180)
class ExamplesTest {
    @TempDir
    private Path directory;

    private Path jar(String example) throws IOException {
        Path sources = Path.of(System.getProperty("user.dir")).resolveSibling("docs/examples/" + example);
        Path classes = Files.createDirectories(directory.resolve("classes-" + example));
        PluginJars.compile(classes, PluginJars.sourcesIn(sources.resolve("src/main/java")));
        Path services = Files.createDirectories(classes.resolve("META-INF/services"));
        try (Stream<Path> files = Files.list(sources.resolve("src/main/resources/META-INF/services"))) {
            for (Path file : files.toList()) {
                Files.copy(file, services.resolve(file.getFileName()));
            }
        }
        Path plugins = directory.resolve("plugins");
        PluginJars.pack(classes, plugins.resolve(example + ".jar"));
        return plugins;
    }

    private final class Running implements AutoCloseable {
        private final Broker broker;
        private final InetSocketAddress address;

        private Running(Path plugins, String more) throws Exception {
            Path file = Files.writeString(directory.resolve("standalone.yml"), """
                    apiServerConfig: {enable: false}
                    mqttServerConfig: {tcpListener: {host: 127.0.0.1, port: 0}}
                    """ + more);
            Path data = Files.createDirectories(directory.resolve("data"));
            broker = new Broker(ConfigLoader.load(file, Map.of()), data, plugins);
            Matcher port = Pattern.compile("127\\.0\\.0\\.1:(\\d+)")
                    .matcher(broker.start().get(0));
            assertThat(port.find()).isTrue();
            address = new InetSocketAddress(InetAddress.getLoopbackAddress(), Integer.parseInt(port.group(1)));
        }

        private void publish(int from, int to) {
            try (TestClient client = TestClient.clean(address, 5, "publisher")) {
                for (int i = from; i < to; i++) {
                    client.send(TestClient.publish(1 + i, Qos.AT_LEAST_ONCE, false, "alarms/" + i, String.valueOf(i)));
                    assertThat(client.receive(PubAck.class).reasonCode().isError())
                            .isFalse();
                }
            }
        }

        private ConnAck connect(int level, String clientId) {
            try (TestClient client = new TestClient(address, level)) {
                client.send(new Connect(level, true, 0, clientId, null, null, null));
                return client.receive(ConnAck.class);
            }
        }

        @Override
        public void close() {
            broker.close();
        }
    }

    /** The file has all messages, including those published while the plugin was not running. */
    @Test
    void theSubBrokerWritesItsFile() throws Exception {
        Path plugins = jar("sub-broker");
        Path written = directory.resolve("messages.txt");
        String with = """
                subBrokerConfig: {plugins: file-sink}
                plugins: {file-sink: {file: %s, filters: [alarms/#]}}
                """.formatted(written);
        try (Running first = new Running(plugins, with)) {
            Await.until("it is served", () -> {
                first.publish(0, 1);
                return Files.size(written) > 0;
            });
            first.publish(1, 100);
            Await.until("all are there", () -> numbers(written).containsAll(upTo(100)));
        }
        try (Running second = new Running(plugins, "")) {
            second.publish(100, 150);
        }
        try (Running third = new Running(plugins, with)) {
            Await.until("those too that came meanwhile", () -> numbers(written).containsAll(upTo(150)));
            third.publish(150, 160);
            Await.until("and later ones", () -> numbers(written).containsAll(upTo(160)));
        }
        assertThat(numbers(written).stream().distinct().filter(each -> each > 0))
                .isSorted();
    }

    private static List<Integer> upTo(int to) {
        return IntStream.range(0, to).boxed().toList();
    }

    private static List<Integer> numbers(Path file) throws IOException {
        try (Stream<String> lines = Files.lines(file)) {
            return lines.map(line -> line.substring(line.indexOf('\t') + 1))
                    .map(text -> new String(Base64.getDecoder().decode(text), StandardCharsets.UTF_8))
                    .map(Integer::valueOf)
                    .toList();
        }
    }

    @Test
    void theThrottlerHoldsTenantsToTheirPlan() throws Exception {
        Path plugins = jar("resource-throttler");
        String with = """
                tenantConfig: {resourceThrottler: tenant-plans}
                plugins:
                  tenant-plans:
                    limits: [default.connections=1, default.retained-messages=2, other.connections=0]
                """;
        try (Running node = new Running(plugins, with);
                TestClient only = TestClient.clean(node.address, 5, "only")) {
            assertThat(node.connect(5, "more").reasonCode()).isEqualTo(ReasonCode.QUOTA_EXCEEDED);
            assertThat(node.connect(4, "more").reasonCode()).isEqualTo(ReasonCode.SERVER_UNAVAILABLE);
            ReasonCode[] expected = {
                ReasonCode.NO_MATCHING_SUBSCRIBERS, ReasonCode.NO_MATCHING_SUBSCRIBERS, ReasonCode.QUOTA_EXCEEDED
            };
            for (int i = 0; i < 3; i++) {
                only.send(TestClient.publish(1, Qos.AT_LEAST_ONCE, true, "kept/" + i, "x"));
                assertThat(only.receive(PubAck.class).reasonCode()).isEqualTo(expected[i]);
            }
            only.send(TestClient.publish(1, Qos.AT_LEAST_ONCE, true, "kept/0", "y"));
            assertThat(only.receive(PubAck.class).reasonCode())
                    .as("a retained message is replaced")
                    .isEqualTo(ReasonCode.NO_MATCHING_SUBSCRIBERS);
            only.send(TestClient.publish(1, Qos.AT_LEAST_ONCE, true, "kept/0", ""));
            assertThat(only.receive(PubAck.class).reasonCode().isError())
                    .as("a retained message is cleared")
                    .isFalse();
            only.send(TestClient.publish(1, Qos.AT_LEAST_ONCE, true, "kept/2", "x"));
            assertThat(only.receive(PubAck.class).reasonCode())
                    .as("a further retained message is accepted")
                    .isEqualTo(ReasonCode.NO_MATCHING_SUBSCRIBERS);
        }
    }

    @Test
    void theThrottlerNamesTheResourcesThatItKnows() throws Exception {
        Path plugins = jar("resource-throttler");
        Path file = Files.writeString(directory.resolve("wrong.yml"), """
                tenantConfig: {resourceThrottler: tenant-plans}
                plugins:
                  tenant-plans:
                    limits: [birds.conections=1, birds.publish-rate=many, birds.sessions=-1, birds.queued-bytes=1]
                """);
        assertThat(StartCheck.errors(ConfigLoader.load(file, Map.of()), plugins))
                .hasSize(3)
                .noneSatisfy(error -> assertThat(error).containsAnyOf("enum", "For input"))
                .anySatisfy(error -> assertThat(error)
                        .contains("was birds.conections=1: no resource is named conections, only connections, "
                                + "connect-rate, sessions,"))
                .anySatisfy(error -> assertThat(error).contains("birds.publish-rate=many: many is no whole number"))
                .anySatisfy(error -> assertThat(error).contains("SESSIONS must be at least 0, was -1"));
    }

    @Test
    void theClientBalancerSendsClientsHome() throws Exception {
        Path plugins = jar("client-balancer");
        String with = """
                redirectConfig: {balancer: client-homes, serverReference: "north.example.org:1883"}
                plugins:
                  client-homes:
                    homes: ["north-=north.example.org:1883", "south-=south.example.org:1883"]
                """;
        try (Running node = new Running(plugins, with)) {
            assertThat(node.connect(5, "north-1").reasonCode()).isEqualTo(ReasonCode.SUCCESS);
            assertThat(node.connect(5, "west-1").reasonCode()).isEqualTo(ReasonCode.SUCCESS);
            ConnAck south = node.connect(5, "south-1");
            assertThat(south.reasonCode()).isEqualTo(ReasonCode.USE_ANOTHER_SERVER);
            assertThat(south.serverReference()).isEqualTo("south.example.org:1883");
            assertThat(node.connect(4, "south-1").reasonCode())
                    .as("a client without MQTT 5.0 is not redirected")
                    .isEqualTo(ReasonCode.SUCCESS);
        }
        try (Running node = new Running(
                plugins,
                with.replace("    homes:", "    forGood: true\n    homes:")
                        .replace("balancer: client-homes,", "balancer: client-homes, olderClients: refuse,"))) {
            assertThat(node.connect(5, "south-1").reasonCode()).isEqualTo(ReasonCode.SERVER_MOVED);
            assertThat(node.connect(4, "south-1").reasonCode()).isEqualTo(ReasonCode.SERVER_UNAVAILABLE);
        }
    }
}
