package io.godwit.it.cluster;

import static io.godwit.it.cluster.NodeClients.PATIENCE;
import static io.godwit.it.cluster.NodeClients.assertAcknowledged;
import static io.godwit.it.cluster.NodeClients.assertNothingMore;
import static io.godwit.it.cluster.NodeClients.next;
import static io.godwit.it.cluster.NodeClients.publish;
import static io.godwit.it.cluster.NodeClients.read;
import static io.godwit.it.cluster.NodeClients.text;
import static io.godwit.it.cluster.ThreeNodes.NODES;
import static io.godwit.it.cluster.ThreeNodes.inbox;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.it.client.AckPolicy;
import io.godwit.it.client.TestClient;
import io.godwit.it.wire.Packet;
import io.godwit.it.wire.Packet.Ack;
import io.godwit.it.wire.Properties;
import io.godwit.it.wire.RawConnection;
import io.godwit.testing.Await;
import java.net.SocketException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Stored sessions and client ids go from node to node. */
@Timeout(60)
abstract class SessionsAcrossNodes extends ClusterClients {
    private static final int TAKEN_OVER = 0x8E;
    private static final int QUOTA_EXCEEDED = 0x97;

    // --- persistent sessions

    @Test
    void aPersistentSubscriberIsServedByNodesThatDoNotLeadItsRange() throws Exception {
        for (int home = 0; home < NODES; home++) {
            for (int edge = 0; edge < NODES; edge++) {
                if (edge == home) {
                    continue;
                }
                String id = cluster.clientAt(home, inbox, "attached-" + edge);
                TestClient subscriber = clients.persistent(edge, id, 4 + (home + edge) % 2);
                TestClient publisher = clients.clean(NODES - home - edge, id + "-out", 5);
                assertThat(subscriber.subscribe("attached/" + id, 2)).isEqualTo(2);
                for (int qos = 1; qos <= 2; qos++) {
                    publish(publisher, "attached/" + id, "qos " + qos, qos);
                }
                Set<String> texts = new TreeSet<>();
                texts.add(text(next(subscriber, "the first of two")));
                texts.add(text(next(subscriber, "the second of two")));
                assertThat(texts).containsExactly("qos 1", "qos 2");
            }
        }
    }

    /** Half of it on one node, the rest on another; what is in flight between the two may come twice, but for QoS 2. */
    @Test
    void anOfflineQueueIsCompleteAndInOrderOverTwoNodes() throws Exception {
        int count = 150;
        AtomicInteger acksLeft = new AtomicInteger(count);
        AtomicBoolean acknowledgesAll = new AtomicBoolean();
        AckPolicy half = acknowledge -> {
            if (acknowledgesAll.get() || acksLeft.getAndDecrement() > 0) {
                acknowledge.run();
            }
        };
        TestClient subscriber = clients.connected(clients.config(0, cluster.clientAt(1, inbox, "offline"), 5)
                .withReceiveMaximum(20)
                .withAcks(half));
        assertThat(subscriber.subscribe("offline/#", 2)).isEqualTo(2);
        subscriber.disconnect();
        TestClient publisher = clients.clean(0, "offline-out", 5);
        List<CompletableFuture<Packet.@Nullable Ack>> acks = new ArrayList<>();
        List<String> texts = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            texts.add(Integer.toString(i));
            for (int qos = 1; qos <= 2; qos++) {
                Await.until("an open window", PATIENCE, publisher::canPublish);
                acks.add(publisher.publish("offline/" + qos, texts.get(i), qos));
            }
        }
        for (CompletableFuture<Packet.@Nullable Ack> ack : acks) {
            assertAcknowledged(ack, "offline");
        }
        clients.resume(subscriber, 1);
        Await.until("as many acknowledgements as it gives", PATIENCE, () -> acksLeft.get() < 0);
        subscriber.abort();
        acknowledgesAll.set(true);
        clients.resume(subscriber, 2);
        Map<Integer, List<String>> given = Map.of(1, new ArrayList<>(), 2, new ArrayList<>());
        while (!given.get(1).contains(texts.get(count - 1)) || !given.get(2).contains(texts.get(count - 1))) {
            Packet.Publish message = next(subscriber, "more than " + given);
            List<String> ofQos = given.get(message.qos());
            if (message.qos() == 2 || !message.dup() || !ofQos.contains(text(message))) {
                ofQos.add(text(message));
            }
        }
        assertNothingMore(subscriber);
        assertThat(given.get(1)).as("QoS 1").isEqualTo(texts);
        assertThat(given.get(2)).as("QoS 2").isEqualTo(texts);
    }

    @Test
    void whatIsInFlightComesAgainOnAnotherNodeUnderItsPacketIdInOrder() throws Exception {
        record Sent(int packetId, int qos, String payload) {
            static Sent of(Packet.Publish message) {
                return new Sent(message.packetId(), message.qos(), NodeClients.text(message));
            }
        }
        String id = cluster.clientAt(2, inbox, "in-flight");
        TestClient silent =
                clients.connected(clients.config(0, id, 5).withAcks(acknowledge -> {})); // acknowledges nothing
        assertThat(silent.subscribe("in-flight", 2)).isEqualTo(2);
        TestClient publisher = clients.clean(1, "in-flight-out", 5);
        silent.disconnect();
        for (int i = 0; i < 4; i++) {
            publish(publisher, "in-flight", "offline " + i, 1 + i % 2);
        }
        clients.resume(silent, 1);
        for (int i = 0; i < 4; i++) {
            publish(publisher, "in-flight", "online " + i, 1 + i % 2);
        }
        List<Sent> first = new ArrayList<>();
        for (int i = 0; i < 8; i++) {
            first.add(Sent.of(next(silent, "number " + i)));
        }
        silent.abort();
        TestClient resumed = clients.unconnected(clients.config(0, id, 5));
        clients.resume(resumed, 0);
        List<Sent> again = new ArrayList<>();
        for (int i = 0; i < 8; i++) {
            Packet.Publish message = next(resumed, "number " + i + " again");
            assertThat(message.dup()).as("DUP of %s", text(message)).isTrue();
            again.add(Sent.of(message));
        }
        assertThat(again).isEqualTo(first);
        assertNothingMore(resumed);
    }

    @Test
    void whatASubscriberHasReceivedIsReleasedToItOnAnotherNode() throws Exception {
        String id = cluster.clientAt(0, inbox, "received");
        RawConnection first = clients.raw(1, id, false);
        first.send(new Packet.Subscribe(1, List.of(new Packet.Request("received", 2)), Properties.NONE));
        assertThat(read(first, Packet.Suback.class).codes()).containsExactly(2);
        publish(clients.clean(2, "received-out", 5), "received", "x", 2);
        int packetId = read(first, Packet.Publish.class).packetId();
        first.send(new Ack(Ack.Kind.PUBREC, packetId, 0));
        assertThat(read(first, Ack.class)).isEqualTo(new Ack(Ack.Kind.PUBREL, packetId, 0));
        first.close();
        RawConnection second = clients.raw(2, id, true);
        assertThat(read(second, Ack.class)).isEqualTo(new Ack(Ack.Kind.PUBREL, packetId, 0));
        second.send(new Ack(Ack.Kind.PUBCOMP, packetId, 0));
        second.send(new Packet.PingRequest()); // answered behind it
        read(second, Packet.PingResponse.class);
    }

    @Test
    void aQos2MessageThatItsPublisherSendsAgainOverAnotherNodeIsDeliveredOnce() throws Exception {
        TestClient live = clients.clean(0, "again-live", 5);
        TestClient kept = clients.persistent(2, cluster.clientAt(1, inbox, "again-kept"), 5);
        for (TestClient subscriber : List.of(live, kept)) {
            assertThat(subscriber.subscribe("again", 2)).isEqualTo(2);
        }
        String id = cluster.clientAt(2, inbox, "again-out");
        RawConnection first = clients.raw(0, id, false);
        first.send(new Packet.Publish("again", "once".getBytes(UTF_8), 2, false, false, 7, Properties.NONE));
        assertThat(read(first, Ack.class)).isEqualTo(new Ack(Ack.Kind.PUBREC, 7, 0));
        first.close();
        RawConnection second = clients.raw(1, id, true);
        second.send(new Packet.Publish("again", "once".getBytes(UTF_8), 2, true, false, 7, Properties.NONE));
        assertThat(read(second, Ack.class).kind()).isEqualTo(Ack.Kind.PUBREC);
        second.send(new Ack(Ack.Kind.PUBREL, 7, 0));
        assertThat(read(second, Ack.class)).isEqualTo(new Ack(Ack.Kind.PUBCOMP, 7, 0));
        second.send(new Packet.Publish("again", "end".getBytes(UTF_8), 2, false, false, 8, Properties.NONE));
        assertThat(read(second, Ack.class)).isEqualTo(new Ack(Ack.Kind.PUBREC, 8, 0));
        for (TestClient subscriber : List.of(live, kept)) {
            assertThat(text(next(subscriber, "the message"))).isEqualTo("once");
            assertThat(text(next(subscriber, "the one behind it"))).isEqualTo("end");
            assertNothingMore(subscriber);
        }
    }

    // --- one connection for a client id

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void aSecondConnectOnAnotherNodeEndsTheFirstConnection(boolean persistent) throws Exception {
        for (int round = 0; round < 6; round++) {
            int node = round % NODES;
            int other = (node + 1 + round / NODES) % NODES;
            int version = round == 4 ? 4 : 5;
            String id = "twice-" + persistent + round;
            TestClient first = persistent ? clients.persistent(node, id, version) : clients.clean(node, id, version);
            assertThat(first.subscribe(id, 1)).isEqualTo(1);
            TestClient second = clients.unconnected(
                    persistent
                            ? clients.config(other, id, version)
                            : clients.config(other, id, version).withCleanSession());
            Packet.Connack reply = second.connect();
            assertThat(reply.code()).as("CONNACK of the second").isZero();
            assertThat(reply.sessionPresent()).isEqualTo(persistent);
            // sent before the CONNACK, but by another thread of this test perhaps read later
            Await.until("the first to be ended", Duration.ofSeconds(5), () -> !first.isOpen());
            if (version == 5) {
                assertThat(first.lastDisconnectCode()).isEqualTo(TAKEN_OVER);
            }
            if (!persistent) {
                assertThat(second.subscribe(id, 1)).isEqualTo(1);
            }
            publish(clients.clean(NODES - node - other, id + "-out", 5), id, "to the second", 1);
            assertThat(text(next(second, "what is published then"))).isEqualTo("to the second");
            assertThat(first.next(Duration.ZERO))
                    .as("messages that the first connection gets after the takeover")
                    .isNull();
        }
    }

    /** What is sent over the first behind the CONNACK of the second is not answered. */
    @Test
    void theFirstConnectionIsOverWhenTheSecondIsAccepted() throws Exception {
        for (int node = 0; node < NODES; node++) {
            String id = "over-" + node;
            RawConnection first = clients.raw(node, id, false);
            clients.persistent((node + 1) % NODES, id, 5);
            try {
                first.send(new Packet.PingRequest());
            } catch (SocketException e) {
                continue; // closed even to this end
            }
            Packet packet;
            while ((packet = first.read()) != null) {
                assertThat(packet).isInstanceOf(Packet.Disconnect.class);
            }
        }
    }

    // --- shared groups

    @Test
    void aGroupPrefersTheStoredMemberThatIsConnectedToWhicheverNode() throws Exception {
        TestClient first = clients.persistent(0, cluster.clientAt(1, inbox, "group-first"), 5);
        TestClient second = clients.persistent(1, cluster.clientAt(2, inbox, "group-second"), 5);
        List<TestClient> publishers = new ArrayList<>();
        for (int node = 0; node < NODES; node++) {
            publishers.add(clients.clean(node, "group-out-" + node, 5));
        }
        for (TestClient member : List.of(first, second)) {
            assertThat(member.subscribe("$share/g/connected", 1)).isEqualTo(1);
        }
        first.disconnect();
        awaitAllComeTo(second, publishers);
        second.disconnect();
        clients.resume(second, 2);
        awaitAllComeTo(second, publishers);
        clients.resume(first, 1);
        second.disconnect();
        awaitAllComeTo(first, publishers);
    }

    /** Nodes tell each other within 200 ms who is connected: after that all messages of all nodes come to it. */
    private static void awaitAllComeTo(TestClient member, List<TestClient> publishers) throws Exception {
        Await looks = Await.atMost(PATIENCE);
        int inARow = 0;
        for (int i = 0; inARow < 4 * NODES; i++) {
            String text = member.clientId() + ' ' + i;
            publish(publishers.get(i % NODES), "connected", text, 1);
            if (isGiven(member, text)) {
                inARow++;
            } else {
                inARow = 0;
                looks.again(() -> "messages go to others than " + member.clientId());
            }
        }
    }

    /** Passes over what was left for the member while it was offline. */
    private static boolean isGiven(TestClient member, String text) throws InterruptedException {
        Packet.Publish message;
        while ((message = member.next(NodeClients.QUIET)) != null) {
            if (text(message).equals(text)) {
                return true;
            }
        }
        return false;
    }

    // --- exclusive subscriptions

    @Test
    void anExclusiveSubscriptionExcludesClientsOfAllNodes() throws Exception {
        String filter = "$exclusive/exclusive/+";
        TestClient holder = clients.clean(0, "exclusive-live", 5);
        TestClient other = clients.clean(1, "exclusive-other", 5);
        TestClient kept = clients.persistent(2, "exclusive-kept", 5);
        assertThat(holder.subscribe(filter, 1)).isEqualTo(1);
        assertThat(other.subscribe(filter, 1)).as("beside a live one").isEqualTo(QUOTA_EXCEEDED);
        assertThat(kept.subscribe(filter, 1)).as("beside a live one").isEqualTo(QUOTA_EXCEEDED);
        publish(other, "exclusive/1", "x", 1);
        assertThat(next(holder, "its message").topic()).isEqualTo("exclusive/1");

        holder.disconnect();
        Await.until("the filter is free", () -> kept.subscribe(filter, 1) == 1);
        assertThat(other.subscribe(filter, 1)).as("beside a stored one").isEqualTo(QUOTA_EXCEEDED);
        kept.disconnect();
        assertThat(other.subscribe(filter, 1)).as("beside an offline one").isEqualTo(QUOTA_EXCEEDED);
        publish(other, "exclusive/2", "x", 1);
        clients.resume(kept, 0);
        assertThat(next(kept, "what it has missed").topic()).isEqualTo("exclusive/2");
        assertThat(kept.subscribe(filter, 0)).as("its own filter again").isZero();
        assertNothingMore(other);
    }
}
