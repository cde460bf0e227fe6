package io.godwit.it.admin;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import com.hivemq.client.mqtt.mqtt5.Mqtt5BlockingClient;
import com.hivemq.client.mqtt.mqtt5.Mqtt5Client;
import com.hivemq.client.mqtt.mqtt5.exceptions.Mqtt5ConnAckException;
import com.hivemq.client.mqtt.mqtt5.message.connect.connack.Mqtt5ConnAckReasonCode;
import io.godwit.it.broker.BrokerProcess;
import io.godwit.it.broker.Ports;
import io.godwit.testing.Await;
import java.io.IOException;
import java.io.OutputStream;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.jar.JarEntry;
import java.util.jar.JarOutputStream;
import java.util.stream.Stream;
import javax.tools.ToolProvider;
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

    private static String read(Path file) {
        try {
            return Files.readString(file);
        } catch (IOException e) {
            return e.toString();
        }
    }

    private JsonObject use(BrokerProcess broker) throws Exception {
        Path out = directory.resolve("out");
        Path err = directory.resolve("err");
        String data = broker.data().toString();
        assertThat(broker.adminApart(out, err, "plugins", "--json", "--data", data))
                .as(() -> read(err))
                .isZero();
        return JsonParser.parseString(Files.readString(out))
                .getAsJsonObject()
                .getAsJsonArray("items")
                .get(0)
                .getAsJsonObject()
                .getAsJsonArray("uses")
                .get(0)
                .getAsJsonObject();
    }

    @Test
    void theBrokerLivesDeniesAndNamesIt() throws Exception {
        try (BrokerProcess broker = new BrokerProcess(directory.resolve("broker"))
                .installedIn(installation())
                .setting("authConfig", "{provider: hostile, timeoutSeconds: 2}")
                .setting("apiServerConfig", "{port: " + Ports.free().getPort() + ", checkAnswers: true}")
                .setting("plugins", "{hostile: {greeting: go away}}")) {
            broker.start();
            assertThat(connect(broker, "ann")).isEqualTo(Mqtt5ConnAckReasonCode.SUCCESS);
            for (String user : List.of("throw", "null", "never")) {
                assertThat(connect(broker, user)).as(user).isEqualTo(Mqtt5ConnAckReasonCode.SERVER_UNAVAILABLE);
            }
            assertThat(use(broker).get("threads").getAsString()).isEqualTo("broker");

            CompletableFuture<Mqtt5ConnAckReasonCode> blocked =
                    CompletableFuture.supplyAsync(() -> connect(broker, "block"));
            Await.until(
                    "called on its own threads",
                    () -> use(broker).get("threads").getAsString().equals("plugin"));
            assertThat(blocked.get(60, TimeUnit.SECONDS)).isEqualTo(Mqtt5ConnAckReasonCode.SERVER_UNAVAILABLE);
            assertThat(connect(broker, "ann")).isEqualTo(Mqtt5ConnAckReasonCode.SUCCESS);
            assertThat(use(broker).get("failures").getAsLong()).isGreaterThanOrEqualTo(4);

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

    private Path installation() throws Exception {
        Path installation = Files.createDirectory(directory.resolve("installation"));
        Path distribution = BrokerProcess.distribution();
        for (String part : List.of("bin", "conf")) {
            Path to = Files.createDirectory(installation.resolve(part));
            try (Stream<Path> files = Files.list(distribution.resolve(part))) {
                for (Path file : files.toList()) {
                    Files.copy(file, to.resolve(file.getFileName()));
                    to.resolve(file.getFileName()).toFile().setExecutable(true);
                }
            }
        }
        Files.createSymbolicLink(installation.resolve("lib"), distribution.resolve("lib"));
        makeJar(Files.createDirectory(installation.resolve("plugins")).resolve("hostile.jar"));
        return installation;
    }

    private void makeJar(Path jar) throws Exception {
        Path classes = Files.createDirectory(directory.resolve("classes"));
        Path source = Files.writeString(directory.resolve("Hostile.java"), PLUGIN);
        Path api;
        try (Stream<Path> libraries = Files.list(BrokerProcess.distribution().resolve("lib"))) {
            api = libraries
                    .filter(file -> file.getFileName().toString().startsWith("plugin-api-"))
                    .findFirst()
                    .orElseThrow();
        }
        var compiler = ToolProvider.getSystemJavaCompiler();
        StringWriter says = new StringWriter();
        try (var files = compiler.getStandardFileManager(null, null, StandardCharsets.UTF_8)) {
            List<String> options =
                    List.of("-d", classes.toString(), "-cp", api.toString(), "--release", "17", "-proc:none");
            assertThat(compiler.getTask(says, files, null, options, null, files.getJavaFileObjects(source))
                            .call())
                    .as(says.toString())
                    .isTrue();
        }
        try (OutputStream file = Files.newOutputStream(jar);
                JarOutputStream out = new JarOutputStream(file);
                Stream<Path> entries = Files.walk(classes)) {
            for (Path entry : entries.filter(Files::isRegularFile).toList()) {
                out.putNextEntry(new JarEntry(classes.relativize(entry).toString()));
                Files.copy(entry, out);
            }
            out.putNextEntry(new JarEntry("META-INF/services/io.godwit.plugin.auth.AuthProviderFactory"));
            out.write("Hostile\n".getBytes(StandardCharsets.UTF_8));
        }
    }
}
