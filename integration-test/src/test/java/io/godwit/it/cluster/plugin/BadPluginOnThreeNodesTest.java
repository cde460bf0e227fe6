package io.godwit.it.cluster.plugin;

import static io.godwit.it.cluster.NodeClients.next;
import static io.godwit.it.cluster.NodeClients.text;
import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonObject;
import io.godwit.it.broker.BadPlugin;
import io.godwit.it.broker.BrokerProcess;
import io.godwit.it.broker.PluginInstallation;
import io.godwit.it.broker.PluginWitness;
import io.godwit.it.client.ClientConfig;
import io.godwit.it.client.TestClient;
import io.godwit.it.cluster.BrokerCluster;
import io.godwit.it.cluster.ClientPair;
import io.godwit.it.cluster.ClusterFixture;
import io.godwit.it.cluster.NodeClients;
import io.godwit.it.cluster.ThreeNodes;
import io.godwit.it.wire.Properties;
import io.godwit.testing.Await;
import java.io.IOException;
import java.nio.file.Files;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestMethodOrder;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Plugins that do what they must not on one of three packaged brokers, as clients of that node tell them. That node
 * names them, the other nodes have nothing to name, and their clients go on, also when the node ends.
 */
@Tag("full")
@Timeout(240)
@TestMethodOrder(MethodOrderer.OrderAnnotation.class)
class BadPluginOnThreeNodesTest extends ClusterFixture {
    private static final int NODES = ThreeNodes.NODES;
    /** The node whose plugins misbehave. */
    private static final int BAD = 1;

    private static final Duration PATIENCE = Duration.ofMinutes(2);
    private static final int SERVER_UNAVAILABLE = 0x88;
    private static final String LISTENERS = "io.godwit.plugin.event.EventListenerFactory";

    /** Is stuck in its first event of the topic "fill" until it is released. */
    private static final String FULL = """
            import io.godwit.plugin.context.*;
            import io.godwit.plugin.event.*;
            import java.nio.file.*;
            import java.util.concurrent.*;
            public class Full implements EventListenerFactory, Plugin {
                private PluginContext context;
                @Override public String name() { return "full"; }
                @Override public void create(PluginContext given) { context = given; }
                @Override public EventListener create() {
                    return new EventListener() {
                        @Override public boolean isListening(Class<? extends BrokerEvent> kind) {
                            return kind == BrokerEvent.PublishReceived.class;
                        }
                        @Override public void onEvent(BrokerEvent event) {
                            Path released = context.dataDirectory().resolve("released");
                            while (((BrokerEvent.PublishReceived) event).topic().equals("fill")
                                    && !Files.exists(released)) {
                                try { new CountDownLatch(1).await(20, TimeUnit.MILLISECONDS); }
                                catch (InterruptedException e) { /* goes on */ }
                            }
                        }
                    };
                }
            }
            """;

    /** Has the name of another plugin. */
    private static final String TWIN = """
            import io.godwit.plugin.auth.*;
            public class Twin implements AuthProviderFactory {
                @Override public String name() { return "bad"; }
                @Override public AuthProvider create() { return null; }
            }
            """;

    private static PluginInstallation installation;
    private static final List<PluginWitness> WITNESSES = new ArrayList<>();

    @BeforeAll
    @Timeout(300)
    static void start() throws Exception {
        installation = installation("program");
        cluster = new BrokerCluster(directory.resolve("brokers"), NODES);
        for (BrokerProcess node : cluster.nodes()) {
            WITNESSES.add(new PluginWitness(node));
            node.installedIn(installation.path())
                    .setting("authConfig", "{provider: bad, timeoutSeconds: 2, sessionsBelongToUsers: false}")
                    .setting("pluginConfig", "{eventListeners: [full, " + PluginWitness.LISTENER + "]}")
                    .setting("storeConfig", ThreeNodes.STORES_THAT_KEEP_LEADERS);
        }
        ThreeNodes.startWithAThirdEach(cluster);
    }

    private static PluginInstallation installation(String name) throws IOException {
        PluginInstallation made = new PluginInstallation(Files.createDirectory(directory.resolve(name)));
        BadPlugin.addTo(made);
        made.jar("full", "Full", FULL, Map.of(LISTENERS, List.of("Full")));
        PluginWitness.addListener(made);
        return made;
    }

    /** The code of the CONNACK for a client that does not stay. */
    private int answer(int node, String user) throws IOException {
        ClientConfig config =
                clients.config(node, "visitor-" + node, 5).withCleanSession().withLogin(user, "any");
        TestClient client = clients.unconnected(config);
        int code = client.connect().code();
        client.disconnect();
        return code;
    }

    private static JsonObject use(int asked, int node, String plugin) throws IOException {
        return WITNESSES.get(asked).use(cluster.id(node), plugin);
    }

    /** All nodes take clients, and whichever is asked tells of failures on the bad node alone. */
    private void assertOnlyTheBadNodeTells(String plugin, String fault) throws IOException {
        WITNESSES.get(BAD).awaitTold(plugin, fault);
        for (int asked = 0; asked < NODES; asked++) {
            assertThat(answer(asked, "ann")).as("a login on node %d", asked).isZero();
            for (int node = 0; node < NODES; node++) {
                JsonObject use = use(asked, node, plugin);
                assertThat(use.get("failures").getAsLong() > 0)
                        .as("failures on node %d, by node %d: %s", node, asked, use)
                        .isEqualTo(node == BAD);
            }
        }
    }

    // --- what it answers

    @ParameterizedTest
    @CsvSource({"undeclared, threw", "unspeakable, threw", "old, threw", "late, no-answer", "late, late-answer"})
    void whatIsNoAnswerIsRefusedAndNamedByItsNode(String user, String fault) throws Exception {
        assertThat(answer(BAD, user)).isEqualTo(SERVER_UNAVAILABLE);
        assertOnlyTheBadNodeTells("bad", fault);
    }

    /**
     * A late answer of another test may become its last failure. Each call waits for its report, since many failures
     * open the circuit.
     */
    @Test
    void oneThatWasCompiledForAnotherVersionIsNamedByAllNodes() throws Exception {
        Await.until("all nodes tell of the version", () -> {
            assertThat(answer(BAD, "old")).isEqualTo(SERVER_UNAVAILABLE);
            return Await.comesToHold(Duration.ofSeconds(4), BadPluginOnThreeNodesTest::allTellOfTheVersion);
        });
    }

    private static boolean allTellOfTheVersion() throws IOException {
        for (int asked = 0; asked < NODES; asked++) {
            String failure = use(asked, BAD, "bad").get("lastFailure").getAsString();
            if (!failure.contains("was it compiled for another version of plugin-api?")) {
                return false;
            }
        }
        return true;
    }

    /** The first answer counts, and tasks that do not fit into the queue of the executor are rejected. */
    @ParameterizedTest
    @ValueSource(strings = {"twice", "fills"})
    void whatIsWrongWithoutHarmIsAnswered(String user) throws Exception {
        assertThat(answer(BAD, user)).isZero();
        for (int i = 0; i < NODES; i++) {
            assertThat(answer(i, "ann")).as("node %d", i).isZero();
        }
    }

    // --- what it does besides

    @Test
    void threadsThatItLeaksAreToldOfByItsNode() throws Exception {
        assertThat(answer(BAD, "leaks")).isZero();
        assertOnlyTheBadNodeTells("bad", "too-many-threads");
        WITNESSES.get(BAD).awaitNamed("bad", "too-many-threads");
    }

    @Test
    void itsQueueOfEventsOverflowsOnItsNodeAlone() throws Exception {
        for (int i = 0; i < NODES; i++) {
            TestClient publisher = clients.clean(i, "fill-out-" + i, 5);
            int count = i == BAD ? 10_100 : 100; // more than wait for a listener, and few
            for (int number = 0; number < count; number++) {
                publisher.publish(i == BAD ? "fill" : "other", new byte[0], 0, false, Properties.NONE);
            }
            publisher.flush();
            assertThat(NodeClients.code(publisher.publish("other", "x", 1), "other"))
                    .isLessThan(0x80);
        }
        assertOnlyTheBadNodeTells("full", "queue-full");
        Files.createFile(cluster.node(BAD).data().resolve("plugins/full/released"));
    }

    @Test
    void itMayCallBackFromAnyThreadAndReachesClientsOfOtherNodes() throws Exception {
        TestClient subscriber = clients.clean(2, "listens", 5);
        assertThat(subscriber.subscribe("told", 1)).isEqualTo(1);
        assertThat(answer(BAD, "calls")).isZero();
        List<String> told = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            told.add(text(next(subscriber, "more than " + told)));
        }
        assertThat(told).containsExactlyInAnyOrder("within", "answer", "thread");
    }

    // --- how it ends its node

    @Test
    @Order(Integer.MAX_VALUE - 1) // after its queue has overflowed, and it was released
    void clientsOfOtherNodesGoOnWhenItExits() throws Exception {
        WITNESSES.get(BAD).awaitNamed("full", "queue-full");
        try (ClientPair pair = pair("exit")) {
            pair.start();
            endTheBadNode("exit");
            pair.awaitServed("when it has exited");
            assertATwinIsRefused();
            assertTheNextStartNamesIt("it ended the process before this one by System.exit");
            assertNothingWasLost(pair);
        }
    }

    @Test
    @Order(Integer.MAX_VALUE)
    void clientsOfOtherNodesGoOnWhenItTakesAllMemory() throws Exception {
        try (ClientPair pair = pair("memory")) {
            pair.start();
            endTheBadNode("memory");
            pair.awaitServed("when there was no more memory");
            assertTheNextStartNamesIt("a call of it was under way when the process before this one was killed");
            assertNothingWasLost(pair);
        }
    }

    private ClientPair pair(String name) {
        return new ClientPair(
                clients.config(0, name + "-out", 5),
                clients.config(2, name + "-in", 5),
                List.of(cluster.node(0).address()));
    }

    private void endTheBadNode(String user) throws Exception {
        try {
            answer(BAD, user);
        } catch (IOException e) {
            assertThat(e).as("the connection breaks when the process ends").isNotNull();
        }
        Await.until("the node ends", PATIENCE, () -> cluster.node(BAD).handle() == null);
    }

    private static void assertATwinIsRefused() throws Exception {
        PluginInstallation twins = installation("twins");
        twins.jar("twin", "Twin", TWIN, Map.of("io.godwit.plugin.auth.AuthProviderFactory", List.of("Twin")));
        BrokerProcess bad = cluster.node(BAD).installedIn(twins.path());
        bad.launch();
        assertThat(bad.startEnded(PATIENCE)).as(bad.said()).isNotZero();
        assertThat(bad.printed()).contains("is in more than one place: [bad.jar, twin.jar]");
        bad.installedIn(installation.path());
    }

    private static void assertTheNextStartNamesIt(String suspicion) throws Exception {
        cluster.node(BAD).launch();
        cluster.node(BAD).awaitReady(PATIENCE);
        for (int i = 0; i < NODES; i++) {
            int asked = i;
            Await.until( // the other nodes may not know of it at once
                    "node " + asked + " names it",
                    () -> WITNESSES.get(asked).get("/api/v1/plugins").contains("suspected: " + suspicion));
        }
        Await.until(
                "its status names it",
                () -> status(BAD).contains("warning=plugin bad (auth-provider) is suspected: " + suspicion));
        assertThat(WITNESSES.get(BAD).counted("bad", "suspected")).isEqualTo(1);
        for (int i = 0; i < NODES; i++) {
            assertThat(status(i).contains("is suspected")).as("node %d", i).isEqualTo(i == BAD);
        }
    }

    private static String status(int node) throws IOException {
        return Files.readString(cluster.node(node).data().resolve("godwit.status"));
    }

    private static void assertNothingWasLost(ClientPair pair) {
        pair.awaitServed("when its node is there again");
        assertThat(pair.isSubscriberConnected())
                .as("whether the connection to another node has lasted")
                .isTrue();
        assertThat(pair.finish()).as("what is wrong with the messages").isEmpty();
    }
}
