package io.godwit.it.admin;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.it.broker.BadPlugin;
import io.godwit.it.broker.BrokerProcess;
import io.godwit.it.broker.PluginInstallation;
import io.godwit.it.broker.PluginWitness;
import io.godwit.it.broker.Ports;
import io.godwit.it.client.ClientConfig;
import io.godwit.it.client.TestClient;
import io.godwit.it.wire.Packet;
import io.godwit.testing.Await;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * A packaged broker and plugins that do what they must not, by the name of the user: beside {@link HostilePluginTest}
 * and its like, where each kind throws, answers null, blocks and never answers. Those that start a broker of their own
 * wait more than they work, and do so side by side; the others share one broker, and take turns.
 */
@Tag("full")
@Timeout(1200)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class BadPluginTest {
    private static final Duration PATIENCE = Duration.ofMinutes(4);
    private static final String AUTH = "io.godwit.plugin.auth.AuthProviderFactory";
    private static final int SERVER_UNAVAILABLE = 0x88;

    private static final String REFUSED = """
            import io.godwit.plugin.auth.*;
            import io.godwit.plugin.context.*;
            public class Refused implements AuthProviderFactory, Plugin {
                @Override public String name() { return "refused"; }
                @Override public void create(PluginContext context) throws Exception { %s }
                @Override public AuthProvider create() throws Exception { %s }
            }
            """;

    @TempDir
    private static Path directory;

    private PluginInstallation installation;
    private BrokerProcess living;
    private PluginWitness witness;

    @BeforeAll
    void start() throws Exception {
        installation = new PluginInstallation(Files.createDirectory(directory.resolve("living")));
        BadPlugin.addTo(installation);
        PluginWitness.addListener(installation);
        living = broker("living/broker", installation)
                .setting("pluginConfig", "{eventListeners: [" + PluginWitness.LISTENER + "]}");
        witness = new PluginWitness(living);
        start(living);
    }

    @AfterAll
    void stop() throws Exception {
        if (living != null) {
            living.close();
        }
    }

    /** Waits for long: the machine may be busy. */
    private static void start(BrokerProcess broker) throws Exception {
        broker.launch();
        broker.awaitReady(PATIENCE);
    }

    private BrokerProcess broker(String home, PluginInstallation of) throws Exception {
        return new BrokerProcess(directory.resolve(home))
                .installedIn(of.path())
                .setting("authConfig", "{provider: bad, timeoutSeconds: 2, sessionsBelongToUsers: false}")
                .setting("apiServerConfig", "{port: " + Ports.free().getPort() + ", checkAnswers: true}");
    }

    private static ClientConfig config(BrokerProcess broker, String client, String user) {
        return ClientConfig.of(broker.address(), client, 5).withLogin(user, "any");
    }

    private static int connect(BrokerProcess broker, String user) throws Exception {
        try (TestClient client = new TestClient(config(broker, user, user).withCleanSession())) {
            return client.connect().code();
        }
    }

    private String lastFailure() throws Exception {
        return installation.use(living, "bad").get("lastFailure").getAsString();
    }

    @ParameterizedTest
    @CsvSource({
        "undeclared, threw java.io.IOException, threw",
        "unspeakable, threw Bad$Unspeakable, threw",
        "old, was it compiled for another version of plugin-api?, threw",
        "late, late-answer: connect, late-answer"
    })
    void whatIsNoAnswerIsRefusedAndNamed(String user, String failure, String fault) throws Exception {
        assertThat(connect(living, user)).isEqualTo(SERVER_UNAVAILABLE);
        Await.until("told: " + failure, PATIENCE, () -> lastFailure().contains(failure));
        witness.awaitNamed("bad", fault, PATIENCE);
        assertThat(connect(living, "ann")).isZero();
    }

    /** The first answer counts, and tasks that do not fit are rejected. */
    @ParameterizedTest
    @ValueSource(strings = {"twice", "fills"})
    void whatIsWrongWithoutHarmIsAnswered(String user) throws Exception {
        assertThat(connect(living, user)).isZero();
        assertThat(connect(living, "ann")).isZero();
    }

    @Test
    void threadsThatItLeaksAreToldOf() throws Exception {
        assertThat(connect(living, "leaks")).isZero();
        Path status = living.data().resolve("godwit.status");
        Await.until(
                "warned",
                PATIENCE,
                () -> Files.readString(status)
                        .lines() // the warning may begin with what earlier calls have done
                        .anyMatch(line -> line.contains("warning=plugin bad (auth-provider) ")
                                && line.contains("has made more than 250 threads")));
        witness.awaitNamed("bad", "too-many-threads", PATIENCE);
        assertThat(connect(living, "ann")).isZero();
    }

    @Test
    void itMayCallBackFromAnyThread() throws Exception {
        try (TestClient subscriber =
                new TestClient(config(living, "listens", "ann").withCleanSession())) {
            assertThat(subscriber.connect().code()).isZero();
            subscriber.subscribe("told", 1);
            assertThat(connect(living, "calls")).isZero();
            List<String> told = new ArrayList<>();
            for (int i = 0; i < 3; i++) {
                Packet.Publish next = subscriber.next(PATIENCE);
                assertThat(next).as("after " + told).isNotNull();
                told.add(new String(next.payload(), StandardCharsets.UTF_8));
            }
            assertThat(told).containsExactlyInAnyOrder("within", "answer", "thread");
        }
    }

    // ---- what is refused at the start

    @ParameterizedTest
    @Execution(ExecutionMode.CONCURRENT) // of the class, it would run beside other classes
    @CsvSource(
            delimiter = '|',
            value = {
                "exits | System.exit(1); | return null; | Refused refers to System.exit",
                "halts | Runtime.getRuntime().halt(1); | return null; | Refused refers to Runtime.halt",
                "fails | throw new java.io.IOException(\"no disk\"); | return null; | does not create: java.io",
                "null | | return null; | null instead of a provider",
                "ends | Runtime.class.getMethod(\"exit\", int.class).invoke(Runtime.getRuntime(), 0); | return null; |"
            })
    void theStartIsRefused(String name, String create, String make, String says) throws Exception {
        PluginInstallation of = new PluginInstallation(Files.createDirectory(directory.resolve(name)));
        String source = String.format(REFUSED, create == null ? "" : create, make);
        of.jar(name, "Refused", source, Map.of(AUTH, List.of("Refused")));
        try (BrokerProcess broker = broker(name + "/broker", of).setting("authConfig", "{provider: refused}")) {
            assertRefused(broker, says == null ? "did not start" : says);
        }
    }

    private static void assertRefused(BrokerProcess broker, String says) throws Exception {
        broker.launch();
        assertThat(broker.startEnded(PATIENCE)).as(broker.said()).isNotZero();
        assertThat(broker.printed()).contains(says);
        assertThat(broker.handle()).isNull();
    }

    @Test
    @Execution(ExecutionMode.CONCURRENT)
    void twoOfOneNameAreRefused() throws Exception {
        PluginInstallation of = new PluginInstallation(Files.createDirectory(directory.resolve("names")));
        for (String jar : List.of("one", "two")) {
            of.jar(jar, "Refused", String.format(REFUSED, "", "return null;"), Map.of(AUTH, List.of("Refused")));
        }
        try (BrokerProcess broker = broker("names/broker", of).setting("authConfig", "{provider: refused}")) {
            assertRefused(broker, "is in more than one place: [one.jar, two.jar]");
        }
    }

    /** One whose factory lacks a method that is asked of it now. */
    @Test
    @Execution(ExecutionMode.CONCURRENT)
    void oneOfAnOlderApiThatCannotBeAskedIsPassedOverAndNamed() throws Exception {
        PluginInstallation of = new PluginInstallation(Files.createDirectory(directory.resolve("older")));
        of.jarAgainst(Map.of(AUTH, """
                        package io.godwit.plugin.auth;
                        public interface AuthProviderFactory { AuthProvider create() throws Exception; }
                        """), "older", "Older", """
                        public class Older implements io.godwit.plugin.auth.AuthProviderFactory {
                            @Override public io.godwit.plugin.auth.AuthProvider create() { return null; }
                        }
                        """, Map.of(AUTH, List.of("Older")));
        try (BrokerProcess broker = broker("older/broker", of).setting("authConfig", "{provider: older}")) {
            assertRefused(broker, "passed over: older.jar: java.lang.AbstractMethodError");
        }
    }

    // ---- what ends the process

    @ParameterizedTest
    @Execution(ExecutionMode.CONCURRENT)
    @CsvSource({
        "exit, it ended the process before this one by System.exit",
        "halt, a call of it was under way when the process before this one was killed",
        "memory, a call of it was under way when the process before this one was killed"
    })
    void nothingIsLostWithTheProcessAndTheNextStartNamesIt(String user, String suspicion) throws Exception {
        PluginInstallation of = new PluginInstallation(Files.createDirectory(directory.resolve(user)));
        BadPlugin.addTo(of);
        try (BrokerProcess broker = broker(user + "/broker", of);
                TestClient away = new TestClient(config(broker, "away", "ann"))) {
            start(broker);
            assertThat(away.connect().code()).isZero();
            away.subscribe("kept/#", 1);
            away.disconnect();
            try (TestClient publisher = new TestClient(config(broker, "publisher", "ann"))) {
                assertThat(publisher.connect().code()).isZero();
                for (int i = 0; i < 20; i++) {
                    publisher.publish("kept/" + i, "", 1).get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
                }
                publisher.disconnect();
            }
            try (TestClient last = new TestClient(config(broker, user, user).withCleanSession())) {
                last.connect();
                assertThat(last.isOpen()).as("the connection is closed").isFalse();
            } catch (java.io.IOException e) {
                assertThat(e).as("the connection breaks when the process ends").isNotNull();
            }
            Await.until("it ends", PATIENCE, () -> broker.handle() == null);

            start(broker);
            Path status = broker.data().resolve("godwit.status");
            Await.until("the status names it", PATIENCE, () -> {
                String text = Files.readString(status);
                return text.contains("warning=plugin bad (auth-provider) is suspected: " + suspicion)
                        && text.contains("plugin-faults.bad 1\n");
            });
            assertThat(of.use(broker, "bad").get("lastFailure").getAsString()).contains("suspected: " + suspicion);
            assertThat(away.connect().sessionPresent()).isTrue();
            for (int i = 0; i < 20; i++) {
                Packet.Publish next = away.next(PATIENCE);
                assertThat(next).as("message " + i).isNotNull();
                assertThat(next.topic()).isEqualTo("kept/" + i);
            }
            away.disconnect();

            broker.stop();
            start(broker);
            assertThat(of.use(broker, "bad").get("failures").getAsLong())
                    .as("the fault of the earlier run is not counted again")
                    .isZero();
        }
    }
}
