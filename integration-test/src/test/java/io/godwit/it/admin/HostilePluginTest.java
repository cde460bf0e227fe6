package io.godwit.it.admin;

import static org.assertj.core.api.Assertions.assertThat;

import com.hivemq.client.mqtt.mqtt5.Mqtt5BlockingClient;
import com.hivemq.client.mqtt.mqtt5.Mqtt5Client;
import com.hivemq.client.mqtt.mqtt5.exceptions.Mqtt5ConnAckException;
import com.hivemq.client.mqtt.mqtt5.message.connect.connack.Mqtt5ConnAckReasonCode;
import io.godwit.it.broker.BrokerProcess;
import io.godwit.it.broker.PluginInstallation;
import io.godwit.it.broker.Ports;
import io.godwit.testing.Await;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A packaged broker with an auth provider that does by the user's name what it must not. */
@Tag("full")
@Timeout(240)
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
    private Path directory;

    private static Mqtt5ConnAckReasonCode connect(BrokerProcess broker, String user) {
        Mqtt5BlockingClient client = Mqtt5Client.builder()
                .identifier(user)
                .serverHost("127.0.0.1")
                .serverPort(broker.address().getPort())
                .simpleAuth()
                .username(user)
                .password("x".getBytes(StandardCharsets.UTF_8))
                .applySimpleAuth()
                .buildBlocking();
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
        PluginInstallation installation = new PluginInstallation(directory);
        installation.jar(
                "hostile", "Hostile", PLUGIN, Map.of("io.godwit.plugin.auth.AuthProviderFactory", List.of("Hostile")));
        try (BrokerProcess broker = new BrokerProcess(directory.resolve("broker"))
                .installedIn(installation.path())
                .setting("authConfig", "{provider: hostile, timeoutSeconds: 2}")
                .setting("apiServerConfig", "{port: " + Ports.free().getPort() + ", checkAnswers: true}")
                .setting("plugins", "{hostile: {greeting: go away}}")) {
            broker.start();
            assertThat(connect(broker, "ann")).isEqualTo(Mqtt5ConnAckReasonCode.SUCCESS);
            for (String user : List.of("throw", "null", "never")) {
                assertThat(connect(broker, user)).as(user).isEqualTo(Mqtt5ConnAckReasonCode.SERVER_UNAVAILABLE);
            }
            assertThat(installation.use(broker, "hostile").get("threads").getAsString())
                    .isEqualTo("broker");

            CompletableFuture<Mqtt5ConnAckReasonCode> blocked =
                    CompletableFuture.supplyAsync(() -> connect(broker, "block"));
            Await.until(
                    "called on its own threads",
                    () -> installation
                            .use(broker, "hostile")
                            .get("threads")
                            .getAsString()
                            .equals("plugin"));
            assertThat(blocked.get(60, TimeUnit.SECONDS)).isEqualTo(Mqtt5ConnAckReasonCode.SERVER_UNAVAILABLE);
            assertThat(connect(broker, "ann")).isEqualTo(Mqtt5ConnAckReasonCode.SUCCESS);
            assertThat(installation.use(broker, "hostile").get("failures").getAsLong())
                    .isGreaterThanOrEqualTo(4);

            Path status = broker.data().resolve("godwit.status");
            Await.until("the status names it", () -> {
                String text = Files.readString(status);
                return text.contains("events=plugin-faults.hostile ")
                        && text.contains("warning=plugin hostile (auth-provider) has blocked threads");
            });
            assertThat(broker.data().resolve("plugins/hostile")).isDirectory();
            Path out = directory.resolve("out");
            assertThat(broker.admin(out, "plugins")).isZero();
            assertThat(Files.readString(out)).containsPattern("hostile.jar +- +auth-provider +hostile +up +plugin");
        }
    }
}
