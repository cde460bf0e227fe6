package io.godwit.it.admin;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.hivemq.client.mqtt.MqttGlobalPublishFilter;
import com.hivemq.client.mqtt.datatypes.MqttQos;
import com.hivemq.client.mqtt.mqtt5.Mqtt5BlockingClient;
import com.hivemq.client.mqtt.mqtt5.Mqtt5Client;
import com.hivemq.client.mqtt.mqtt5.exceptions.Mqtt5ConnAckException;
import com.hivemq.client.mqtt.mqtt5.exceptions.Mqtt5PubAckException;
import com.hivemq.client.mqtt.mqtt5.exceptions.Mqtt5SubAckException;
import com.hivemq.client.mqtt.mqtt5.message.connect.connack.Mqtt5ConnAckReasonCode;
import com.hivemq.client.mqtt.mqtt5.message.publish.Mqtt5Publish;
import com.hivemq.client.mqtt.mqtt5.message.publish.Mqtt5PublishResult;
import com.hivemq.client.mqtt.mqtt5.message.publish.puback.Mqtt5PubAckReasonCode;
import com.hivemq.client.mqtt.mqtt5.message.subscribe.suback.Mqtt5SubAckReasonCode;
import io.godwit.it.broker.BrokerProcess;
import io.godwit.it.broker.ExampleProject;
import io.godwit.it.broker.PluginInstallation;
import io.godwit.it.broker.Ports;
import io.godwit.testing.Await;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/**
 * The sample plugins, built by their own poms, in a packaged broker; {@code OperatorTest} has the range balancer. The
 * tests wait for intervals of the broker, and do so side by side.
 */
@Tag("full")
@Timeout(600)
class ExamplePluginsTest {
    @TempDir
    private Path directory;

    /** Puts the jars into the installation, and returns them in the order of the names. */
    private List<Path> build(PluginInstallation installation, String... examples) throws Exception {
        List<Path> jars = ExampleProject.build(Files.createDirectory(directory.resolve("examples")), List.of(examples));
        for (Path jar : jars) {
            installation.take(jar);
        }
        return jars;
    }

    private static Mqtt5BlockingClient connected(BrokerProcess broker, String id) {
        Mqtt5BlockingClient client = Mqtt5Client.builder()
                .identifier(id)
                .serverHost("127.0.0.1")
                .serverPort(broker.address().getPort())
                .buildBlocking();
        client.connect();
        return client;
    }

    private static Mqtt5PubAckReasonCode publish(Mqtt5BlockingClient client, String topic, byte[] payload) {
        return ((Mqtt5PublishResult.Mqtt5Qos1Result) client.publishWith()
                        .topic(topic)
                        .qos(MqttQos.AT_LEAST_ONCE)
                        .payload(payload)
                        .userProperties()
                        .add("internal-id", "7")
                        .add("publisher", "somebody else")
                        .applyUserProperties()
                        .send())
                .getPubAck()
                .getReasonCode();
    }

    private static byte[] text(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    private static String told(Mqtt5Publish publish) {
        return new String(publish.getPayloadAsBytes(), StandardCharsets.UTF_8);
    }

    @Test
    @Execution(ExecutionMode.CONCURRENT) // of the class, it would run beside other classes
    void theyDoWhatTheirPagesSay() throws Exception {
        PluginInstallation installation = new PluginInstallation(directory);
        build(installation, "event-listener", "publish-interceptor", "deliver-interceptor", "user-properties");
        try (BrokerProcess broker = new BrokerProcess(directory.resolve("broker"))
                .installedIn(installation.path())
                .setting("apiServerConfig", "{port: " + Ports.free().getPort() + ", checkAnswers: true}")
                .setting(
                        "pluginConfig",
                        "{eventListeners: [audit-trail], publishInterceptors: [payload-check], "
                                + "deliverInterceptors: [redact], userProperties: [stamp]}")
                .setting(
                        "plugins",
                        "{audit-trail: {maxBytes: 1MB}, payload-check: {below: chat}, "
                                + "redact: {below: payroll, cleared: [accounting]}}")) {
            broker.start();
            Mqtt5BlockingClient accounting = connected(broker, "accounting");
            Mqtt5BlockingClient curious = connected(broker, "curious");
            Mqtt5BlockingClient publisher = connected(broker, "publisher");
            try (Mqtt5BlockingClient.Mqtt5Publishes forAccounting = accounting.publishes(MqttGlobalPublishFilter.ALL);
                    Mqtt5BlockingClient.Mqtt5Publishes forCurious = curious.publishes(MqttGlobalPublishFilter.ALL)) {
                for (Mqtt5BlockingClient each : List.of(accounting, curious)) {
                    each.subscribeWith()
                            .topicFilter("#")
                            .qos(MqttQos.AT_LEAST_ONCE)
                            .send();
                }
                assertThat(publish(publisher, "chat/a", new byte[] {(byte) 0xFF}))
                        .isEqualTo(Mqtt5PubAckReasonCode.NO_MATCHING_SUBSCRIBERS);
                assertThat(publish(publisher, "chat/a", text("hello"))).isEqualTo(Mqtt5PubAckReasonCode.SUCCESS);
                assertThat(publish(publisher, "payroll/june", text("1,000"))).isEqualTo(Mqtt5PubAckReasonCode.SUCCESS);
                for (Mqtt5BlockingClient.Mqtt5Publishes each : List.of(forAccounting, forCurious)) {
                    Mqtt5Publish chat = each.receive(60, TimeUnit.SECONDS).orElseThrow();
                    assertThat(told(chat)).isEqualTo("hello");
                    assertThat(chat.getPayloadFormatIndicator()).isPresent();
                    assertThat(chat.getUserProperties().asList())
                            .extracting(property -> property.getName() + "=" + property.getValue())
                            .containsExactly("publisher=publisher");
                    assertThat(told(each.receive(60, TimeUnit.SECONDS).orElseThrow()))
                            .isEqualTo(each == forAccounting ? "1,000" : "redacted");
                }
            }
            Path trail = broker.data().resolve("plugins/audit-trail/audit.log");
            Await.until("the trail has them", () -> Files.readString(trail).contains("accounting"));
            for (String plugin : List.of("audit-trail", "payload-check", "redact", "stamp")) {
                assertThat(installation.use(broker, plugin).get("failures").getAsLong())
                        .as(plugin)
                        .isZero();
                assertThat(installation.version(broker, plugin)).as(plugin).isEqualTo("1.0.0");
            }
        }
    }

    /** Logs in with this password, and leaves. */
    private static Mqtt5ConnAckReasonCode login(BrokerProcess broker, String user, String password) {
        Mqtt5BlockingClient client = user(broker, user, password);
        try {
            Mqtt5ConnAckReasonCode code = client.connect().getReasonCode();
            client.disconnect();
            return code;
        } catch (Mqtt5ConnAckException e) {
            return e.getMqttMessage().getReasonCode();
        }
    }

    private static Mqtt5BlockingClient user(BrokerProcess broker, String user, String password) {
        return Mqtt5Client.builder()
                .identifier(user)
                .serverHost("127.0.0.1")
                .serverPort(broker.address().getPort())
                .simpleAuth()
                .username(user)
                .password(text(password))
                .applySimpleAuth()
                .buildBlocking();
    }

    /** As its page says: the jar makes the line of a user. */
    private static String userLine(Path jar, Path directory, String password, String... words) throws Exception {
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-cp",
                jar.toString(),
                "org.example.auth.NewUser"));
        command.addAll(List.of(words));
        Path out = directory.resolve("user.out");
        Process process = new ProcessBuilder(command)
                .redirectInput(Files.writeString(directory.resolve("user.in"), password)
                        .toFile())
                .redirectOutput(out.toFile())
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
        assertThat(process.waitFor(60, TimeUnit.SECONDS)).isTrue();
        assertThat(process.exitValue()).isZero();
        return Files.readString(out);
    }

    private static Mqtt5SubAckReasonCode subscribe(Mqtt5BlockingClient client, String filter) {
        try {
            return client.subscribeWith()
                    .topicFilter(filter)
                    .qos(MqttQos.EXACTLY_ONCE)
                    .send()
                    .getReasonCodes()
                    .get(0);
        } catch (Mqtt5SubAckException e) {
            return e.getMqttMessage().getReasonCodes().get(0);
        }
    }

    private static String health(PluginInstallation installation, BrokerProcess broker, String plugin)
            throws Exception {
        return installation.use(broker, plugin).get("health").getAsString();
    }

    @Test
    @Execution(ExecutionMode.CONCURRENT)
    void theyDecideAboutUsersTenantsAndCuts() throws Exception {
        PluginInstallation installation = new PluginInstallation(directory);
        List<Path> jars = build(installation, "auth-provider", "tenant-settings", "split-hinter");
        Path tenants = Files.writeString(directory.resolve("tenants.properties"), "default.maxQos = 1\n");
        try (BrokerProcess broker = new BrokerProcess(directory.resolve("broker"))
                .installedIn(installation.path())
                .setting("apiServerConfig", "{port: " + Ports.free().getPort() + ", checkAnswers: true}")
                .setting("authConfig", "{provider: user-lines}")
                .setting("tenantConfig", "{settingsProvider: tenant-properties}")
                .setting(
                        "storeConfig", "{dist: {splitHinter: tenant-border, balanceSettings: tenant-border.keys=dist}}")
                .setting("plugins", "{user-lines: {threads: 2}, tenant-properties: {file: " + tenants + "}}")) {
            broker.start();
            assertThat(login(broker, "ann", "secret")).isEqualTo(Mqtt5ConnAckReasonCode.SERVER_UNAVAILABLE);

            String line = userLine(jars.get(0), directory, "secret\n", "ann", "sensors/ann,chat", "sensors");
            Path users = Files.writeString(broker.data().resolve("plugins/user-lines/users"), line);
            Await.until("ann is known", () -> login(broker, "ann", "secret") == Mqtt5ConnAckReasonCode.SUCCESS);
            for (String wrong : List.of("ann", "bob")) {
                assertThat(login(broker, wrong, "Secret"))
                        .as(wrong)
                        .isEqualTo(Mqtt5ConnAckReasonCode.BAD_USER_NAME_OR_PASSWORD);
            }

            Mqtt5BlockingClient ann = user(broker, "ann", "secret");
            ann.connect();
            assertThat(subscribe(ann, "sensors/#")).isEqualTo(Mqtt5SubAckReasonCode.GRANTED_QOS_1);
            assertThat(subscribe(ann, "#")).isEqualTo(Mqtt5SubAckReasonCode.NOT_AUTHORIZED);
            assertThat(publish(ann, "sensors/ann", text("1"))).isEqualTo(Mqtt5PubAckReasonCode.SUCCESS);
            assertThatThrownBy(() -> publish(ann, "sensors/bob", text("1")))
                    .isInstanceOfSatisfying(
                            Mqtt5PubAckException.class,
                            refused -> assertThat(refused.getMqttMessage().getReasonCode())
                                    .isEqualTo(Mqtt5PubAckReasonCode.NOT_AUTHORIZED));
            Files.writeString(tenants, "default.maxQos = 0\n");
            Await.until(
                    "a connected client has the new limit",
                    () -> subscribe(ann, "sensors/a") == Mqtt5SubAckReasonCode.GRANTED_QOS_0);
            ann.disconnect();

            Await.until(
                    "the hinter is asked",
                    () -> installation.use(broker, "tenant-border").get("calls").getAsLong() > 0);
            for (String plugin : List.of("user-lines", "tenant-properties", "tenant-border")) {
                assertThat(installation.version(broker, plugin)).as(plugin).isEqualTo("1.0.0");
            }
            for (String plugin : List.of("tenant-properties", "tenant-border")) {
                assertThat(installation.use(broker, plugin).get("failures").getAsLong())
                        .as(plugin)
                        .isZero();
            }

            for (String plugin : List.of("user-lines", "tenant-properties")) {
                Await.until(
                        plugin + " is well",
                        () -> health(installation, broker, plugin).equals("up"));
            }
            Files.writeString(users, "ann:plain text\n");
            Files.writeString(tenants, "default.maxQos = 3\n");
            for (String plugin : List.of("user-lines", "tenant-properties")) {
                Await.until(
                        plugin + " has seen the mistake",
                        () -> health(installation, broker, plugin).equals("down"));
            }
            ann.connect();
            assertThat(subscribe(ann, "sensors/a"))
                    .as("a file with a mistake changes nothing")
                    .isEqualTo(Mqtt5SubAckReasonCode.GRANTED_QOS_0);
            ann.disconnect();
        }
    }

    private static void retain(Mqtt5BlockingClient client, String topic) {
        client.publishWith()
                .topic(topic)
                .qos(MqttQos.AT_LEAST_ONCE)
                .retain(true)
                .payload(text("x"))
                .send();
    }

    @Test
    @Execution(ExecutionMode.CONCURRENT)
    void theyRedirectLimitAndTakeMessages() throws Exception {
        PluginInstallation installation = new PluginInstallation(directory);
        build(installation, "client-balancer", "sub-broker", "resource-throttler");
        Path written = directory.resolve("messages.txt");
        try (BrokerProcess broker = new BrokerProcess(directory.resolve("broker"))
                .installedIn(installation.path())
                .setting("apiServerConfig", "{port: " + Ports.free().getPort() + ", checkAnswers: true}")
                .setting("redirectConfig", "{balancer: client-homes, serverReference: \"north.example.org:1883\"}")
                .setting("subBrokerConfig", "{plugins: file-sink}")
                .setting("tenantConfig", "{resourceThrottler: tenant-plans}")
                .setting(
                        "plugins",
                        "{client-homes: {homes: [\"south-=south.example.org:1883\"]}, file-sink: {file: " + written
                                + ", filters: [\"alarms/#\"]}, "
                                + "tenant-plans: {limits: [default.retained-messages=1]}}")) {
            broker.start();
            assertThatThrownBy(() -> connected(broker, "south-1"))
                    .isInstanceOfSatisfying(
                            Mqtt5ConnAckException.class,
                            refused -> assertThat(refused.getMqttMessage().getReasonCode())
                                    .isEqualTo(Mqtt5ConnAckReasonCode.USE_ANOTHER_SERVER));
            Mqtt5BlockingClient publisher = connected(broker, "west-1");
            retain(publisher, "kept/0");
            assertThatThrownBy(() -> retain(publisher, "kept/1"))
                    .isInstanceOfSatisfying(
                            Mqtt5PubAckException.class,
                            refused -> assertThat(refused.getMqttMessage().getReasonCode())
                                    .isEqualTo(Mqtt5PubAckReasonCode.QUOTA_EXCEEDED));
            Await.until("the file has a message", () -> {
                publisher
                        .publishWith()
                        .topic("alarms/1")
                        .qos(MqttQos.AT_LEAST_ONCE)
                        .payload(text("fire"))
                        .send();
                return Files.size(written) > 0;
            });
            publisher.disconnect();
            for (String plugin : List.of("client-homes", "file-sink", "tenant-plans")) {
                assertThat(installation.version(broker, plugin)).as(plugin).isEqualTo("1.0.0");
            }
        }
    }
}
