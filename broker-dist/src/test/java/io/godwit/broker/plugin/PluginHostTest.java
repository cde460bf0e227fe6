package io.godwit.broker.plugin;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.godwit.broker.plugin.PluginStage.Connects;
import io.godwit.broker.plugin.guard.GuardedAuth;
import io.godwit.broker.plugin.instance.HostedPlugin;
import io.godwit.broker.plugin.instance.PluginHome;
import io.godwit.broker.plugin.instance.PluginState;
import io.godwit.plugin.auth.AuthProvider;
import io.godwit.plugin.auth.AuthProviderFactory;
import io.godwit.plugin.auth.ConnectResult;
import io.godwit.plugin.context.Plugin;
import io.godwit.plugin.context.PluginContext;
import io.godwit.plugin.context.PluginHealth;
import io.godwit.plugin.event.PluginFault;
import io.godwit.testing.Await;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The life cycle of plugins, each call bounded in time. */
@Timeout(60)
class PluginHostTest {
    @TempDir
    Path directory;

    /** Records the calls that it receives; tests change what it does. */
    private static class Recording implements AuthProviderFactory, Plugin {
        final List<String> calls = new CopyOnWriteArrayList<>();
        volatile PluginContext context;

        @SuppressWarnings("NullAway") // given in create
        Recording() {}

        private void call(String what) {
            ClassLoader loader = Thread.currentThread().getContextClassLoader();
            calls.add(what + " " + (loader == null ? "" : loader.getName()));
        }

        @Override
        public String name() {
            return "acme";
        }

        @Override
        public void create(PluginContext given) throws Exception {
            call("create");
            context = given;
        }

        @Override
        public void start() throws Exception {
            call("start");
        }

        @Override
        public PluginHealth health() {
            call("health");
            return PluginHealth.UP;
        }

        @Override
        public void stop() throws Exception {
            call("stop");
        }

        @Override
        public AuthProvider create() {
            call("make");
            return (Connects) request -> CompletableFuture.completedFuture(PluginStage.ACCEPTED);
        }
    }

    @Test
    void aPluginIsCreatedStartedAskedAndStopped() throws Exception {
        Recording plugin = new Recording();
        try (PluginStage stage = new PluginStage(directory, Map.of())) {
            stage.auth(plugin);
            Await.until("health", () -> plugin.calls.size() >= 4);
            assertThat(plugin.calls).contains("make a-plugin");
            plugin.calls.remove("make a-plugin");
            assertThat(plugin.calls).startsWith("create a-plugin", "start a-plugin", "health a-plugin");
            Await.until("up", () -> stage.state().health() == PluginState.Health.UP);
            assertThat(stage.warnings).isEmpty();
        }
        assertThat(plugin.calls).last().isEqualTo("stop a-plugin");
        assertThat(plugin.calls).filteredOn(call -> call.startsWith("stop")).hasSize(1);
    }

    @Test
    void itsDirectoryIsThereFromTheStartForItsOwnerAlone() throws Exception {
        Path expected = directory.resolve("data/plugins/acme");
        Files.createDirectories(expected);
        Files.setPosixFilePermissions(expected, PosixFilePermissions.fromString("rwxrwxrwx"));
        Recording plugin = new Recording();
        try (PluginStage stage = new PluginStage(directory, Map.of())) {
            stage.auth(plugin);
            assertThat(plugin.context.dataDirectory()).isEqualTo(expected);
            assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(expected)))
                    .isEqualTo("rwx------");
        }
    }

    @Test
    void nothingIsOpenedByACheck() throws Exception {
        Recording plugin = new Recording();
        try (PluginHost host = PluginHost.forCheck(Map.of(), directory)) {
            host.adopt(
                    AuthProviderFactory.class,
                    "auth-provider",
                    "acme",
                    plugin,
                    new PluginHome("a.jar", getClass().getClassLoader()));
            host.checkSections(Set.of(), name -> List.of());
        }
        assertThat(plugin.calls.stream().map(call -> call.substring(0, call.indexOf(' '))))
                .containsExactly("create", "stop");
        try (var files = Files.list(directory)) {
            assertThat(files).isEmpty();
        }
    }

    @Test
    void callsThatTakeForEverEndTheStart() throws Exception {
        CountDownLatch never = new CountDownLatch(1);
        Recording plugin = new Recording() {
            @Override
            public void create(PluginContext given) throws Exception {
                never.await();
            }
        };
        try (PluginStage stage = new PluginStage(directory, Map.of())) {
            assertThatThrownBy(() -> stage.auth(plugin))
                    .isInstanceOf(IOException.class)
                    .hasMessageContainingAll("acme", "a.jar", "does not create", "took more than");
            assertThat(stage.hasTold(PluginFault.NO_ANSWER)).isTrue();
        }
        Recording other = new Recording() {
            @Override
            public void start() throws Exception {
                throw new IllegalStateException("no license");
            }

            @Override
            public void stop() throws Exception {
                super.stop();
                never.await(); // the end goes on
            }
        };
        try (PluginStage stage = new PluginStage(directory, Map.of())) {
            assertThatThrownBy(() -> stage.auth(other)).hasMessageContainingAll("acme", "does not start", "no license");
        }
        assertThat(other.calls).contains("stop a-plugin");
    }

    @Test
    void healthThatIsBadOrDoesNotComeIsTold() throws Exception {
        CountDownLatch release = new CountDownLatch(1);
        Recording plugin = new Recording() {
            @Override
            public PluginHealth health() {
                try {
                    release.await();
                } catch (InterruptedException e) {
                    return PluginHealth.UP;
                }
                return PluginHealth.down("no directory");
            }
        };
        try (PluginStage stage = new PluginStage(directory, Map.of())) {
            stage.auth(plugin);
            Await.until("told", () -> stage.hasTold(PluginFault.UNHEALTHY));
            assertThat(stage.state().detail()).contains("does not report");
            Await.until("warned", () -> stage.warnings.size() == 1);
            assertThat(stage.warnings.get(0)).contains("plugin acme", "is not well");
            release.countDown();
            Await.until("the answer", () -> stage.state().detail().equals("no directory"));
            assertThat(stage.state().health()).isEqualTo(PluginState.Health.DOWN);
        }
    }

    private static void leak(CountDownLatch end) {
        for (int i = 0; i <= HostedPlugin.MAX_OWN_THREADS; i++) {
            Thread thread = new Thread(() -> {
                try {
                    end.await();
                } catch (InterruptedException e) {
                    Thread.currentThread().interrupt();
                }
            });
            thread.setDaemon(true);
            thread.start();
        }
    }

    @Test
    void threadsThatItDoesNotEndAreToldOf() throws Exception {
        CountDownLatch end = new CountDownLatch(1);
        Recording plugin = new Recording() {
            @Override
            public void start() {
                context.executor().execute(() -> leak(end));
            }
        };
        try (PluginStage stage = new PluginStage(directory, Map.of())) {
            stage.auth(plugin);
            Await.until("told", () -> stage.hasTold(PluginFault.TOO_MANY_THREADS));
            Await.until("warned", () -> stage.warnings.toString().contains("has made more than 250 threads"));
            assertThat(stage.counted("too-many-threads")).isEqualTo(1);
            end.countDown();
            Await.until("over", () -> stage.warnings.isEmpty());
        }
    }

    @Test
    void twoPluginsOfOneNameAreRefused() throws Exception {
        try (PluginStage stage = new PluginStage(directory, Map.of())) {
            stage.auth(new Recording());
            assertThatThrownBy(() -> stage.host()
                            .adopt(
                                    AuthProviderFactory.class,
                                    "auth-provider",
                                    "acme",
                                    PluginStage.old("acme"),
                                    stage.home("b.jar")))
                    .isInstanceOf(IOException.class)
                    .hasMessageContainingAll("two plugins", "acme", "a.jar", "b.jar");
            assertThatThrownBy(() -> stage.host()
                            .adopt(
                                    AuthProviderFactory.class,
                                    "auth-provider",
                                    "../acme",
                                    new Recording(),
                                    stage.home()))
                    .hasMessageContaining("../acme");
        }
    }

    @Test
    void sectionsThatNobodyReadsAreRefusedAllAtOnce() throws Exception {
        Map<String, io.godwit.broker.config.key.OpenSection> sections = Map.of(
                "acme", PluginStage.section("acme"),
                "acne", PluginStage.section("acne", "x", "1"),
                "old", PluginStage.section("old", "x", "1"));
        try (PluginStage stage = new PluginStage(directory, sections)) {
            stage.auth(new Recording());
            stage.auth(PluginStage.old("old"));
            assertThatThrownBy(() -> stage.host().checkSections(Set.of(), name -> List.of()))
                    .hasMessage("plugins.acne: no plugin of this name is in use, the nearest is plugins.acme\n"
                            + "plugins.old: this plugin takes no settings");
        }
    }

    @Test
    void allThatIsWrongWithSettingsIsToldAtOnceAlsoWhenThePluginThrowsForIt() throws Exception {
        Recording plugin = new Recording() {
            @Override
            public void create(PluginContext given) throws Exception {
                given.settings().number("port", 389, 1, 65_535);
                given.settings().duration("timeout", Duration.ofSeconds(1), Duration.ZERO, Duration.ofSeconds(9));
                throw new IllegalStateException("cannot go on");
            }
        };
        Map<String, io.godwit.broker.config.key.OpenSection> sections =
                Map.of("acme", PluginStage.section("acme", "port", "x", "tiemout", "3s"));
        try (PluginStage stage = new PluginStage(directory, sections)) {
            assertThatThrownBy(() -> stage.auth(plugin))
                    .hasMessage("plugins.acme.port: must be a whole number, was \"x\" (line 1)\n"
                            + "plugins.acme.tiemout: unknown key (line 3), the nearest valid one is "
                            + "plugins.acme.timeout");
        }
    }

    @Test
    void tasksOfAPluginRunOnItsThreadsInBoundedNumber() throws Exception {
        Recording plugin = new Recording();
        try (PluginStage stage = new PluginStage(directory, Map.of())) {
            stage.auth(plugin);
            CompletableFuture<String> thread = new CompletableFuture<>();
            plugin.context
                    .executor()
                    .execute(() -> thread.complete(Thread.currentThread().getName()
                            + Thread.currentThread().getContextClassLoader().getName()));
            assertThat(thread.get(30, TimeUnit.SECONDS))
                    .startsWith("plugin-acme-task-")
                    .endsWith("a-plugin");
            plugin.context.executor().execute(() -> {
                throw new IllegalStateException("in a task");
            });
            Await.until("told", () -> stage.hasTold(PluginFault.THREW));
            CountDownLatch release = new CountDownLatch(1);
            assertThatThrownBy(() -> {
                        for (int i = 0; i < 2_000; i++) {
                            plugin.context.executor().execute(() -> {
                                try {
                                    release.await();
                                } catch (InterruptedException e) {
                                    Thread.currentThread().interrupt();
                                }
                            });
                        }
                    })
                    .isInstanceOf(java.util.concurrent.RejectedExecutionException.class);
            release.countDown();
            plugin.context.logger().log(System.Logger.Level.INFO, "{0} tasks", 2_000);
            assertThat(plugin.context.logger().getName()).isEqualTo("plugin.acme");
        }
    }

    @Test
    void whatIsAskedOfABrokerThatDoesNotServeFails() throws Exception {
        Recording plugin = new Recording();
        try (PluginStage stage = new PluginStage(directory, Map.of())) {
            GuardedAuth auth = stage.auth(plugin);
            ConnectResult unused = auth.connect(PluginStage.CONNECT).get(30, TimeUnit.SECONDS);
            assertThat(unused).isNotNull();
            assertThat(plugin.context.broker().disconnect(PluginStage.CLIENT.tenant(), PluginStage.CLIENT.clientId()))
                    .failsWithin(Duration.ofSeconds(30))
                    .withThrowableOfType(java.util.concurrent.ExecutionException.class)
                    .withCauseInstanceOf(io.godwit.plugin.context.BrokerUnavailableException.class);
        }
    }
}
