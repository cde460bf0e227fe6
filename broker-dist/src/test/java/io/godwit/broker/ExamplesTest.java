package io.godwit.broker;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.godwit.broker.check.ConfigLoader;
import io.godwit.broker.check.StartCheck;
import io.godwit.broker.effective.PluginJars;
import io.godwit.dist.client.InboxReceiver;
import io.godwit.dist.route.RouteKeys;
import io.godwit.inbox.format.InboxKeys;
import io.godwit.mqtt.TestClient;
import io.godwit.mqtt.packet.ConnAck;
import io.godwit.mqtt.packet.Connect;
import io.godwit.mqtt.packet.PubAck;
import io.godwit.mqtt.packet.Publish;
import io.godwit.mqtt.packet.field.ReasonCode;
import io.godwit.plugin.balance.AccessKind;
import io.godwit.plugin.balance.Key;
import io.godwit.plugin.balance.RangeLoad;
import io.godwit.plugin.balance.SplitHint;
import io.godwit.plugin.balance.SplitHinter;
import io.godwit.plugin.balance.SplitHinterFactory;
import io.godwit.plugin.client.ClientId;
import io.godwit.plugin.client.TenantId;
import io.godwit.plugin.event.BrokerEvent;
import io.godwit.plugin.event.EventListener;
import io.godwit.plugin.event.EventListenerFactory;
import io.godwit.plugin.message.Qos;
import io.godwit.plugin.topic.TopicFilter;
import io.godwit.retain.topic.RetainKeys;
import io.godwit.testing.Await;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.ServiceLoader;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import javax.crypto.SecretKeyFactory;
import javax.crypto.spec.PBEKeySpec;
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
        return jar(example, sources.resolve("src/main/java"), sources.resolve("src/main/resources/META-INF/services"));
    }

    private Path jar(String example, Path sources, Path factories) throws IOException {
        Path classes = Files.createDirectories(directory.resolve("classes-" + example));
        PluginJars.compile(classes, PluginJars.sourcesIn(sources));
        Path services = Files.createDirectories(classes.resolve("META-INF/services"));
        try (Stream<Path> files = Files.list(factories)) {
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
            Matcher port = Pattern.compile("127\\.0\\.0\\.1:(\\d+)").matcher(listening());
            assertThat(port.find()).isTrue();
            address = new InetSocketAddress(InetAddress.getLoopbackAddress(), Integer.parseInt(port.group(1)));
        }

        private String listening() throws Exception {
            try {
                return broker.start().get(0);
            } catch (Exception e) {
                broker.close();
                throw e;
            }
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

    /** Those of perf/plugins, whose cost docs/perf.md measures: each publish is changed, and one event heard. */
    @Test
    void thePluginsOfTheMeasurementSeeEachPublish() throws Exception {
        Path sources = Path.of(System.getProperty("user.dir")).resolveSibling("perf/plugins");
        Path plugins = jar("cost", sources.resolve("src"), sources.resolve("META-INF/services"));
        String yaml = Files.readString(sources.resolve("cost.yml"));
        try (Running node = new Running(plugins, yaml.substring(yaml.indexOf("pluginConfig:")));
                TestClient receiver = TestClient.clean(node.address, 5, "receiver");
                TestClient publisher = TestClient.clean(node.address, 5, "publisher")) {
            receiver.subscribe(1, "t", Qos.AT_LEAST_ONCE);
            for (int i = 1; i <= 3; i++) {
                publisher.send(TestClient.publish(i, Qos.AT_LEAST_ONCE, false, "t", "x"));
                assertThat(publisher.receive(PubAck.class).reasonCode()).isEqualTo(ReasonCode.SUCCESS);
                assertThat(receiver.receive(Publish.class).properties().payloadFormat())
                        .isOne();
            }
        }
        URL[] jars = {plugins.resolve("cost.jar").toUri().toURL()};
        try (URLClassLoader loader = new URLClassLoader(jars, getClass().getClassLoader())) {
            EventListenerFactory factory = ServiceLoader.load(EventListenerFactory.class, loader).stream()
                    .map(ServiceLoader.Provider::get)
                    .filter(each -> each.name().equals("cost-listen"))
                    .findFirst()
                    .orElseThrow();
            EventListener listener = factory.create();
            assertThat(listener.isListening(BrokerEvent.PublishReceived.class)).isTrue();
            assertThat(listener.isListening(BrokerEvent.MessageDelivered.class)).isFalse();
        }
    }

    private static Connect login(String user, String password) {
        return new Connect(5, true, 0, user, user, password.getBytes(StandardCharsets.UTF_8), null);
    }

    private static ReasonCode answer(Running node, Connect login) {
        try (TestClient client = new TestClient(node.address, 5)) {
            client.send(login);
            return client.receive(ConnAck.class).reasonCode();
        }
    }

    /** A line of its file, by the JDK alone. */
    private static String userLine(String name, String password, String rights) throws Exception {
        byte[] salt = name.repeat(16).getBytes(StandardCharsets.UTF_8);
        byte[] hash = SecretKeyFactory.getInstance("PBKDF2WithHmacSHA256")
                .generateSecret(new PBEKeySpec(password.toCharArray(), salt, 10_000, 256))
                .getEncoded();
        Base64.Encoder base64 = Base64.getEncoder();
        return name + ":10000:" + base64.encodeToString(salt) + ":" + base64.encodeToString(hash) + ":" + rights + "\n";
    }

    private static void replace(Path file, String content) throws IOException {
        Path next = Files.writeString(file.resolveSibling("next"), content);
        Files.move(next, file, StandardCopyOption.ATOMIC_MOVE);
    }

    @Test
    void theAuthProviderFollowsItsFile() throws Exception {
        Path plugins = jar("auth-provider");
        Path users = directory.resolve("data/plugins/user-lines/users");
        String ann = userLine("ann", "secret", "sensors/ann,chat:sensors");
        Connect right = login("ann", "secret");
        try (Running node = new Running(plugins, "authConfig: {provider: user-lines}\n")) {
            assertThat(answer(node, right)).as("without a file").isEqualTo(ReasonCode.SERVER_UNAVAILABLE);
            replace(users, ann);
            Await.until("the file is read", () -> answer(node, right) == ReasonCode.SUCCESS);
            for (Connect wrong : List.of(login("ann", "Secret"), login("ann", ""), login("bob", "secret"))) {
                assertThat(answer(node, wrong)).isEqualTo(ReasonCode.BAD_USER_NAME_OR_PASSWORD);
            }
            assertThat(node.connect(5, "nobody").reasonCode()).isEqualTo(ReasonCode.BAD_USER_NAME_OR_PASSWORD);

            try (TestClient client = new TestClient(node.address, 5)) {
                client.send(right);
                assertThat(client.receive(ConnAck.class).reasonCode()).isEqualTo(ReasonCode.SUCCESS);
                for (String allowed : List.of("sensors/#", "sensors/+/1", "$share/g/sensors/a")) {
                    assertThat(subscribed(client, allowed)).as(allowed).isEqualTo(ReasonCode.GRANTED_QOS_1);
                }
                for (String denied : List.of("#", "+/ann", "chat", "$share/sensors/chat")) {
                    assertThat(subscribed(client, denied)).as(denied).isEqualTo(ReasonCode.NOT_AUTHORIZED);
                }
            }
            try (TestClient client = new TestClient(node.address, 5)) { // gets only answers: no subscriptions
                client.send(right);
                assertThat(client.receive(ConnAck.class).reasonCode()).isEqualTo(ReasonCode.SUCCESS);
                for (String allowed : List.of("sensors/ann", "sensors/ann/1", "chat")) {
                    assertThat(published(client, allowed).isError()).as(allowed).isFalse();
                }
                for (String denied : List.of("sensors/anna", "sensors", "chats")) {
                    assertThat(published(client, denied)).as(denied).isEqualTo(ReasonCode.NOT_AUTHORIZED);
                }
                replace(users, userLine("bob", "secret", "#:#") + ann.replace("sensors/ann,chat", "sensors/ann"));
                Await.until("chat is forgotten", () -> published(client, "chat") == ReasonCode.NOT_AUTHORIZED);
                assertThat(answer(node, login("bob", "secret"))).isEqualTo(ReasonCode.SUCCESS);

                replace(users, userLine("bob", "secret", "#:#"));
                Await.until("ann is gone", () -> published(client, "sensors/ann") == ReasonCode.NOT_AUTHORIZED);
                assertThat(answer(node, right)).isEqualTo(ReasonCode.BAD_USER_NAME_OR_PASSWORD);
            }
        }
        replace(users, ann + ann);
        assertThatThrownBy(() -> new Running(plugins, "authConfig: {provider: user-lines}\n"))
                .hasStackTraceContaining("line 2: the name is there already");
    }

    private static ReasonCode published(TestClient client, String topic) {
        client.send(TestClient.publish(1, Qos.AT_LEAST_ONCE, false, topic, "x"));
        return client.receive(PubAck.class).reasonCode();
    }

    private static ReasonCode subscribed(TestClient client, String filter) {
        return client.subscribe(1, filter, Qos.AT_LEAST_ONCE).reasonCodes().get(0);
    }

    @Test
    void theSettingsOfTenantsFollowTheirFile() throws Exception {
        Path plugins = jar("tenant-settings");
        Path file = Files.writeString(directory.resolve("tenants.properties"), "default.maxQos = 1\n");
        String with = """
                tenantConfig: {settingsProvider: tenant-properties}
                plugins: {tenant-properties: {unlisted: refuse}}
                """;
        try (Running node = new Running(plugins, with);
                TestClient client = TestClient.clean(node.address, 5, "client")) {
            assertThat(granted(client)).isEqualTo(ReasonCode.GRANTED_QOS_1);
            replace(file, "default.maxQos = 0\n");
            Await.until("a connected client has the new one", () -> granted(client) == ReasonCode.SUCCESS);
            replace(file, "other.maxQos = 0\n");
            Await.until(
                    "the tenant is gone", () -> node.connect(5, "another").reasonCode() == ReasonCode.NOT_AUTHORIZED);
            replace(file, "default.maxQos = 2\n");
            Await.until("the tenant is back", () -> node.connect(5, "another").reasonCode() == ReasonCode.SUCCESS);
        }
        replace(file, "default.maxQoS = 1\n");
        assertThatThrownBy(() -> new Running(plugins, with)).hasStackTraceContaining("default.maxQoS: must be");
    }

    private static ReasonCode granted(TestClient client) {
        return client.subscribe(1, "a", Qos.EXACTLY_ONCE).reasonCodes().get(0);
    }

    /** With keys as the stores write them. */
    @Test
    void theSplitHinterCutsBetweenTenants() throws Exception {
        TenantId birds = new TenantId("birds");
        TenantId fish = new TenantId("fish");
        ClientId client = new ClientId("client");
        TopicFilter filter = TopicFilter.parse("a/b").orElseThrow();
        byte[] route = RouteKeys.key(filter, new InboxReceiver(birds, client, 1));
        byte[] laterRoute = RouteKeys.key(filter, new InboxReceiver(fish, client, 1));

        URL[] jars = {jar("split-hinter").resolve("split-hinter.jar").toUri().toURL()};
        try (URLClassLoader loader = new URLClassLoader(jars, getClass().getClassLoader())) {
            SplitHinterFactory factory = ServiceLoader.load(SplitHinterFactory.class, loader).stream()
                    .map(ServiceLoader.Provider::get)
                    .filter(each -> each.name().equals("tenant-border"))
                    .findFirst()
                    .orElseThrow();

            assertThat(hint(factory, "dist", route, 75, laterRoute, 25))
                    .contains(new SplitHint(Key.of(RouteKeys.tenantPrefix(fish)), 0.75));
            assertThat(hint(factory, "retain", RetainKeys.key(birds, "a"), 40, RetainKeys.key(fish, "a"), 60))
                    .as("the retain store's prefix of a tenant is the dist store's")
                    .contains(new SplitHint(Key.of(RouteKeys.tenantPrefix(fish)), 0.4));
            assertThat(hint(factory, "inbox", InboxKeys.prefix(fish, client), 50, InboxKeys.prefix(birds, client), 50))
                    .as("shorter names come first there")
                    .contains(new SplitHint(Key.of(InboxKeys.tenantStart(birds)), 0.5));

            assertThat(hint(factory, "dist", route, 90, laterRoute, 10))
                    .as("the smaller part has too little")
                    .isEmpty();
            assertThat(hint(factory, "dist", route, 50, route, 50))
                    .as("one tenant")
                    .isEmpty();
            assertThat(hint(factory, "dist", route, 10, laterRoute, 10))
                    .as("too few accesses")
                    .isEmpty();
            assertThat(hint(factory, "dist", new byte[] {2, 'a', 0}, 50, new byte[] {2, 'b', 0}, 50))
                    .as("keys of another version")
                    .isEmpty();
            assertThatThrownBy(() -> factory.create(factory.defaults())).hasMessageContaining("keys: must name");
        }
    }

    private static Optional<SplitHint> hint(
            SplitHinterFactory factory, String keys, byte[] key, int accesses, byte[] laterKey, int laterAccesses) {
        SplitHinter hinter = factory.create(Map.of("keys", keys, "minShare", "0.2"));
        for (int i = 0; i < laterAccesses; i++) {
            hinter.onAccess(laterKey, AccessKind.WRITE, 1, 1);
        }
        for (int i = 0; i < accesses; i++) {
            hinter.onAccess(key, AccessKind.READ, 1, 1);
        }
        return hinter.hint(RangeLoad.UNKNOWN);
    }
}
