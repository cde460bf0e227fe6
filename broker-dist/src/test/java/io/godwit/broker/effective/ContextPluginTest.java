package io.godwit.broker.effective;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.godwit.broker.auth.AuthFileReports;
import io.godwit.broker.check.ConfigLoader;
import io.godwit.broker.check.StartCheck;
import io.godwit.broker.plugin.PluginFiles;
import io.godwit.broker.plugin.PluginHost;
import io.godwit.broker.plugin.context.BrokerServices;
import io.godwit.plugin.auth.AuthProvider;
import io.godwit.plugin.auth.ConnectRequest;
import io.godwit.plugin.auth.ConnectResult;
import io.godwit.plugin.client.ClientId;
import io.godwit.plugin.client.ClientInfo;
import io.godwit.plugin.client.TenantId;
import io.godwit.plugin.event.EventListener;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Plugins with a context, as jars and by the configuration. */
class ContextPluginTest {
    private static final String SERVICE = "META-INF/services/io.godwit.plugin.auth.AuthProviderFactory";

    /** Accepts clients with the password in its settings, and says which class loader it runs with. */
    private static final String DOOR = """
            import io.godwit.plugin.auth.*;
            import io.godwit.plugin.context.*;
            import java.util.concurrent.CompletableFuture;
            public class Door implements AuthProviderFactory, Plugin {
                private PluginContext context;
                private String password;
                private Meters.Counter asked;
                @Override public String name() { return "door"; }
                @Override public void create(PluginContext given) {
                    context = given;
                    password = given.settings().secret("password", "");
                    if (password.isEmpty()) { given.settings().error("password", "has to be given"); }
                    given.settings().number("most", 1, 1, 10);
                    asked = given.meters().counter("asked", "questions");
                }
                @Override public void start() throws Exception {
                    java.nio.file.Files.writeString(context.dataDirectory().resolve("started"), "");
                }
                @Override public AuthProvider create() {
                    return new AuthProvider() {
                        @Override public CompletableFuture<ConnectResult> connect(ConnectRequest request) {
                            asked.add(1);
                            boolean knows = password.equals(new String(request.password()))
                                && Thread.currentThread().getContextClassLoader() == Door.class.getClassLoader();
                            return CompletableFuture.completedFuture(knows ? ConnectResult.Accepted.as(request.client())
                                : new ConnectResult.Refused(RefusalReason.BAD_CREDENTIALS, "no"));
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
    Path directory;

    private Path plugins;

    @BeforeEach
    void makeDirectory() throws IOException {
        plugins = Files.createDirectory(directory.resolve("plugins"));
    }

    private void jar(String name, String service, Map<String, String> sources) throws IOException {
        PluginJars.make(directory, plugins.resolve(name), SERVICE, service, sources);
    }

    private BrokerConfig config(String yaml) throws Exception {
        return ConfigLoader.load(Files.writeString(directory.resolve("test.yml"), yaml), Map.of());
    }

    private static ConnectRequest connect(String password) {
        ClientInfo client = new ClientInfo(TenantId.DEFAULT, new ClientId("c"), "u", "10.0.0.1:5000", 5);
        return new ConnectRequest(client, false, password.getBytes(StandardCharsets.UTF_8), List.of());
    }

    @Test
    void itsSettingsDirectoryAndMetersAreItsOwn() throws Exception {
        jar("door-1.2.jar", "Door", Map.of("Door", DOOR));
        BrokerConfig config = config("""
                authConfig: {provider: door}
                plugins: {door: {password: sesame, most: 3}}
                """);
        SimpleMeterRegistry meters = new SimpleMeterRegistry();
        Path data = directory.resolve("data/plugins");
        try (PluginHost host = new PluginHost(
                        new PluginFiles(config.plugins(), config.directory(), data),
                        Duration.ofSeconds(10),
                        EventListener.NONE,
                        meters,
                        System::nanoTime,
                        BrokerServices.NONE,
                        warnings -> {});
                PluginLoader loader = PluginLoader.open(plugins, host);
                AuthProvider auth =
                        AuthProviders.open(config, loader, new AuthFileReports(EventListener.NONE, meters))) {
            loader.checkSections();
            host.start();
            assertThat(data.resolve("door/started")).exists();
            assertThat(auth.connect(connect("sesame")).get(30, TimeUnit.SECONDS))
                    .isInstanceOf(ConnectResult.Accepted.class);
            assertThat(auth.connect(connect("simsalabim")).get(30, TimeUnit.SECONDS))
                    .isInstanceOf(ConnectResult.Refused.class);
            assertThat(meters.get("plugin.door.asked").counter().count()).isEqualTo(2);
            assertThat(loader.loaded())
                    .singleElement()
                    .satisfies(plugin -> assertThat(plugin.uses())
                            .singleElement()
                            .satisfies(use -> {
                                assertThat(use.kind()).isEqualTo("auth-provider");
                                assertThat(use.name()).isEqualTo("door");
                                assertThat(use.calls()).isEqualTo(2);
                                assertThat(use.circuit()).isEqualTo("closed");
                            }));
        }
    }

    @Test
    void aCheckTellsAllThatIsWrongWithItsSettings() throws Exception {
        jar("door.jar", "Door", Map.of("Door", DOOR));
        assertThat(StartCheck.errors(config("""
                authConfig: {provider: door}
                plugins:
                  door:
                    most: 11
                    pasword: sesame
                """), plugins))
                .containsExactly(
                        "plugins.door.password: has to be given",
                        "plugins.door.most: must be from 1 to 10, was \"11\" (line 4)",
                        "plugins.door.pasword: unknown key (line 5), the nearest valid one is plugins.door.password");
        assertThat(StartCheck.errors(config("plugins: {door: {password: x}}"), plugins))
                .containsExactly("plugins.door: this plugin is not in use: name it in authConfig.providers");
        assertThat(StartCheck.errors(config("plugins: {dor: {password: x}}"), plugins))
                .containsExactly("plugins.dor: no plugin of this name is in use, and none that takes settings");
        assertThat(StartCheck.errors(config("{authConfig: {provider: door}, plugins: {door: {password: x}}}"), plugins))
                .isEmpty();
    }

    private static String gate(String name, String kind) {
        return """
                import io.godwit.plugin.intercept.*;
                import io.godwit.plugin.context.*;
                public class Gate implements %2$sFactory, Plugin {
                    @Override public String name() { return "%1$s"; }
                    @Override public void create(PluginContext given) { given.settings().text("below", ""); }
                    @Override public %2$s create() { throw new UnsupportedOperationException(); }
                }
                """.formatted(name, kind);
    }

    private void gateJar(String kind) throws IOException {
        gateJar("gate", kind);
    }

    private void gateJar(String name, String kind) throws IOException {
        PluginJars.make(
                directory,
                plugins.resolve("gate.jar"),
                "META-INF/services/io.godwit.plugin.intercept." + kind + "Factory",
                "Gate",
                Map.of("Gate", gate(name, kind)));
    }

    @Test
    void aCheckTellsTheMistakesOfAllPluginsTogether() throws Exception {
        jar("door.jar", "Door", Map.of("Door", DOOR));
        gateJar("PublishInterceptor");
        assertThat(StartCheck.errors(config("""
                authConfig: {provider: door}
                pluginConfig:
                  publishInterceptors: [gate, gate]
                  deliverInterceptors: [redact, stamp]
                  userProperties: [mark]
                plugins:
                  door: {password: sesame, most: 11}
                  gate: {bellow: chat}
                  gait: {below: chat}
                  redact: {words: secret}
                """), plugins))
                .satisfiesExactly(
                        door -> assertThat(door).startsWith("plugins.door.most: must be from 1 to 10"),
                        gate -> assertThat(gate).startsWith("plugins.gate.bellow: unknown key (line 8)"),
                        twice -> assertThat(twice).isEqualTo("pluginConfig.publishInterceptors: names gate twice"),
                        redact -> assertThat(redact).startsWith("pluginConfig.deliverInterceptors: there is no"),
                        stamp -> assertThat(stamp).contains("there is no DeliverInterceptorFactory \"stamp\""),
                        mark -> assertThat(mark).startsWith("pluginConfig.userProperties: there is no"),
                        gait -> assertThat(gait)
                                .isEqualTo(
                                        "plugins.gait: no plugin of this name is in use, the nearest is plugins.gate"));
    }

    /** Its name is that of its section, but it is not known. */
    @Test
    void aSectionMayBeThatOfAMissingClass() throws Exception {
        assertThat(StartCheck.errors(
                        config("{authConfig: {provider: org.acme.Door}, plugins: {door: {password: x}}}"), plugins))
                .singleElement()
                .satisfies(error -> assertThat(error).contains("no AuthProviderFactory \"org.acme.Door\""));
    }

    @Test
    void aSectionOfARefusedPluginIsNoFurtherMistake() throws Exception {
        gateJar("_gate", "PublishInterceptor");
        String yaml = "{pluginConfig: {publishInterceptors: [_gate]}, plugins: {_gate: {below: chat}}}";
        assertThat(StartCheck.errors(config(yaml), plugins))
                .singleElement()
                .satisfies(error -> assertThat(error).contains("the plugin _gate", "has an invalid name"));
    }

    @Test
    void aPluginThatIsNotNamedIsToldWithTheKeyForItsKind() throws Exception {
        jar("door.jar", "Door", Map.of("Door", DOOR));
        gateJar("DeliverInterceptor");
        String yaml = "{authConfig: {provider: door}, plugins: {door: {password: x}, gate: {below: chat}}}";
        assertThat(StartCheck.errors(config(yaml), plugins))
                .containsExactly(
                        "plugins.gate: this plugin is not in use: name it in pluginConfig.deliverInterceptors");
    }

    // ---- what ends the process

    private static String main(String statement) {
        return """
                public class Main {
                    static void exit(int code) {}
                    static class System2 { static void exit(int code) {} }
                    void run() throws Exception { %s; }
                }
                """.formatted(statement);
    }

    @Test
    void aJarThatCouldEndTheProcessIsRefusedAndNamed() throws Exception {
        Map<String, String> ways = Map.of(
                "System.exit(3)", "System.exit",
                "java.util.function.IntConsumer c = System::exit", "System.exit",
                "Runtime.getRuntime().exit(3)", "Runtime.exit",
                "Runtime.getRuntime().halt(3)", "Runtime.halt",
                "new Object() { void x() { System.exit(3); } }.x()", "System.exit");
        for (Map.Entry<String, String> way : ways.entrySet()) {
            jar("bad.jar", "", Map.of("Main", main(way.getKey())));
            assertThatThrownBy(() -> PluginLoader.open(plugins))
                    .as(way.getKey())
                    .isInstanceOf(IOException.class)
                    .hasMessageContainingAll("bad.jar", "is refused", "Main", "refers to " + way.getValue());
        }
    }

    @Test
    void whatOnlyLooksLikeItIsNot() throws Exception {
        jar("good.jar", "", Map.of("Main", main("exit(1); System2.exit(2); Runtime.getRuntime().gc()")));
        PluginLoader.open(plugins).close();
    }

    /** A library in the directory of a plugin counts as the plugin. */
    @Test
    void aLibraryThatCouldEndTheProcessIsRefusedToo() throws Exception {
        jar("together/door.jar", "Door", Map.of("Door", DOOR));
        jar("together/library.jar", "", Map.of("Main", main("System.exit(3)")));
        assertThatThrownBy(() -> PluginLoader.open(plugins)).hasMessageContaining("library.jar");
    }

    @Test
    void aClassThatCannotBeReadIsRefused() throws Exception {
        Path classes = Files.createDirectory(directory.resolve("broken"));
        for (byte[] bytes : List.of(
                new byte[0],
                "not a class at all".getBytes(StandardCharsets.UTF_8),
                new byte[] {(byte) 0xCA, (byte) 0xFE, (byte) 0xBA, (byte) 0xBE, 0, 0, 0, 61, 0, 9, 99, 1, 2},
                new byte[] {(byte) 0xCA, (byte) 0xFE, (byte) 0xBA, (byte) 0xBE, 0, 0, 0, 61, -1, -1, 1, -1, -1})) {
            Files.write(classes.resolve("Broken.class"), bytes);
            PluginJars.pack(classes, plugins.resolve("broken.jar"));
            assertThatThrownBy(() -> PluginLoader.open(plugins))
                    .isInstanceOf(IOException.class)
                    .hasMessageContainingAll("broken.jar", "cannot be read", "Broken.class");
        }
    }
}
