package io.godwit.it.admin;

import static org.assertj.core.api.Assertions.assertThat;

import com.hivemq.client.mqtt.MqttGlobalPublishFilter;
import com.hivemq.client.mqtt.datatypes.MqttQos;
import com.hivemq.client.mqtt.mqtt5.Mqtt5BlockingClient;
import com.hivemq.client.mqtt.mqtt5.Mqtt5Client;
import com.hivemq.client.mqtt.mqtt5.exceptions.Mqtt5PubAckException;
import com.hivemq.client.mqtt.mqtt5.message.publish.Mqtt5PublishResult;
import com.hivemq.client.mqtt.mqtt5.message.publish.puback.Mqtt5PubAckReasonCode;
import io.godwit.it.broker.BrokerProcess;
import io.godwit.it.broker.PluginInstallation;
import io.godwit.it.broker.PluginWitness;
import io.godwit.testing.Await;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A packaged broker with interceptors that do by the payload what they must not. */
@Tag("full")
@Timeout(600)
class HostileInterceptorTest {
    private static final String PLUGIN = """
            import io.godwit.plugin.client.*;
            import io.godwit.plugin.context.*;
            import io.godwit.plugin.intercept.*;
            import io.godwit.plugin.message.*;
            import java.util.*;
            import java.util.concurrent.*;
            public class Hostile {
                static Interception act(String how, Message message) {
                    switch (how) {
                        case "throw": throw new IllegalStateException("no");
                        case "null": return null;
                        case "topic": return new Interception.Changed(message.withTopic("#"));
                        case "large": return new Interception.Changed(message.withPayload(new byte[64 << 20]));
                        case "drop": return new Interception.Dropped("as told");
                        case "block":
                            while (true) {
                                try { new CountDownLatch(1).await(); } catch (InterruptedException e) { break; }
                            }
                            return Interception.UNCHANGED;
                        default: return Interception.UNCHANGED;
                    }
                }
                static String text(Message message) { return new String(message.payload()); }
                public static class In implements PublishInterceptorFactory, Plugin {
                    @Override public String name() { return "in"; }
                    @Override public boolean isNonBlocking() { return true; }
                    @Override public PublishInterceptor create() {
                        return (client, message) -> act(text(message).replaceFirst("^in ", ""), message);
                    }
                }
                public static class Out implements DeliverInterceptorFactory {
                    @Override public String name() { return "out"; }
                    @Override public DeliverInterceptor create() {
                        return (client, message) -> act(text(message).replaceFirst("^out ", ""), message);
                    }
                }
                public static class Properties implements UserPropertiesCustomizerFactory {
                    @Override public String name() { return "properties"; }
                    @Override public UserPropertiesCustomizer create() {
                        return new UserPropertiesCustomizer() {
                            @Override public List<UserProperty> onPublish(ClientInfo client, Message message) {
                                switch (text(message)) {
                                    case "properties throw": throw new IllegalStateException("no");
                                    case "properties null": return null;
                                    case "properties large":
                                        return Collections.nCopies(100_000, new UserProperty("a", "b"));
                                    default: return List.of(new UserProperty("seen", "yes"));
                                }
                            }
                        };
                    }
                }
            }
            """;

    @TempDir
    private Path directory;

    private static Mqtt5BlockingClient connected(BrokerProcess broker, String id) {
        Mqtt5BlockingClient client = Mqtt5Client.builder()
                .identifier(id)
                .serverHost("127.0.0.1")
                .serverPort(broker.address().getPort())
                .buildBlocking();
        client.connect();
        return client;
    }

    private static Mqtt5PubAckReasonCode publish(Mqtt5BlockingClient client, String text) {
        try {
            Mqtt5PublishResult result = client.publishWith()
                    .topic("t")
                    .qos(MqttQos.AT_LEAST_ONCE)
                    .payload(text.getBytes(StandardCharsets.UTF_8))
                    .send();
            return ((Mqtt5PublishResult.Mqtt5Qos1Result) result).getPubAck().getReasonCode();
        } catch (Mqtt5PubAckException e) {
            return e.getMqttMessage().getReasonCode();
        }
    }

    @Test
    void theBrokerLivesLetsNothingThroughAndNamesThem() throws Exception {
        PluginInstallation installation = new PluginInstallation(directory);
        installation.jar(
                "hostile",
                "Hostile",
                PLUGIN,
                Map.of(
                        "io.godwit.plugin.intercept.PublishInterceptorFactory",
                        List.of("Hostile$In"),
                        "io.godwit.plugin.intercept.DeliverInterceptorFactory",
                        List.of("Hostile$Out"),
                        "io.godwit.plugin.intercept.UserPropertiesCustomizerFactory",
                        List.of("Hostile$Properties")));
        PluginWitness.addListener(installation);
        try (BrokerProcess broker = new BrokerProcess(directory.resolve("broker"))
                .installedIn(installation.path())
                .setting(
                        "pluginConfig",
                        "{publishInterceptors: [in], deliverInterceptors: [out], userProperties: [properties], "
                                + "eventListeners: [" + PluginWitness.LISTENER + "]}")) {
            PluginWitness witness = new PluginWitness(broker);
            broker.start();
            Mqtt5BlockingClient subscriber = connected(broker, "subscriber");
            Mqtt5BlockingClient publisher = connected(broker, "publisher");
            try (Mqtt5BlockingClient.Mqtt5Publishes got = subscriber.publishes(MqttGlobalPublishFilter.ALL)) {
                subscriber
                        .subscribeWith()
                        .topicFilter("#")
                        .qos(MqttQos.AT_LEAST_ONCE)
                        .send();
                for (String how : List.of(
                        "in throw",
                        "in null",
                        "in topic",
                        "in large",
                        "properties throw",
                        "properties null",
                        "properties large")) {
                    assertThat(publish(publisher, how))
                            .as(how)
                            .isEqualTo(Mqtt5PubAckReasonCode.IMPLEMENTATION_SPECIFIC_ERROR);
                }
                assertThat(publish(publisher, "in drop")).isEqualTo(Mqtt5PubAckReasonCode.NO_MATCHING_SUBSCRIBERS);
                for (String how : List.of("out throw", "out null", "out topic", "out large", "out drop")) {
                    assertThat(publish(publisher, how)).as(how).isEqualTo(Mqtt5PubAckReasonCode.SUCCESS);
                }
                assertThat(publish(publisher, "out block")).isEqualTo(Mqtt5PubAckReasonCode.SUCCESS);
                assertThat(publish(publisher, "good")).isEqualTo(Mqtt5PubAckReasonCode.SUCCESS);
                var good = got.receive(120, TimeUnit.SECONDS).orElseThrow();
                assertThat(good.getPayloadAsBytes()).isEqualTo("good".getBytes(StandardCharsets.UTF_8));
                assertThat(good.getUserProperties().asList()).hasSize(1);

                // on an event loop, until that is seen and it is interrupted
                Mqtt5PubAckReasonCode blocked = publish(publisher, "in block");
                assertThat(blocked)
                        .isIn(Mqtt5PubAckReasonCode.SUCCESS, Mqtt5PubAckReasonCode.IMPLEMENTATION_SPECIFIC_ERROR);
                Await.until(
                        "called on its own threads",
                        () -> installation
                                .use(broker, "in")
                                .get("threads")
                                .getAsString()
                                .equals("plugin"));
                assertThat(publish(publisher, "good")).isEqualTo(Mqtt5PubAckReasonCode.SUCCESS);
            }
            for (String plugin : List.of("in", "out", "properties")) {
                for (String fault : List.of("threw", "null-answer", "invalid-answer")) {
                    witness.awaitNamed(plugin, fault);
                }
                assertThat(installation.use(broker, plugin).get("failures").getAsLong())
                        .as(plugin)
                        .isGreaterThanOrEqualTo(3);
            }
            witness.awaitNamed("in", "blocked");
            witness.awaitNamed("out", "no-answer");
            Path status = broker.data().resolve("godwit.status");
            Await.until("the status tells what was dropped", () -> {
                String text = Files.readString(status);
                return text.contains("dropped.intercepted ") && text.contains("publishes-intercepted ");
            });
        }
    }
}
