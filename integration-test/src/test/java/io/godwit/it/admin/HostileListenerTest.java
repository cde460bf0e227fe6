package io.godwit.it.admin;

import static org.assertj.core.api.Assertions.assertThat;

import com.hivemq.client.mqtt.datatypes.MqttQos;
import com.hivemq.client.mqtt.mqtt5.Mqtt5BlockingClient;
import com.hivemq.client.mqtt.mqtt5.Mqtt5Client;
import io.godwit.it.broker.BrokerProcess;
import io.godwit.it.broker.ExampleProject;
import io.godwit.it.broker.PluginInstallation;
import io.godwit.it.broker.PluginWitness;
import io.godwit.testing.Await;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A packaged broker with event listeners that throw and block for ever, beside the sample one, which does neither. */
@Tag("full")
@Timeout(300)
class HostileListenerTest {
    private static final String PLUGIN = """
            import io.godwit.plugin.event.*;
            import io.godwit.plugin.context.*;
            import java.util.concurrent.*;
            public class Hostile {
                public static class Thrower implements EventListenerFactory {
                    @Override public String name() { return "thrower"; }
                    @Override public EventListener create() {
                        return event -> { throw new IllegalStateException("no"); };
                    }
                }
                public static class Blocker implements EventListenerFactory, Plugin {
                    @Override public String name() { return "blocker"; }
                    @Override public boolean isNonBlocking() { return true; }
                    @Override public EventListener create() {
                        return new EventListener() {
                            @Override public boolean isListening(Class<? extends BrokerEvent> kind) {
                                return kind == BrokerEvent.PublishReceived.class;
                            }
                            @Override public void onEvent(BrokerEvent event) {
                                while (true) {
                                    try { new CountDownLatch(1).await(); } catch (InterruptedException e) { }
                                }
                            }
                        };
                    }
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

    @Test
    void theBrokerLivesNamesThemAndTellsTheOthers() throws Exception {
        PluginInstallation installation = new PluginInstallation(directory);
        installation.jar(
                "hostile",
                "Hostile",
                PLUGIN,
                Map.of("io.godwit.plugin.event.EventListenerFactory", List.of("Hostile$Thrower", "Hostile$Blocker")));
        installation.take(ExampleProject.build(Files.createDirectory(directory.resolve("example")), "event-listener"));
        PluginWitness.addListener(installation);
        try (BrokerProcess broker = new BrokerProcess(directory.resolve("broker"))
                .installedIn(installation.path())
                .setting(
                        "pluginConfig",
                        "{eventListeners: [thrower, blocker, audit-trail, " + PluginWitness.LISTENER + "]}")
                .setting("plugins", "{audit-trail: {maxBytes: 1MB}}")) {
            PluginWitness witness = new PluginWitness(broker);
            broker.start();
            Mqtt5BlockingClient publisher = client(broker, "gull");
            publisher.connect();
            for (int i = 0; i < 10_100; i++) { // more than wait for the one that blocks
                publisher.publishWith().topic("t").qos(MqttQos.AT_MOST_ONCE).send();
            }
            publisher.publishWith().topic("t").qos(MqttQos.AT_LEAST_ONCE).send();
            publisher.disconnect();

            Await.until(
                    "drops are told",
                    () -> installation.use(broker, "blocker").get("failures").getAsLong() >= 100);
            Await.until(
                    "what is thrown is told",
                    () -> installation
                            .use(broker, "thrower")
                            .get("lastFailure")
                            .getAsString()
                            .contains("threw java.lang.IllegalStateException"));
            Path trail = broker.data().resolve("plugins/audit-trail/audit.log");
            Await.until("the sample has written", () -> {
                String text = Files.readString(trail);
                return text.contains("ClientConnected") && text.contains("ClientDisconnected");
            });
            assertThat(Files.readString(trail)).contains("gull").doesNotContain("PublishReceived");
            assertThat(installation.use(broker, "audit-trail").get("failures").getAsLong())
                    .isZero();
            witness.awaitNamed("blocker", "queue-full");
            witness.awaitNamed("blocker", "no-answer"); // after ten seconds
            witness.awaitNamed("thrower", "threw");
            client(broker, "tern").connect();
        }
    }
}
