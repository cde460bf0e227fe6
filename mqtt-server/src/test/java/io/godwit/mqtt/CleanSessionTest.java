package io.godwit.mqtt;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.godwit.conformance.Clause;
import io.godwit.mqtt.packet.ConnAck;
import io.godwit.mqtt.packet.Connect;
import io.godwit.mqtt.packet.Disconnect;
import io.godwit.mqtt.packet.PingReq;
import io.godwit.mqtt.packet.PingResp;
import io.godwit.mqtt.packet.PubAck;
import io.godwit.mqtt.packet.PubComp;
import io.godwit.mqtt.packet.PubRec;
import io.godwit.mqtt.packet.PubRel;
import io.godwit.mqtt.packet.Publish;
import io.godwit.mqtt.packet.Subscribe;
import io.godwit.mqtt.packet.UnsubAck;
import io.godwit.mqtt.packet.Unsubscribe;
import io.godwit.mqtt.packet.field.ReasonCode;
import io.godwit.mqtt.packet.field.Subscription;
import io.godwit.plugin.message.Qos;
import io.godwit.plugin.topic.TopicFilter;
import io.netty.buffer.Unpooled;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Sessions that end with their connection, over real sockets. */
class CleanSessionTest {
    private final TestNode node = new TestNode();

    @AfterEach
    void close() {
        node.close();
    }

    @ParameterizedTest
    @ValueSource(ints = {3, 4, 5})
    void publishesReachSubscribersAtTheLowerQos(int level) {
        try (TestClient subscriber = TestClient.clean(node.address, level, "sub");
                TestClient publisher = TestClient.clean(node.address, level, "pub")) {
            assertThat(subscriber.subscribe(1, "a/+", Qos.AT_LEAST_ONCE).reasonCodes())
                    .containsExactly(ReasonCode.GRANTED_QOS_1);

            publisher.send(
                    TestClient.publish(0, Qos.AT_MOST_ONCE, false, "a/b", "zero"),
                    TestClient.publish(7, Qos.AT_LEAST_ONCE, false, "a/b", "one"),
                    TestClient.publish(8, Qos.EXACTLY_ONCE, false, "a/b", "two"));

            assertThat(publisher.receive(PubAck.class).packetId()).isEqualTo(7);
            assertThat(publisher.receive(PubRec.class).packetId()).isEqualTo(8);
            publisher.send(new PubRel(8, ReasonCode.SUCCESS));
            assertThat(publisher.receive(PubComp.class).packetId()).isEqualTo(8);

            assertThat(subscriber.receivePayload()).isEqualTo("zero");
            Publish one = subscriber.receive(Publish.class);
            assertThat(TestClient.payload(one)).isEqualTo("one");
            assertThat(one.qos()).isEqualTo(Qos.AT_LEAST_ONCE);
            Publish two = subscriber.receive(Publish.class);
            assertThat(TestClient.payload(two)).isEqualTo("two");
            assertThat(two.qos()).isEqualTo(Qos.AT_LEAST_ONCE);
            assertThat(two.packetId()).isNotEqualTo(one.packetId());
            subscriber.send(new PubAck(one.packetId()), new PubAck(two.packetId()));
        }
    }

    @Test
    void qos2GoesOutInFourPackets() {
        try (TestClient subscriber = TestClient.clean(node.address, 5, "sub");
                TestClient publisher = TestClient.clean(node.address, 4, "pub")) {
            subscriber.subscribe(1, "#", Qos.EXACTLY_ONCE);
            publisher.send(TestClient.publish(8, Qos.EXACTLY_ONCE, false, "a", "x"));
            Publish publish = subscriber.receive(Publish.class);
            subscriber.send(new PubRec(publish.packetId()));
            assertThat(subscriber.receive(PubRel.class).packetId()).isEqualTo(publish.packetId());
            subscriber.send(new PubComp(publish.packetId(), ReasonCode.SUCCESS));
        }
    }

    @Test
    @Clause({"MQTT5-4.3.3-10", "MQTT5-3.7.2-1"})
    void aRepeatedQos2PublishIsAcknowledgedAndNotDistributedAgain() {
        try (TestClient client = TestClient.clean(node.address, 5, "c")) {
            client.subscribe(1, "a", Qos.AT_MOST_ONCE);
            Publish publish = TestClient.publish(8, Qos.EXACTLY_ONCE, false, "a", "x");
            client.send(publish, publish, new PubRel(8, ReasonCode.SUCCESS), new PingReq());

            assertThat(client.receivePayload()).isEqualTo("x");
            assertThat(client.receive(PubRec.class).packetId()).isEqualTo(8);
            assertThat(client.receive(PubRec.class).packetId()).isEqualTo(8);
            assertThat(client.receive(PubComp.class).reasonCode()).isEqualTo(ReasonCode.SUCCESS);
            client.receive(PingResp.class);
            client.send(new PubRel(8, ReasonCode.SUCCESS));
            assertThat(client.receive(PubComp.class).reasonCode()).isEqualTo(ReasonCode.PACKET_IDENTIFIER_NOT_FOUND);
        }
    }

    @Test
    void manyPublishesArriveInOrderOnEverySubscriber() {
        int count = 2000;
        try (TestClient first = TestClient.clean(node.address, 4, "s1");
                TestClient second = TestClient.clean(node.address, 5, "s2");
                TestClient publisher = TestClient.clean(node.address, 4, "pub")) {
            first.subscribe(1, "t", Qos.AT_MOST_ONCE);
            second.subscribe(1, "t", Qos.AT_LEAST_ONCE);
            for (int i = 0; i < count; i++) {
                publisher.send(TestClient.publish(1 + i, Qos.AT_LEAST_ONCE, false, "t", "m" + i));
            }
            for (int i = 0; i < count; i++) {
                assertThat(publisher.receive(PubAck.class).packetId()).isEqualTo(1 + i);
                assertThat(first.receivePayload()).isEqualTo("m" + i);
                Publish publish = second.receive(Publish.class);
                assertThat(TestClient.payload(publish)).isEqualTo("m" + i);
                second.send(new PubAck(publish.packetId()));
            }
        }
    }

    @Test
    void unsubscribeEndsDeliveries() {
        try (TestClient client = TestClient.clean(node.address, 5, "c")) {
            client.subscribe(1, "a", Qos.AT_MOST_ONCE);
            client.send(new Unsubscribe(
                    2,
                    List.of(
                            TopicFilter.parse("a").orElseThrow(),
                            TopicFilter.parse("b").orElseThrow())));
            assertThat(client.receive(UnsubAck.class).reasonCodes())
                    .containsExactly(ReasonCode.SUCCESS, ReasonCode.NO_SUBSCRIPTION_EXISTED);
            client.send(TestClient.publish(3, Qos.AT_LEAST_ONCE, false, "a", "x"));
            assertThat(client.receive(PubAck.class).reasonCode()).isEqualTo(ReasonCode.NO_MATCHING_SUBSCRIBERS);
            assertThat(node.dist.size()).isZero();
        }
    }

    @Test
    void anEmptyClientIdIsAssigned() {
        try (TestClient client = new TestClient(node.address, 5)) {
            ConnAck ack = client.connect(new Connect(5, true, 0, "", null, null, null));
            assertThat(ack.assignedClientId()).startsWith("godwit");
            assertThat(ack.receiveMaximum()).isEqualTo(1000);
        }
        try (TestClient client = new TestClient(node.address, 4)) {
            assertThat(client.connect(new Connect(4, false, 0, "", null, null, null))
                            .reasonCode())
                    .isEqualTo(ReasonCode.CLIENT_IDENTIFIER_NOT_VALID);
            assertThat(client.isClosedByServer()).isTrue();
        }
    }

    @Test
    @Clause({"MQTT5-3.1.4-3", "MQTT5-3.14.4-2"})
    void aSecondConnectionTakesTheClientIdOver() {
        try (TestClient first = TestClient.clean(node.address, 5, "c")) {
            first.subscribe(1, "a", Qos.AT_MOST_ONCE);
            try (TestClient second = TestClient.clean(node.address, 5, "c")) {
                assertThat(first.receive(Disconnect.class).reasonCode()).isEqualTo(ReasonCode.SESSION_TAKEN_OVER);
                assertThat(first.isClosedByServer()).isTrue();
                second.send(new PingReq());
                second.receive(PingResp.class);
                assertThat(node.dist.size()).isZero();
            }
        }
    }

    @Test
    void faultsOfThePeerAreAnsweredByTheirReason() {
        try (TestClient v5 = TestClient.clean(node.address, 5, "v5");
                TestClient v4 = TestClient.clean(node.address, 4, "v4");
                TestClient stranger = new TestClient(node.address, 4)) {
            v5.sendBytes(Unpooled.wrappedBuffer(new byte[] {(byte) 0x82, 0})); // SUBSCRIBE without anything
            assertThat(v5.receive(Disconnect.class).reasonCode()).isEqualTo(ReasonCode.MALFORMED_PACKET);
            assertThat(v5.isClosedByServer()).isTrue();
            v4.sendBytes(Unpooled.wrappedBuffer(new byte[] {(byte) 0x82, 0}));
            assertThat(v4.isClosedByServer()).isTrue();
            stranger.sendBytes(Unpooled.copiedBuffer(new byte[] {'G', 'E', 'T', ' ', '/'}));
            assertThat(stranger.isClosedByServer()).isTrue();
        }
        assertThat(node.count("godwit.mqtt.protocol.errors")).isEqualTo(3);
    }

    @Test
    @Clause({"MQTT5-3.1.4-2", "MQTT5-4.12.0-1"})
    void anAuthenticationMethodIsRefused() {
        try (TestClient client = new TestClient(node.address, 5)) {
            Connect connect = new Connect(
                    5, true, 0, "c", null, null, null, -1, -1, -1, -1, false, true, List.of(), "SCRAM", null);
            assertThat(client.connect(connect).reasonCode()).isEqualTo(ReasonCode.BAD_AUTHENTICATION_METHOD);
            assertThat(client.isClosedByServer()).isTrue();
        }
    }

    @Test
    @Clause("MQTT311-3.2.0-1")
    void whatFollowsAConnectAtOnceIsServed() {
        try (TestClient client = new TestClient(node.address, 4)) {
            client.send(
                    new Connect(4, true, 0, "c", null, null, null),
                    new Subscribe(
                            1, List.of(new Subscription(TopicFilter.parse("a").orElseThrow(), Qos.AT_MOST_ONCE))),
                    TestClient.publish(0, Qos.AT_MOST_ONCE, false, "a", "x"),
                    new PingReq());
            client.receive(ConnAck.class);
            client.receive();
            assertThat(client.receivePayload()).isEqualTo("x");
            client.receive(PingResp.class);
        }
    }

    @Test
    void closingTellsClientsAndEndsTheirSessions() {
        try (TestClient client = TestClient.clean(node.address, 5, "c")) {
            client.subscribe(1, "a", Qos.AT_MOST_ONCE);
            node.close();
            assertThat(client.receive(Disconnect.class).reasonCode()).isEqualTo(ReasonCode.SERVER_SHUTTING_DOWN);
            assertThat(node.dist.size()).isZero();
            assertThat(node.directory.size()).isZero();
        }
    }

    @Test
    void clientsAreSentAwayOverATimeAndNewOnesAreNotTaken() throws Exception {
        List<TestClient> clients = new ArrayList<>();
        try {
            for (int i = 0; i < 4; i++) {
                clients.add(TestClient.clean(node.address, 5, "c" + i));
            }
            node.server.stopListening();
            assertThatThrownBy(() -> TestClient.clean(node.address, 5, "late")).isNotNull();
            long begin = System.nanoTime();
            CompletableFuture<Void> gone = node.server.sendAway(Duration.ofSeconds(2));
            for (TestClient client : clients) {
                assertThat(client.receive(Disconnect.class).reasonCode()).isEqualTo(ReasonCode.SERVER_SHUTTING_DOWN);
            }
            assertThat(System.nanoTime() - begin).isGreaterThan(TimeUnit.MILLISECONDS.toNanos(1_490));
            gone.get(10, TimeUnit.SECONDS);
        } finally {
            clients.forEach(TestClient::close);
        }
    }

    @Test
    void clientsAreToldOfAnotherServerWhereThereIsOne() {
        node.server.referTo("other.example:1883");
        try (TestClient client = TestClient.clean(node.address, 5, "c")) {
            node.close();
            Disconnect last = client.receive(Disconnect.class);
            assertThat(last.reasonCode()).isEqualTo(ReasonCode.USE_ANOTHER_SERVER);
            assertThat(last.serverReference()).isEqualTo("other.example:1883");
        }
    }
}
