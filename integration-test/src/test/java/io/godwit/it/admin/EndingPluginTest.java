package io.godwit.it.admin;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.it.broker.BrokerProcess;
import io.godwit.it.broker.PluginInstallation;
import io.godwit.it.broker.PluginWitness;
import io.godwit.it.client.ClientConfig;
import io.godwit.it.client.TestClient;
import io.godwit.it.wire.Packet;
import io.godwit.testing.Await;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * An interceptor, a listener and a SubBroker that end the process of a packaged broker, by the topic of a message.
 * {@link BadPluginTest} does the same with an auth provider. The broker goes on with its data for all tests.
 */
@Tag("full")
@Timeout(240)
class EndingPluginTest {
    private static final Duration PATIENCE = Duration.ofMinutes(2);
    private static final int MESSAGES = 10;

    /** Each ends the process once for each topic "end/NAME/HOW". */
    private static final String PLUGINS = """
            import io.godwit.plugin.context.*;
            import io.godwit.plugin.event.*;
            import io.godwit.plugin.intercept.*;
            import io.godwit.plugin.sub.*;
            import java.io.*;
            import java.nio.file.*;
            import java.util.ArrayList;
            import java.util.List;
            import java.util.concurrent.CompletableFuture;
            public class Ending {
                private static final List<byte[]> HOARD = new ArrayList<>();
                public abstract static class Base implements Plugin {
                    private PluginContext context;
                    @Override public void create(PluginContext given) { context = given; }
                    void actOn(String topic) {
                        String begin = "end/" + context.name() + "/";
                        if (!topic.startsWith(begin)) { return; }
                        String how = topic.substring(begin.length());
                        try {
                            Files.createFile(context.dataDirectory().resolve(how));
                        } catch (FileAlreadyExistsException e) {
                            return; // a message that comes again after the next start
                        } catch (IOException e) { throw new UncheckedIOException(e); }
                        while (how.equals("memory")) { HOARD.add(new byte[1 << 20]); }
                        try {
                            Runtime.class.getMethod(how, int.class).invoke(Runtime.getRuntime(), 0);
                        } catch (ReflectiveOperationException e) { throw new IllegalStateException(e); }
                    }
                }
                public static class In extends Base implements PublishInterceptorFactory {
                    @Override public String name() { return "in"; }
                    @Override public PublishInterceptor create() {
                        return (client, message) -> {
                            actOn(message.topic());
                            return Interception.UNCHANGED;
                        };
                    }
                }
                public static class Ear extends Base implements EventListenerFactory {
                    @Override public String name() { return "ear"; }
                    @Override public EventListener create() {
                        return new EventListener() {
                            @Override public boolean isListening(Class<? extends BrokerEvent> kind) {
                                return kind == BrokerEvent.PublishReceived.class;
                            }
                            @Override public void onEvent(BrokerEvent event) {
                                actOn(((BrokerEvent.PublishReceived) event).topic());
                            }
                        };
                    }
                }
                public static class Sink extends Base implements SubBrokerFactory {
                    @Override public String name() { return "sink"; }
                    @Override public SubBroker create() {
                        return new SubBroker() {
                            @Override public List<SubBrokerSubscription> subscriptions() {
                                return List.of(new SubBrokerSubscription("all", List.of("end/sink/#")));
                            }
                            @Override public CompletableFuture<Void> deliver(SubBrokerBatch batch) {
                                batch.messages().forEach(each -> actOn(each.message().topic()));
                                return CompletableFuture.completedFuture(null);
                            }
                        };
                    }
                }
            }
            """;

    @TempDir
    private static Path directory;

    private static BrokerProcess broker;
    private static PluginWitness witness;

    @BeforeAll
    @Timeout(240)
    static void start() throws Exception {
        PluginInstallation installation = new PluginInstallation(directory);
        installation.jar(
                "ending",
                "Ending",
                PLUGINS,
                Map.of(
                        "io.godwit.plugin.intercept.PublishInterceptorFactory",
                        List.of("Ending$In"),
                        "io.godwit.plugin.event.EventListenerFactory",
                        List.of("Ending$Ear"),
                        "io.godwit.plugin.sub.SubBrokerFactory",
                        List.of("Ending$Sink")));
        broker = new BrokerProcess(directory.resolve("broker"))
                .installedIn(installation.path())
                .setting("pluginConfig", "{publishInterceptors: [in], eventListeners: [ear]}")
                .setting("subBrokerConfig", "{plugins: sink}");
        witness = new PluginWitness(broker);
        startBroker();
    }

    @AfterAll
    static void stop() throws Exception {
        broker.close();
    }

    private static void startBroker() throws IOException {
        broker.launch();
        broker.awaitReady(PATIENCE);
    }

    private static ClientConfig config(String clientId) {
        return ClientConfig.of(broker.address(), clientId, 5);
    }

    private static int code(TestClient publisher, String topic) throws Exception {
        Packet.Ack ack = publisher.publish(topic, "", 1).get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
        assertThat(ack).isNotNull();
        return ack.code();
    }

    @ParameterizedTest
    @CsvSource({
        "in, publish-interceptor, exit",
        "in, publish-interceptor, halt",
        "in, publish-interceptor, memory",
        "ear, event-listener, exit",
        "ear, event-listener, halt",
        "ear, event-listener, memory",
        "sink, sub-broker, exit",
        "sink, sub-broker, halt",
        "sink, sub-broker, memory"
    })
    void nothingIsLostWithTheProcessAndTheNextStartNamesIt(String name, String kind, String how) throws Exception {
        String kept = "kept/" + name + '/' + how + '/';
        try (TestClient away = new TestClient(config("away-" + name + '-' + how));
                TestClient publisher = new TestClient(config("publisher").withCleanSession())) {
            assertThat(away.connect().code()).isZero();
            assertThat(away.subscribe(kept + '#', 1)).isEqualTo(1);
            away.disconnect();
            assertThat(publisher.connect().code()).isZero();
            if (name.equals("sink")) {
                Await.until("a route to the SubBroker", PATIENCE, () -> code(publisher, "end/sink") == 0);
            }
            for (int i = 0; i < MESSAGES; i++) {
                assertThat(code(publisher, kept + i)).isZero();
            }
            publisher.publish("end/" + name + '/' + how, "", 1); // perhaps nobody is left to acknowledge it
            Await.until("it ends", PATIENCE, () -> broker.handle() == null);
            startBroker();
            assertItIsNamed(name, kind, how);
            assertThat(away.connect().sessionPresent()).isTrue();
            for (int i = 0; i < MESSAGES; i++) {
                Packet.Publish next = away.next(PATIENCE);
                assertThat(next).as("message %d", i).isNotNull();
                assertThat(next.topic()).isEqualTo(kept + i);
            }
            away.disconnect();
        }
    }

    private static void assertItIsNamed(String name, String kind, String how) throws Exception {
        String suspicion = how.equals("exit")
                ? "it ended the process before this one by System.exit"
                : "a call of it was under way when the process before this one was killed";
        String warning = "warning=plugin " + name + " (" + kind + ") is suspected: " + suspicion;
        Path status = broker.data().resolve("godwit.status");
        Await.until(
                "the status names it", PATIENCE, () -> Files.readString(status).contains(warning));
        assertThat(witness.counted(name, "suspected")).isEqualTo(1);
        assertThat(witness.use(name).get("lastFailure").getAsString()).contains("suspected: " + suspicion);
        if (how.equals("exit")) { // after another end, a call of another plugin may have been under way
            assertThat(Files.readString(status).split("is suspected", -1))
                    .as("parts around the one suspect")
                    .hasSize(2);
        }
    }
}
