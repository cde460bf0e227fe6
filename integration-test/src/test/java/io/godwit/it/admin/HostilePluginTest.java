package io.godwit.it.admin;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.hivemq.client.mqtt.mqtt5.Mqtt5BlockingClient;
import com.hivemq.client.mqtt.mqtt5.Mqtt5Client;
import com.hivemq.client.mqtt.mqtt5.exceptions.Mqtt5ConnAckException;
import com.hivemq.client.mqtt.mqtt5.message.connect.connack.Mqtt5ConnAck;
import com.hivemq.client.mqtt.mqtt5.message.connect.connack.Mqtt5ConnAckReasonCode;
import io.godwit.it.broker.BrokerProcess;
import io.godwit.it.broker.PluginInstallation;
import io.godwit.it.broker.PluginWitness;
import io.godwit.testing.Await;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestMethodOrder;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A packaged broker with an auth provider that does by the user's name what it must not, and its circuit breaker. */
@Tag("full")
@Timeout(240)
@TestMethodOrder(MethodOrderer.OrderAnnotation.class)
class HostilePluginTest {
    private static final String PLUGIN = """
            import io.godwit.plugin.auth.*;
            import io.godwit.plugin.context.*;
            import java.util.concurrent.*;
            public class Hostile implements AuthProviderFactory, Plugin {
                private String greeting = "";
                @Override public String name() { return "hostile"; }
                @Override public void create(PluginContext context) {
                    greeting = context.settings().requiredText("greeting");
                }
                @Override public boolean isNonBlocking() { return true; }
                @Override public AuthProvider create() {
                    return new AuthProvider() {
                        @Override public CompletableFuture<ConnectResult> connect(ConnectRequest request) {
                            switch (String.valueOf(request.client().userName())) {
                                case "throw": throw new IllegalStateException(greeting);
                                case "null": return null;
                                case "never": return new CompletableFuture<>();
                                case "block":
                                    while (true) {
                                        try { new CountDownLatch(1).await(); } catch (InterruptedException e) { break; }
                                    }
                                    return new CompletableFuture<>();
                                default:
                                    return CompletableFuture.completedFuture(
                                        ConnectResult.Accepted.as(request.client()));
                            }
                        }
                        @Override public CompletableFuture<AuthDecision> publish(PublishRequest request) {
                            return CompletableFuture.completedFuture(AuthDecision.ALLOWED);
                        }
                        @Override public CompletableFuture<AuthDecision> subscribe(SubscribeRequest request) {
                            return CompletableFuture.completedFuture(AuthDecision.ALLOWED);
                        }
                    };
                }
            }
            """;

    @TempDir
    private static Path directory;

    private static PluginInstallation installation;
    private static BrokerProcess broker;
    private static PluginWitness witness;

    @BeforeAll
    static void start() throws Exception {
        installation = new PluginInstallation(directory);
        installation.jar(
                "hostile", "Hostile", PLUGIN, Map.of("io.godwit.plugin.auth.AuthProviderFactory", List.of("Hostile")));
        PluginWitness.addListener(installation);
        broker = new BrokerProcess(directory.resolve("broker"))
                .installedIn(installation.path())
                .setting("authConfig", "{provider: hostile, timeoutSeconds: 2}")
                .setting("pluginConfig", "{eventListeners: [" + PluginWitness.LISTENER + "]}")
                .setting("plugins", "{hostile: {greeting: go away}}");
        witness = new PluginWitness(broker);
        broker.start();
    }

    @AfterAll
    static void stop() throws Exception {
        broker.close();
    }

    private static Mqtt5BlockingClient client(String clientId, String user) {
        return Mqtt5Client.builder()
                .identifier(clientId)
                .serverHost("127.0.0.1")
                .serverPort(broker.address().getPort())
                .simpleAuth()
                .username(user)
                .password("x".getBytes(StandardCharsets.UTF_8))
                .applySimpleAuth()
                .buildBlocking();
    }

    private static Mqtt5ConnAckReasonCode connect(String user) {
        Mqtt5BlockingClient client = client(user, user);
        try {
            Mqtt5ConnAckReasonCode code = client.connect().getReasonCode();
            client.disconnect();
            return code;
        } catch (Mqtt5ConnAckException e) {
            return e.getMqttMessage().getReasonCode();
        }
    }

    @Test
    void theBrokerLivesDeniesAndNamesIt() throws Exception {
        assertThat(connect("ann")).isEqualTo(Mqtt5ConnAckReasonCode.SUCCESS);
        for (String user : List.of("throw", "null", "never")) {
            assertThat(connect(user)).as(user).isEqualTo(Mqtt5ConnAckReasonCode.SERVER_UNAVAILABLE);
        }
        assertThat(witness.use("hostile").get("threads").getAsString()).isEqualTo("broker");

        CompletableFuture<Mqtt5ConnAckReasonCode> blocked = CompletableFuture.supplyAsync(() -> connect("block"));
        Await.until(
                "called on its own threads",
                () -> witness.use("hostile").get("threads").getAsString().equals("plugin"));
        assertThat(blocked.get(60, TimeUnit.SECONDS)).isEqualTo(Mqtt5ConnAckReasonCode.SERVER_UNAVAILABLE);
        assertThat(connect("ann")).isEqualTo(Mqtt5ConnAckReasonCode.SUCCESS);
        assertThat(installation.use(broker, "hostile").get("failures").getAsLong())
                .isGreaterThanOrEqualTo(4);

        for (String fault : List.of("threw", "null-answer", "no-answer", "blocked")) {
            witness.awaitNamed("hostile", fault);
        }
        Await.until(
                "the status warns of it",
                () -> status().contains("warning=plugin hostile (auth-provider) has blocked threads"));
        assertThat(status()).contains("events=plugin-faults.hostile ");
        assertThat(broker.data().resolve("plugins/hostile")).isDirectory();
        Path out = directory.resolve("table");
        assertThat(broker.admin(out, "plugins")).isZero();
        assertThat(Files.readString(out)).containsPattern("hostile.jar +- +auth-provider +hostile +up +plugin");
    }

    /** So many calls without an answer, within seconds, are more than half of all. */
    @Test
    @Order(Integer.MAX_VALUE) // the other test looks at the first calls
    void theCircuitOpensAndClosesAgain() throws Exception {
        List<CompletableFuture<Mqtt5ConnAck>> unanswered = new ArrayList<>();
        for (int i = 0; i < 40; i++) {
            unanswered.add(client("never-" + i, "never").toAsync().connect());
        }
        for (CompletableFuture<Mqtt5ConnAck> each : unanswered) {
            assertThatThrownBy(() -> each.get(60, TimeUnit.SECONDS))
                    .cause()
                    .isInstanceOfSatisfying(
                            Mqtt5ConnAckException.class,
                            e -> assertThat(e.getMqttMessage().getReasonCode())
                                    .isEqualTo(Mqtt5ConnAckReasonCode.SERVER_UNAVAILABLE));
        }
        assertThat(connect("ann"))
                .as("it is not asked, and so lets nobody in")
                .isEqualTo(Mqtt5ConnAckReasonCode.SERVER_UNAVAILABLE);
        assertThat(circuit()).as("until it is asked again").isEqualTo("open");
        witness.awaitNamed("hostile", "circuit-opened");
        String warning = "warning=plugin hostile (auth-provider) is not called for a while";
        Await.until("the status warns of it", () -> status().contains(warning));
        Path out = directory.resolve("table");
        assertThat(broker.admin(out, "plugins")).isZero();
        assertThat(Files.readString(out)).containsPattern("hostile.jar .* open ");

        Await.until("one call is tried", () -> connect("ann") == Mqtt5ConnAckReasonCode.SUCCESS);
        assertThat(circuit()).isEqualTo("closed");
        Await.until("the warning is gone", () -> !status().contains("is not called for a while"));
        assertThat(connect("throw")).isEqualTo(Mqtt5ConnAckReasonCode.SERVER_UNAVAILABLE);
        assertThat(connect("ann")).as("what throws opens no circuit").isEqualTo(Mqtt5ConnAckReasonCode.SUCCESS);
    }

    private static String circuit() throws IOException {
        return witness.use("hostile").get("circuit").getAsString();
    }

    private static String status() throws IOException {
        return Files.readString(broker.data().resolve("godwit.status"));
    }
}
