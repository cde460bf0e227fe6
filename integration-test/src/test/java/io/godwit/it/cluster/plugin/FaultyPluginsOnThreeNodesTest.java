package io.godwit.it.cluster.plugin;

import static io.godwit.it.cluster.NodeClients.assertNothingMore;
import static io.godwit.it.cluster.NodeClients.next;
import static io.godwit.it.cluster.NodeClients.publish;
import static io.godwit.it.cluster.NodeClients.text;
import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.it.broker.PluginWitness;
import io.godwit.it.client.TestClient;
import io.godwit.it.cluster.NodeClients;
import io.godwit.it.wire.Packet;
import io.godwit.testing.Await;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestMethodOrder;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Plugins of each kind that misbehave on one of three packaged brokers: what they do has its effect on that node alone,
 * and every node names the plugin and its node. {@link FaultyPlugins} has the plugins.
 */
@Tag("full")
@Timeout(120)
@TestMethodOrder(MethodOrderer.OrderAnnotation.class)
class FaultyPluginsOnThreeNodesTest extends PluginClusterFixture {
    /** The node whose plugins misbehave. */
    private static final int FAULTY = 1;

    private static final List<String> FAULTS = List.of("throw", "null", "block");
    /** What the node calls them. */
    private static final List<String> NAMES = List.of("threw", "null-answer", "no-answer");

    private static final int IMPLEMENTATION_SPECIFIC_ERROR = 0x83;
    private static final int NOT_AUTHORIZED = 0x87;
    private static final int SERVER_UNAVAILABLE = 0x88;
    private static final int USE_ANOTHER_SERVER = 0x9C;

    @BeforeAll
    @Timeout(300)
    static void start() throws Exception {
        use(new PluginCluster(directory, FaultyPlugins.CLASS, FaultyPlugins.SOURCE, FaultyPlugins.SERVICES));
        for (int i = 0; i < NODES; i++) {
            nodes.settings(i, FaultyPlugins.NAMES, i == FAULTY ? ", faulty: true" : "");
            nodes.brokers()
                    .node(i)
                    .setting("authConfig", "{provider: auth, timeoutSeconds: 2, sessionsBelongToUsers: false}")
                    .setting(
                            "pluginConfig",
                            "{eventListeners: [ear, stuck, " + PluginWitness.LISTENER
                                    + "], publishInterceptors: [mark], deliverInterceptors: [stamp], "
                                    + "userProperties: [tag]}")
                    .setting("tenantConfig", TENANT_CONFIG)
                    .setting("redirectConfig", "{balancer: roam, serverReference: 'node" + i + ":1883'}")
                    .setting("subBrokerConfig", "{plugins: sink, timeoutSeconds: 1}")
                    .setting(
                            "storeConfig",
                            "{" + store(i, "dist", "null") + ", " + store(i, "inbox", "throw") + ", "
                                    + store(i, "retain", "block") + "}");
        }
        nodes.start();
        try (NodeClients first = new NodeClients(nodes.brokers())) {
            for (int i = 0; i < NODES; i++) {
                first.clean(i, "ear-stuck", 5); // a listener may take ten seconds: they pass while other tests run
            }
        }
    }

    private static String store(int node, String name, String fault) {
        String faults = node == FAULTY ? ", ranges.fault=" + fault + ", hint.fault=" + fault : "";
        return name + ": {balancers: [replica-count, ranges], splitHinter: hint, "
                + "balanceSettings: [replica-count.settleSeconds=1" + faults + "]}";
    }

    /** The faulty node tells of each fault of {@link #FAULTS}, and the other nodes have none to tell of. */
    private static void awaitAllTold(String plugin, long least) throws IOException {
        nodes.awaitFailuresOnlyOf(FAULTY, plugin, least);
        for (String name : NAMES) {
            nodes.awaitToldOnlyBy(FAULTY, plugin, name);
        }
    }

    /** Events and metrics of the faulty node alone tell of the same fault as the API. */
    private static void awaitLastTold(String plugin) throws IOException {
        String last = nodes.use(FAULTY, FAULTY, plugin).get("lastFailure").getAsString();
        nodes.awaitToldOnlyBy(FAULTY, plugin, last.substring(0, last.indexOf(':')));
    }

    // --- logins

    /** The code of the CONNACK for a client that does not stay. */
    private int answer(int node, String clientId, String user) throws IOException {
        TestClient client = clients.unconnected(
                clients.config(node, clientId, 5).withCleanSession().withLogin(user, "any"));
        int code = client.connect().code();
        client.disconnect();
        return code;
    }

    @Test
    void aFaultyAuthProviderRefusesClientsOnlyOnItsNode() throws Exception {
        for (int i = 0; i < NODES; i++) {
            TestClient publisher = clients.clean(i, "auth-out-" + i, 5);
            for (String fault : FAULTS) {
                assertThat(answer(i, "auth-" + i, "auth-" + fault))
                        .as("login, %s, node %d", fault, i)
                        .isEqualTo(i == FAULTY ? SERVER_UNAVAILABLE : 0);
                int code = NodeClients.code(publisher.publish("auth/" + fault, "x", 1), fault);
                assertThat(code == NOT_AUTHORIZED)
                        .as("publish, %s, node %d: code 0x%x", fault, i, code)
                        .isEqualTo(i == FAULTY);
            }
            assertThat(answer(i, "auth-" + i, "auth-good")).as("node %d", i).isZero();
        }
        awaitAllTold("auth", 2L * FAULTS.size());
    }

    @ParameterizedTest
    @ValueSource(strings = {"plan", "cap"})
    void aTenantIsRefusedOnlyOnTheNodeWhosePluginFails(String kind) throws Exception {
        for (int i = 0; i < NODES; i++) {
            for (String fault : FAULTS) {
                assertThat(answer(i, kind + i, kind + '-' + fault + "/user"))
                        .as("%s, node %d", fault, i)
                        .isEqualTo(i == FAULTY ? SERVER_UNAVAILABLE : 0);
            }
            assertThat(answer(i, kind + i, kind + "-good/user"))
                    .as("another tenant, node %d", i)
                    .isZero();
        }
        awaitAllTold(kind + 's', FAULTS.size());
    }

    @Test
    void aFaultyClientBalancerRedirectsNobodyFromItsNode() throws Exception {
        for (int i = 0; i < NODES; i++) {
            for (String fault : FAULTS) {
                assertThat(answer(i, "roam-" + i + fault, "any"))
                        .as("%s, node %d", fault, i)
                        .isEqualTo(i == FAULTY ? 0 : USE_ANOTHER_SERVER);
            }
        }
        awaitAllTold("roam", FAULTS.size());
    }

    // --- messages

    /** An interceptor of publishes, and a customizer of user properties. */
    @ParameterizedTest
    @ValueSource(strings = {"mark", "tag"})
    void aPublishIsRefusedOnlyOnTheNodeWhosePluginFails(String plugin) throws Exception {
        TestClient receiver = clients.clean(2, plugin + "-in", 5);
        assertThat(receiver.subscribe(plugin, 1)).isEqualTo(1);
        List<String> texts = new ArrayList<>(FAULTS);
        texts.add("good");
        List<String> expected = new ArrayList<>();
        List<CompletableFuture<Packet.@Nullable Ack>> acks = new ArrayList<>();
        for (int i = 0; i < NODES; i++) {
            TestClient publisher = clients.clean(i, plugin + "-out-" + i, 5);
            for (String text : texts) {
                acks.add(publisher.publish(plugin, text, 1));
            }
            expected.addAll(i == FAULTY ? List.of("good") : texts);
        }
        for (int i = 0; i < acks.size(); i++) {
            int node = i / texts.size();
            String text = texts.get(i % texts.size());
            assertThat(NodeClients.code(acks.get(i), plugin))
                    .as("%s, node %d", text, node)
                    .isEqualTo(node == FAULTY && FAULTS.contains(text) ? IMPLEMENTATION_SPECIFIC_ERROR : 0);
        }
        List<String> given = new ArrayList<>();
        for (int i = 0; i < expected.size(); i++) {
            given.add(text(next(receiver, "more than " + given)));
        }
        assertThat(given).containsExactlyInAnyOrderElementsOf(expected);
        assertNothingMore(receiver);
        awaitAllTold(plugin, FAULTS.size());
        nodes.assertAdminTellsFailuresOnlyOf(FAULTY, plugin, FAULTS.size());
    }

    @Test
    void aCopyIsDroppedOnlyForReceiversOfTheNodeWhosePluginFails() throws Exception {
        List<TestClient> others = List.of(clients.clean(0, "stamp-0", 5), clients.clean(2, "stamp-2", 5));
        List<TestClient> behind = List.of(
                clients.clean(FAULTY, "stamp-live", 5),
                clients.persistent(FAULTY, nodes.clientAt(2, "stamp-stored"), 5));
        for (List<TestClient> each : List.of(others, behind)) {
            for (TestClient receiver : each) {
                assertThat(receiver.subscribe("stamp", 1)).isEqualTo(1);
            }
        }
        TestClient publisher = clients.clean(0, "stamp-out", 5);
        for (String fault : FAULTS) {
            publish(publisher, "stamp", fault, 1);
        }
        publish(publisher, "stamp", "good", 1);
        for (TestClient each : others) {
            for (String fault : FAULTS) {
                assertThat(text(next(each, fault))).as(each.clientId()).isEqualTo(fault);
            }
        }
        for (List<TestClient> each : List.of(others, behind)) {
            for (TestClient receiver : each) {
                assertThat(text(next(receiver, "good"))).as(receiver.clientId()).isEqualTo("good");
                assertNothingMore(receiver);
            }
        }
        awaitAllTold("stamp", 2L * FAULTS.size());
    }

    // --- events

    @Test
    void listenersOfOtherNodesHearEverything() throws Exception {
        for (int i = 0; i < NODES; i++) {
            clients.clean(i, "ear-" + i + "-throw", 5);
            clients.clean(i, "ear-" + i + "-good", 5);
        }
        for (int i = 0; i < NODES; i++) {
            String good = "ear-" + i + "-good";
            nodes.awaitNote(i, "ear", good); // also after it has thrown
            if (i == FAULTY) {
                assertThat(nodes.notes(i, "stuck"))
                        .as("what the stuck listener takes")
                        .isEmpty();
            } else {
                nodes.awaitNote(i, "ear", "ear-" + i + "-throw");
                nodes.awaitNote(i, "stuck", "ear-stuck");
                nodes.awaitNote(i, "stuck", good);
            }
        }
        nodes.awaitFailuresOnlyOf(FAULTY, "ear", 1);
        nodes.awaitToldOnlyBy(FAULTY, "ear", "threw");
        nodes.awaitFailuresOnlyOf(FAULTY, "stuck", 1);
        nodes.awaitToldOnlyBy(FAULTY, "stuck", "no-answer");
    }

    // --- SubBrokers

    @Test
    void aFaultySubBrokerDelaysOnlyTheSubscriptionsOfItsNode() throws Exception {
        List<String> names = IntStream.range(0, FaultyPlugins.SUBSCRIPTIONS)
                .mapToObj(i -> i + "-" + List.of("throw", "null", "wait").get(i % 3))
                .toList();
        TestClient publisher = clients.clean(0, "sink-out", 5);
        for (String name : names) {
            Await.until(
                    "a route to " + name, () -> NodeClients.code(publisher.publish("sink/" + name, "x", 1), name) == 0);
        }
        Await.until(
                "each to be taken, or refused",
                () -> outcomes("failed ").size() + outcomes("took ").size() == names.size());
        Set<String> failed = outcomes("failed ");
        assertThat(failed).as("what node %d serves", FAULTY).isNotEmpty();
        assertThat(nodes.notes(FAULTY, "sink")).noneMatch(note -> note.startsWith("took "));
        nodes.awaitFailuresOnlyOf(FAULTY, "sink", failed.size());
        for (String name : failed) {
            String fault = name.endsWith("throw") ? "threw" : name.endsWith("null") ? "null-answer" : "no-answer";
            nodes.awaitToldOnlyBy(FAULTY, "sink", fault);
        }
        Files.createFile(nodes.shared("healed"));
        Await.until(
                () -> "all to be taken when the plugin works again; it had failed for " + failed,
                Await.PATIENCE,
                () -> outcomes("took ").size() == names.size());
        for (int i = 0; i < NODES; i++) {
            List<String> took = nodes.notes(i, "sink").stream()
                    .filter(note -> note.startsWith("took "))
                    .toList();
            assertThat(took).as("taken once, node %d", i).doesNotHaveDuplicates();
            assertThat(took.stream().map(note -> failed.contains(note.substring("took ".length()))))
                    .as("whether node %d takes what had failed: %s", i, took)
                    .containsOnly(i == FAULTY);
        }
    }

    /** The subscriptions of which a node notes this. */
    private static Set<String> outcomes(String what) throws IOException {
        Set<String> names = new TreeSet<>();
        for (int i = 0; i < NODES; i++) {
            names.addAll(nodes.notes(i, "sink").stream()
                    .filter(note -> note.startsWith(what))
                    .map(note -> note.substring(what.length()))
                    .collect(Collectors.toSet()));
        }
        return names;
    }

    // --- ranges

    @Test
    void balancersAndSplitHintersOfOtherNodesAreStillCalled() throws Exception {
        nodes.awaitFailuresOnlyOf(FAULTY, "ranges", FAULTS.size());
        awaitLastTold("ranges");
        nodes.awaitFailuresOnlyOf(FAULTY, "hint", 1);
        awaitLastTold("hint");
        for (int i = 0; i < NODES; i++) {
            int node = i;
            for (String plugin : List.of("ranges", "hint")) {
                Await.until(
                        plugin + " of node " + i + " to be called",
                        () -> nodes.use(node, node, plugin).get("calls").getAsLong() > 0);
            }
        }
        NodeClients.retain(clients.clean(FAULTY, "ranges-out", 5), "ranges", "kept");
        TestClient reader = clients.clean(2, "ranges-in", 5);
        assertThat(reader.subscribe("ranges", 1)).isEqualTo(1);
        assertThat(text(next(reader, "what was retained over the faulty node"))).isEqualTo("kept");
    }

    // --- the status

    /** It is written every ten seconds. */
    @Test
    @Order(Integer.MAX_VALUE) // after those that cause the faults
    void theStatusOfTheirNodeNamesThemAll() throws Exception {
        for (int i = 0; i < NODES; i++) {
            Path status = nodes.brokers().node(i).data().resolve("godwit.status");
            for (String plugin : FaultyPlugins.NAMES) {
                String name = "plugin-faults." + plugin + ' ';
                if (i == FAULTY) {
                    Await.until(name, () -> Files.readString(status).contains(name));
                } else {
                    assertThat(Files.readString(status)).as("node %d", i).doesNotContain(name);
                }
            }
        }
    }
}
