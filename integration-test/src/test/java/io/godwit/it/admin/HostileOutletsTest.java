package io.godwit.it.admin;

import static org.assertj.core.api.Assertions.assertThat;

import com.hivemq.client.mqtt.datatypes.MqttQos;
import com.hivemq.client.mqtt.mqtt5.Mqtt5BlockingClient;
import com.hivemq.client.mqtt.mqtt5.Mqtt5Client;
import com.hivemq.client.mqtt.mqtt5.exceptions.Mqtt5ConnAckException;
import com.hivemq.client.mqtt.mqtt5.message.connect.connack.Mqtt5ConnAckReasonCode;
import io.godwit.it.broker.BrokerProcess;
import io.godwit.it.broker.ExampleProject;
import io.godwit.it.broker.PluginInstallation;
import io.godwit.it.broker.PluginWitness;
import io.godwit.testing.Await;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A packaged broker with a client balancer and a SubBroker that do what they must not; and with the samples. */
@Tag("full")
@Timeout(240)
class HostileOutletsTest {
    private static final String BALANCER = """
            import io.godwit.plugin.redirect.*;
            import java.util.concurrent.*;
            public class HostileBalancer implements ClientBalancerFactory {
                @Override public String name() { return "hostile-balancer"; }
                @Override public ClientBalancer create() {
                    return (client, nodes) -> {
                        switch (client.client().clientId().value()) {
                            case "throw": throw new IllegalStateException("no idea");
                            case "null": return null;
                            case "never": return new CompletableFuture<>();
                            case "nothing": return CompletableFuture.completedFuture(null);
                            case "wrong": return CompletableFuture.completedFuture(new Placement.Moved("a\\nb"));
                            case "block":
                                while (true) {
                                    try { new CountDownLatch(1).await(); } catch (InterruptedException e) { break; }
                                }
                                return null;
                            case "away": return CompletableFuture.completedFuture(new Placement.UseAnother("b:1883"));
                            default: return CompletableFuture.completedFuture(Placement.HERE);
                        }
                    };
                }
            }
            """;

    /** Each message misbehaves once, by its topic, and is taken the next time. */
    private static final String SINK = """
            import io.godwit.plugin.context.*;
            import io.godwit.plugin.sub.*;
            import java.nio.file.*;
            import java.util.*;
            import java.util.concurrent.*;
            public class HostileSink implements SubBrokerFactory, Plugin {
                private PluginContext context;
                @Override public String name() { return "hostile-sink"; }
                @Override public void create(PluginContext given) { context = given; }
                @Override public SubBroker create() {
                    Set<String> seen = ConcurrentHashMap.newKeySet();
                    return new SubBroker() {
                        @Override public List<SubBrokerSubscription> subscriptions() {
                            return List.of(new SubBrokerSubscription("all", List.of("do/#")));
                        }
                        @Override public CompletableFuture<Void> deliver(SubBrokerBatch batch) {
                            String topic = batch.messages().get(0).message().topic();
                            if (seen.add(topic)) {
                                switch (topic) {
                                    case "do/throw": throw new IllegalStateException("down");
                                    case "do/null": return null;
                                    case "do/fail":
                                        return CompletableFuture.failedFuture(new IllegalStateException("down"));
                                    case "do/never": return new CompletableFuture<>();
                                    case "do/block":
                                        while (true) {
                                            try { new CountDownLatch(1).await(); }
                                            catch (InterruptedException e) { return null; }
                                        }
                                    default: break;
                                }
                            }
                            try {
                                for (SubBrokerMessage each : batch.messages()) {
                                    Files.writeString(context.dataDirectory().resolve("taken"),
                                        each.message().topic() + "\\n",
                                        StandardOpenOption.CREATE, StandardOpenOption.APPEND);
                                }
                            } catch (java.io.IOException e) { return CompletableFuture.failedFuture(e); }
                            return CompletableFuture.completedFuture(null);
                        }
                    };
                }
            }
            """;

    @TempDir
    private Path directory;

    private static Mqtt5BlockingClient client(BrokerProcess broker, String id) {
        return Mqtt5Client.builder()
                .identifier(id)
                .serverHost("127.0.0.1")
                .serverPort(broker.address().getPort())
                .buildBlocking();
    }

    private static Mqtt5ConnAckReasonCode connect(BrokerProcess broker, String id) {
        Mqtt5BlockingClient client = client(broker, id);
        try {
            Mqtt5ConnAckReasonCode code = client.connect().getReasonCode();
            client.disconnect();
            return code;
        } catch (Mqtt5ConnAckException e) {
            return e.getMqttMessage().getReasonCode();
        }
    }

    private static void publish(BrokerProcess broker, List<String> topics) {
        Mqtt5BlockingClient client = client(broker, "publisher");
        client.connect();
        for (String topic : topics) {
            client.publishWith()
                    .topic(topic)
                    .qos(MqttQos.AT_LEAST_ONCE)
                    .payload("x".getBytes(StandardCharsets.UTF_8))
                    .send();
        }
        client.disconnect();
    }

    @Test
    void clientsAreLetInAndNoMessageIsLost() throws Exception {
        PluginInstallation installation = new PluginInstallation(directory);
        installation.jar(
                "hostile-balancer",
                "HostileBalancer",
                BALANCER,
                Map.of("io.godwit.plugin.redirect.ClientBalancerFactory", List.of("HostileBalancer")));
        installation.jar(
                "hostile-sink",
                "HostileSink",
                SINK,
                Map.of("io.godwit.plugin.sub.SubBrokerFactory", List.of("HostileSink")));
        PluginWitness.addListener(installation);
        try (BrokerProcess broker = new BrokerProcess(directory.resolve("broker"))
                .installedIn(installation.path())
                .setting("pluginConfig", "{eventListeners: [" + PluginWitness.LISTENER + "]}")
                .setting("redirectConfig", "{balancer: hostile-balancer, timeoutMillis: 300}")
                .setting("subBrokerConfig", "{plugins: hostile-sink, timeoutSeconds: 1, maxBatchMessages: 1}")) {
            PluginWitness witness = new PluginWitness(broker);
            broker.start();
            assertThat(connect(broker, "away")).isEqualTo(Mqtt5ConnAckReasonCode.USE_ANOTHER_SERVER);
            for (String id : List.of("here", "throw", "null", "never", "nothing", "wrong", "block")) {
                assertThat(connect(broker, id)).as(id).isEqualTo(Mqtt5ConnAckReasonCode.SUCCESS);
            }
            Path taken = broker.data().resolve("plugins/hostile-sink/taken");
            List<String> topics =
                    List.of("do/well", "do/throw", "do/null", "do/fail", "do/never", "do/block", "do/end");
            Await.until("it is served", () -> {
                publish(broker, List.of("do/begin"));
                return Files.exists(taken);
            });
            publish(broker, topics);
            Await.until("all are taken", () -> Files.readAllLines(taken).contains("do/end"));
            assertThat(Files.readAllLines(taken).stream().filter(each -> !each.equals("do/begin")))
                    .containsExactlyElementsOf(topics);
            for (String plugin : List.of("hostile-balancer", "hostile-sink")) {
                for (String fault : List.of("threw", "null-answer", "no-answer")) {
                    witness.awaitNamed(plugin, fault);
                }
            }
            Path status = broker.data().resolve("godwit.status");
            Await.until(
                    "the status tells of the delay",
                    () -> Files.readString(status).contains("sub-brokers-delayed "));
            assertThat(connect(broker, "here")).isEqualTo(Mqtt5ConnAckReasonCode.SUCCESS);
        }
    }

    /** The samples, built by their own poms. */
    @Test
    void theSamplesWork() throws Exception {
        PluginInstallation installation = new PluginInstallation(directory);
        Path examples = Files.createDirectory(directory.resolve("examples"));
        for (Path jar : ExampleProject.build(examples, List.of("client-balancer", "sub-broker"))) {
            installation.take(jar);
        }
        Path written = directory.resolve("messages.txt");
        try (BrokerProcess broker = new BrokerProcess(directory.resolve("broker"))
                .installedIn(installation.path())
                .setting("redirectConfig", "{balancer: client-homes, serverReference: 'north.example.org:1883'}")
                .setting("subBrokerConfig", "{plugins: file-sink}")
                .setting(
                        "plugins",
                        "{client-homes: {homes: ['south-=south.example.org:1883']}, file-sink: {file: '" + written
                                + "', filters: [alarms/#]}}")) {
            broker.start();
            assertThat(connect(broker, "south-1")).isEqualTo(Mqtt5ConnAckReasonCode.USE_ANOTHER_SERVER);
            assertThat(connect(broker, "north-1")).isEqualTo(Mqtt5ConnAckReasonCode.SUCCESS);
            Await.until("it writes", () -> {
                publish(broker, List.of("alarms/fire"));
                return Files.size(written) > 0;
            });
            assertThat(Files.readString(written)).startsWith("alarms/fire\teA==\n");
        }
    }
}
