package io.godwit.it.cluster.plugin;

import static io.godwit.it.cluster.NodeClients.PATIENCE;
import static io.godwit.it.cluster.NodeClients.QUIET;
import static io.godwit.it.cluster.NodeClients.assertAcknowledged;
import static io.godwit.it.cluster.NodeClients.assertNothingMore;
import static io.godwit.it.cluster.NodeClients.next;
import static io.godwit.it.cluster.NodeClients.publish;
import static io.godwit.it.cluster.NodeClients.text;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import io.godwit.it.client.TestClient;
import io.godwit.it.cluster.BrokerCluster;
import io.godwit.it.cluster.BrokerCluster.RangeLine;
import io.godwit.it.cluster.BrokerCluster.Way;
import io.godwit.it.cluster.ThreeNodes;
import io.godwit.it.wire.Packet;
import io.godwit.it.wire.Properties;
import io.godwit.testing.Await;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestMethodOrder;
import org.junit.jupiter.api.Timeout;

/**
 * Each kind of plugin in three packaged brokers, where a client, the home of its session and the other client are on
 * different nodes. {@link PluginsOfAllKinds} has the plugins.
 */
@Tag("full")
@Timeout(120)
@TestMethodOrder(MethodOrderer.OrderAnnotation.class)
class PluginsOnThreeNodesTest extends NodesWithPlugins {
    private static final int BAD_USER_NAME_OR_PASSWORD = 0x86;
    private static final int NOT_AUTHORIZED = 0x87;
    private static final int QUOTA_EXCEEDED = 0x97;
    private static final int ADMINISTRATIVE_ACTION = 0x98;
    private static final int USE_ANOTHER_SERVER = 0x9C;
    /** The property of a CONNACK. */
    private static final int SERVER_REFERENCE = 0x1C;

    /** The client id of the SubBroker's session. */
    private static final String SINK = "\0sub/sink/all";

    // --- clients

    @Test
    void eachNodeAsksItsAuthProvidersAndForgetsItsOwnDecisions() throws Exception {
        List<TestClient> insiders = new ArrayList<>();
        for (int i = 0; i < NODES; i++) {
            assertThat(answer(i, "gate-out")).as("node %d", i).isEqualTo(BAD_USER_NAME_OR_PASSWORD);
            assertThat(answer(i, "other"))
                    .as("by the next provider of node %d", i)
                    .isZero();
            insiders.add(clients.connected(config(i, "insider-" + i, "gate-in")));
            assertThat(code(insiders.get(i), "gate")).as("node %d", i).isLessThan(0x80);
        }
        Path shut = Files.createFile(nodes.shared("shut"));
        try {
            for (int i = 0; i < NODES; i++) {
                for (TestClient each : insiders.subList(i, NODES)) {
                    assertThat(code(each, "gate"))
                            .as("%s is remembered", each.clientId())
                            .isLessThan(0x80);
                }
                assertThat(answer(i, "gate-forget")).as("node %d", i).isZero();
                assertThat(code(insiders.get(i), "gate")).as("node %d", i).isEqualTo(NOT_AUTHORIZED);
                assertThat(Collections.frequency(nodes.notes(i, "gate"), "publish of insider-" + i))
                        .as("questions on node %d, at the first publish and after it has forgotten", i)
                        .isEqualTo(2);
            }
        } finally {
            Files.delete(shut);
        }
    }

    @Test
    void aPluginReachesClientsOfOtherNodesThroughTheBroker() throws Exception {
        TestClient victim = stored(2, 1, "victim", "say");
        String by = "by-" + victim.clientId();
        clients.connected(config(0, by, "gate-say"));
        assertThat(text(next(victim, "what the plugin of node 0 publishes"))).isEqualTo("from 0");
        nodes.awaitNote(0, "gate", "published DELIVERED null");
        clients.connected(config(0, by, "gate-kick"));
        nodes.awaitNote(0, "gate", "disconnected true null");
        Await.until("the client of node 2 to be disconnected", PATIENCE, () -> !victim.isOpen());
        assertThat(victim.lastDisconnectCode()).isEqualTo(ADMINISTRATIVE_ACTION);
        clients.resume(victim, 2);
        clients.connected(config(0, by, "gate-end"));
        nodes.awaitNote(0, "gate", "closed true null");
        assertThat(victim.connect().sessionPresent()).isFalse();
    }

    @Test
    void aClientIsRedirectedToAnotherNodeWhichTakesIt() throws Exception {
        for (int from = 0; from < NODES; from++) {
            int to = (from + 1) % NODES;
            InetSocketAddress target = nodes.brokers().node(to).address();
            TestClient client = clients.unconnected(clients.config(from, "roam-" + from + '-' + target.getPort(), 5)
                    .withCleanSession());
            Await looks = Await.atMost(PATIENCE);
            Packet.Connack reply = client.connect();
            while (reply.code() != USE_ANOTHER_SERVER) { // the other node's load is not known yet
                client.disconnect();
                Packet.Connack had = reply;
                looks.again(() -> client.clientId() + " to be redirected, but it gets " + had);
                reply = client.connect();
            }
            assertThat(reply.properties().entries()).contains(new Properties.Entry(SERVER_REFERENCE, reference(to)));
            nodes.awaitNote(from, "ear", "redirected " + client.clientId());
            client.moveTo(target);
            assertThat(client.connect().code()).as("CONNACK on node %d", to).isZero();
        }
    }

    // --- messages

    @Test
    void aPublishIsChangedOnceByTheNodeOfItsPublisher() throws Exception {
        TestClient live = clients.clean(1, "mark-live", 5);
        assertThat(live.subscribe("mark", 2)).isEqualTo(2);
        TestClient attached = stored(1, 2, "mark-attached", "mark");
        TestClient absent = stored(2, 1, "mark-absent", "mark");
        absent.disconnect();
        publish(clients.clean(0, "mark-out", 5), "mark", "x", 2);
        clients.resume(absent, 1);
        for (TestClient each : List.of(live, attached, absent)) {
            assertThat(text(next(each, "mark"))).as(each.clientId()).isEqualTo("x in0");
            assertNothingMore(each);
        }
    }

    @Test
    void aCopyIsChangedOnceByTheNodeOfItsReceiver() throws Exception {
        TestClient live = clients.clean(2, "stamp-live", 5);
        assertThat(live.subscribe("stamp", 2)).isEqualTo(2);
        TestClient attached = stored(1, 2, "stamp-attached", "stamp");
        TestClient absent = stored(2, 1, "stamp-absent", "stamp");
        absent.disconnect();
        publish(clients.clean(0, "stamp-out", 5), "stamp", "x", 1);
        clients.resume(absent, 0);
        assertThat(text(next(live, "stamp"))).isEqualTo("x out2");
        assertThat(text(next(attached, "stamp"))).isEqualTo("x out1");
        assertThat(text(next(absent, "stamp"))).isEqualTo("x out0");
    }

    @Test
    void aCopyIsDroppedForOneReceiverAndItsNodeTells() throws Exception {
        TestClient deaf = stored(1, 2, "deaf", "drop");
        TestClient keen = stored(2, 1, "keen", "drop");
        TestClient publisher = clients.clean(0, "drop-out", 5);
        publish(publisher, "drop", "secret", 1);
        publish(publisher, "drop", "end", 1);
        assertThat(text(next(deaf, "the second"))).isEqualTo("end");
        assertThat(text(next(keen, "the first"))).isEqualTo("secret");
        assertThat(text(next(keen, "the second"))).isEqualTo("end");
        String note = "dropped drop for " + deaf.clientId() + " INTERCEPTED";
        nodes.awaitNote(1, "ear", note);
        deaf.disconnect();
        clients.resume(deaf, 0);
        assertNothingMore(deaf);
        for (int i = 0; i < NODES; i++) {
            assertThat(Collections.frequency(nodes.notes(i, "ear"), note))
                    .as("events of the drop on node %d", i)
                    .isEqualTo(i == 1 ? 1 : 0);
        }
    }

    @Test
    void userPropertiesAreAddedOnceOnEachWay() throws Exception {
        TestClient live = clients.clean(2, "tag-live", 5);
        assertThat(live.subscribe("tag", 2)).isEqualTo(2);
        TestClient attached = stored(1, 2, "tag-attached", "tag");
        TestClient publisher = clients.clean(0, "tag-out", 5);
        Properties own = Properties.NONE.plus(property("own", "x"));
        CompletableFuture<Packet.@Nullable Ack> ack = publisher.publish("tag", "x".getBytes(UTF_8), 1, false, own);
        publisher.flush();
        assertAcknowledged(ack, "tag");
        assertThat(next(attached, "tag").properties().entries())
                .containsExactly(property("own", "x"), property("in", "0"), property("out", "1"));
        assertThat(next(live, "tag").properties().entries())
                .containsExactly(property("own", "x"), property("in", "0"), property("out", "2"));
    }

    private static Properties.Entry property(String name, String value) {
        return new Properties.Entry(Properties.USER_PROPERTY, new Properties.Pair(name, value));
    }

    // --- events

    @Test
    void onlyTheNodeOfAClientHearsItComeAndGo() throws Exception {
        for (int i = 0; i < NODES; i++) {
            clients.clean(i, "heard-" + i, 5);
        }
        clients.persistent(0, "heard-roving", 5);
        clients.persistent(2, "heard-roving", 5); // takes it over
        List<List<String>> expected = List.of(
                List.of("connected heard-0", "connected heard-roving", "disconnected heard-roving"),
                List.of("connected heard-1"),
                List.of("connected heard-2", "connected heard-roving"));
        for (int i = 0; i < NODES; i++) {
            for (String note : expected.get(i)) {
                nodes.awaitNote(i, "ear", note);
            }
        }
        for (int i = 0; i < NODES; i++) {
            int node = i;
            Await.holds(
                    "node " + i + " hears no more: " + heard(i),
                    QUIET,
                    () -> heard(node).equals(expected.get(node)));
        }
    }

    private static List<String> heard(int node) throws IOException {
        return nodes.notes(node, "ear").stream()
                .filter(note -> note.contains(" heard-"))
                .sorted()
                .toList();
    }

    // --- tenants

    @Test
    void aChangeOfATenantsSettingsReachesItsClientsOnAllNodes() throws Exception {
        List<TestClient> birds = new ArrayList<>();
        for (int i = 0; i < NODES; i++) {
            birds.add(clients.connected(config(i, "bird-" + i, "birds/user")));
            assertThat(birds.get(i).subscribe("b", 2)).as("QoS on node %d", i).isEqualTo(1);
            assertThat(answer(i, "nobody/user"))
                    .as("a tenant unknown to node %d", i)
                    .isEqualTo(NOT_AUTHORIZED);
        }
        TestClient other = clients.clean(1, "no-bird", 5);
        plans("birds 0", "cap 2");
        for (int i = 0; i < NODES; i++) {
            TestClient bird = birds.get(i);
            Await.until("node " + i + " grants only QoS 0", PATIENCE, () -> bird.subscribe("b", 2) == 0);
        }
        assertThat(birds).allMatch(TestClient::isOpen);
        assertThat(other.subscribe("b", 2)).as("QoS of another tenant").isEqualTo(2);
        plans("birds 1", "cap 2");
    }

    @Test
    void whicheverNodeRefusesWhatTheThrottlerDoesNotAllow() throws Exception {
        List<TestClient> capped = new ArrayList<>();
        for (int i = 0; i < NODES; i++) {
            capped.add(clients.connected(config(i, "capped-" + i, "cap/user")));
        }
        for (int i = 0; i < NODES; i++) {
            int node = i;
            nodes.awaitNote(i, "caps", "connections " + NODES); // told of those on all nodes
            Await.until("node " + i + " refuses one more", PATIENCE, () -> answer(node, "cap/user") == QUOTA_EXCEEDED);
            assertThat(answer(i, "birds/user"))
                    .as("another tenant on node %d", i)
                    .isZero();
        }
        capped.get(2).disconnect();
        Await.until("there is room again on node 0", PATIENCE, () -> answer(0, "cap/user") == 0);
        assertThat(capped.get(0).isOpen() && capped.get(1).isOpen()).isTrue();
    }

    // --- SubBrokers

    @Test
    void aSubBrokerGetsEachMessageOnceFromAllNodes() throws Exception {
        TakenMessages messages = new TakenMessages(nodes);
        messages.awaitServed(clients.clean(0, "sink-probe", 5));
        BrokerCluster brokers = nodes.brokers();
        RangeLine range = brokers.rangeOf(nodes.inbox(), SINK);
        int home = brokers.homeOf(nodes.inbox(), SINK);
        int other = (home + 1) % NODES;
        List<String> sent = publishFromAll("first");
        messages.awaitTaken(sent);
        assertThat(messages.taken().stream().filter(note -> note.startsWith("first")))
                .containsExactlyInAnyOrderElementsOf(sent);
        brokers.lead("inbox", range, other);
        List<String> later = publishFromAll("later");
        brokers.lead("inbox", ThreeNodes.ledBy(brokers.id(other), range), home);
        later.addAll(publishFromAll("last"));
        messages.awaitTaken(later);
    }

    @Test
    @Order(Integer.MAX_VALUE) // leaves two nodes
    void noMessageIsLostWithTheNodeThatServesASubBroker() throws Exception {
        TakenMessages messages = new TakenMessages(nodes);
        int served = messages.awaitServed(clients.clean(0, "sink-probe", 5));
        List<Integer> left =
                IntStream.range(0, NODES).filter(i -> i != served).boxed().toList();
        List<TestClient> publishers = new ArrayList<>();
        for (int node : left) {
            publishers.add(clients.clean(node, "sink-out-" + node, 5));
        }
        Map<String, CompletableFuture<Packet.@Nullable Ack>> acks = new LinkedHashMap<>();
        for (int i = 0; i < 60; i++) {
            if (i == 30) {
                nodes.brokers().node(served).kill();
            }
            acks.put("kill-" + i, publishers.get(i % 2).publish("sink", "kill-" + i, 1));
        }
        List<String> sent = new ArrayList<>();
        for (Map.Entry<String, CompletableFuture<Packet.@Nullable Ack>> each : acks.entrySet()) {
            Packet.@Nullable Ack ack = each.getValue().get(TakenMessages.PATIENCE.toSeconds(), TimeUnit.SECONDS);
            if (ack != null && ack.code() == 0) {
                sent.add(each.getKey());
            }
        }
        Await.until("one to be acknowledged after the kill", () -> code(publishers.get(0), "sink") == 0);
        messages.awaitTaken(sent);
        assertThat(sent).as("acknowledged of 60").hasSizeGreaterThan(30);
        assertThat(messages.awaitServed(publishers.get(1)))
                .as("the node that serves now")
                .isIn(left);
    }

    private List<String> publishFromAll(String stem) throws Exception {
        List<String> sent = new ArrayList<>();
        for (int node = 0; node < NODES; node++) {
            TestClient publisher = clients.clean(node, "sink-" + stem + node, 5);
            for (int i = 0; i < 10; i++) {
                String text = stem + '-' + node + '-' + i;
                publish(publisher, "sink", text, 1);
                sent.add(text);
            }
        }
        return sent;
    }

    // --- ranges

    @Test
    void balancersMoveLeadersAndSeeTheSplitHintsOfOtherNodes() throws Exception {
        BrokerCluster brokers = nodes.brokers();
        int highest = 0;
        for (int home = 0; home < NODES; home++) {
            highest = brokers.id(home).compareTo(brokers.id(highest)) > 0 ? home : highest;
            stored((home + 1) % NODES, home, "hint-" + home, "hint/" + home);
            TestClient publisher = clients.clean((home + 2) % NODES, "hint-out-" + home, 5);
            for (int i = 0; i < 100; i++) { // a hinter sees one of sixteen accesses
                publish(publisher, "hint/" + home, "x", 1);
            }
        }
        brokers.awaitVoters(0, "retain", 1, NODES);
        for (int node = 0; node < NODES; node++) {
            if (node != highest) {
                assertMovesTheLeaderAway(node, brokers.id(highest));
            }
        }
        for (int node = 0; node < NODES; node++) {
            for (int leader = 0; leader < NODES; leader++) {
                nodes.awaitNote(node, "highest", "hint of " + brokers.id(leader));
            }
        }
    }

    /** The balancer of this node, as soon as the node leads the range of retained messages. */
    private static void assertMovesTheLeaderAway(int node, String to) throws IOException {
        BrokerCluster brokers = nodes.brokers();
        Predicate<List<RangeLine>> isThere = ranges -> ranges.get(0).leader().equals(to);
        RangeLine range =
                brokers.awaitRanges(node, "retain", "leader " + to, isThere).get(0);
        long before = movesBy(node);
        brokers.atLast(Way.RPC, node, "transfer", "retain", range.id(), "--to", brokers.id(node));
        Await.until("the balancer of node " + node + " to move the leader", () -> movesBy(node) > before);
        brokers.awaitRanges(node, "retain", "leader " + to, isThere);
    }

    private static long movesBy(int node) throws IOException {
        JsonObject answer = nodes.brokers().done(Way.DATA, node, "balancers", "retain");
        for (JsonElement each : answer.getAsJsonArray("nodes")) {
            JsonObject told = each.getAsJsonObject();
            for (JsonElement balancer : told.getAsJsonArray("balancers")) {
                JsonObject one = balancer.getAsJsonObject();
                if (told.get("node").getAsString().equals(nodes.brokers().id(node))
                        && one.get("name").getAsString().equals("highest")) {
                    return one.get("done").getAsLong();
                }
            }
        }
        throw new AssertionError("no balancer \"highest\" of node " + node + " in " + answer);
    }
}
