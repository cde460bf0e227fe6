package io.godwit.mqtt;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.conformance.Clause;
import io.godwit.dist.client.DistOutcome;
import io.godwit.mqtt.packet.ConnAck;
import io.godwit.mqtt.packet.Connect;
import io.godwit.mqtt.packet.Disconnect;
import io.godwit.mqtt.packet.PingReq;
import io.godwit.mqtt.packet.PingResp;
import io.godwit.mqtt.packet.PubAck;
import io.godwit.mqtt.packet.Publish;
import io.godwit.mqtt.packet.SubAck;
import io.godwit.mqtt.packet.Subscribe;
import io.godwit.mqtt.packet.field.ReasonCode;
import io.godwit.mqtt.packet.field.RetainHandling;
import io.godwit.mqtt.packet.field.Subscription;
import io.godwit.mqtt.session.core.SessionConfig;
import io.godwit.plugin.event.BrokerEvent;
import io.godwit.plugin.event.DropReason;
import io.godwit.plugin.message.MessageProperties;
import io.godwit.plugin.message.Qos;
import io.godwit.plugin.message.UserProperty;
import io.godwit.plugin.topic.TopicFilter;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Features of MQTT 5.0 only, over real sockets. */
class Mqtt5Test {
    private final TestNode node = new TestNode();

    @AfterEach
    void close() {
        node.close();
    }

    private static Connect connect(int receiveMaximum, long maximumPacketSize, int topicAliasMaximum) {
        return new Connect(
                5,
                true,
                0,
                "c",
                null,
                null,
                null,
                -1,
                receiveMaximum,
                maximumPacketSize,
                topicAliasMaximum,
                false,
                true,
                List.of(),
                null,
                null);
    }

    private static Publish withAlias(String topic, int alias, String payload) {
        return new Publish(
                0,
                false,
                Qos.AT_MOST_ONCE,
                false,
                topic,
                alias,
                payload.getBytes(StandardCharsets.UTF_8),
                MessageProperties.NONE,
                Publish.NO_SUBSCRIPTION_IDS);
    }

    @Test
    @Clause({"MQTT5-3.1.2-26", "MQTT5-3.2.2-17", "MQTT5-3.3.2-9", "MQTT5-3.3.2-11"})
    void topicAliasesStandForTopicsBothWays() {
        try (TestClient client = new TestClient(node.address, 5)) {
            ConnAck ack = client.connect(connect(-1, -1, 2));
            assertThat(ack.topicAliasMaximum()).isEqualTo(16);
            client.subscribe(1, "#", Qos.AT_MOST_ONCE);
            client.send(
                    withAlias("a", 16, "1"), withAlias("", 16, "2"), withAlias("b", 1, "3"), withAlias("c", 2, "4"));

            Publish first = client.receive(Publish.class);
            assertThat(first.topic()).isEqualTo("a");
            assertThat(first.topicAlias()).isEqualTo(1);
            Publish second = client.receive(Publish.class);
            assertThat(second.topic()).isEmpty();
            assertThat(second.topicAlias()).isEqualTo(1);
            assertThat(client.receive(Publish.class).topicAlias()).isEqualTo(2);
            Publish fourth = client.receive(Publish.class); // takes the alias used longest ago
            assertThat(fourth.topic()).isEqualTo("c");
            assertThat(fourth.topicAlias()).isEqualTo(1);

            client.send(withAlias("d", 17, "x"));
            assertThat(client.receive(Disconnect.class).reasonCode()).isEqualTo(ReasonCode.TOPIC_ALIAS_INVALID);
        }
    }

    @Test
    void anUnknownAliasIsAProtocolError() {
        try (TestClient client = TestClient.clean(node.address, 5, "c")) {
            client.send(withAlias("", 3, "x"));
            assertThat(client.receive(Disconnect.class).reasonCode()).isEqualTo(ReasonCode.PROTOCOL_ERROR);
        }
    }

    @Test
    @Clause("MQTT5-3.3.4-9")
    void theClientsReceiveMaximumHoldsForALiveSession() {
        try (TestClient client = new TestClient(node.address, 5)) {
            client.connect(connect(1, -1, -1));
            client.subscribe(1, "a", Qos.AT_LEAST_ONCE);
            client.send(
                    TestClient.publish(1, Qos.AT_LEAST_ONCE, false, "a", "1"),
                    TestClient.publish(2, Qos.AT_LEAST_ONCE, false, "a", "2"));
            Publish one = client.receive(Publish.class);
            client.receive(PubAck.class);
            client.receive(PubAck.class);
            client.send(new PubAck(one.packetId()));
            assertThat(client.receivePayload()).isEqualTo("2");
        }
    }

    @Test
    @Clause("MQTT5-3.3.4-7")
    void tooManyPublishesUnderWayAreAnError() {
        SessionConfig config =
                TestNode.config(2, SessionConfig.DEFAULTS.windows().sendWindow());
        try (TestNode strict = new TestNode(TestNode.TRANSPORT, config);
                TestClient client = TestClient.clean(strict.address, 5, "c")) {
            CompletableFuture<DistOutcome> first = new CompletableFuture<>(); // and so none is acknowledged
            strict.dist.answerNext(first);
            client.send(
                    TestClient.publish(1, Qos.AT_LEAST_ONCE, false, "a", "1"),
                    TestClient.publish(2, Qos.AT_LEAST_ONCE, false, "a", "2"),
                    TestClient.publish(3, Qos.AT_LEAST_ONCE, false, "a", "3"));
            assertThat(client.receive(Disconnect.class).reasonCode()).isEqualTo(ReasonCode.RECEIVE_MAXIMUM_EXCEEDED);
            first.complete(DistOutcome.DELIVERED);
        }
    }

    @Test
    @Clause({"MQTT5-3.1.2-24", "MQTT5-3.1.2-25"})
    void packetsLargerThanTheClientTakesAreDroppedAndReported() {
        try (TestClient client = new TestClient(node.address, 5)) {
            client.connect(connect(-1, 100, -1));
            client.subscribe(1, "a", Qos.AT_LEAST_ONCE);
            client.send(
                    TestClient.publish(1, Qos.AT_LEAST_ONCE, false, "a", "x".repeat(200)),
                    TestClient.publish(2, Qos.AT_LEAST_ONCE, false, "a", "small"));
            client.receive(PubAck.class);
            assertThat(client.receivePayload()).isEqualTo("small");
        }
        assertThat(node.events)
                .filteredOn(BrokerEvent.MessageDropped.class::isInstance)
                .extracting(event -> ((BrokerEvent.MessageDropped) event).reason())
                .containsExactly(DropReason.PACKET_TOO_LARGE);
    }

    @Test
    void propertiesPassThroughAndExpiryCountsDown() {
        MessageProperties properties = new MessageProperties(
                1, 60, "text/plain", "reply/here", new byte[] {1, 2}, List.of(new UserProperty("k", "v")));
        try (TestClient client = TestClient.clean(node.address, 5, "c")) {
            client.send(new Subscribe(
                    1,
                    List.of(
                            new Subscription(TopicFilter.parse("a").orElseThrow(), Qos.AT_MOST_ONCE),
                            new Subscription(TopicFilter.parse("+").orElseThrow(), Qos.AT_MOST_ONCE)),
                    7,
                    List.of()));
            client.receive(SubAck.class);
            client.send(new Publish(0, false, Qos.AT_MOST_ONCE, false, "a", new byte[0], properties));
            Publish publish = client.receive(Publish.class);
            assertThat(publish.properties().contentType()).isEqualTo("text/plain");
            assertThat(publish.properties().responseTopic()).isEqualTo("reply/here");
            assertThat(publish.properties().correlationData()).containsExactly(1, 2);
            assertThat(publish.properties().userProperties()).containsExactly(new UserProperty("k", "v"));
            assertThat(publish.properties().messageExpirySeconds()).isBetween(50L, 60L);
            assertThat(publish.subscriptionIds()).containsOnly(7);
        }
    }

    @Test
    @Clause({"MQTT5-4.6.0-2", "MQTT5-3.4.2-1"})
    void outcomesBecomeReasonCodesInTheOrderOfThePublishes() {
        CompletableFuture<DistOutcome> slow = new CompletableFuture<>();
        try (TestClient client = TestClient.clean(node.address, 5, "c")) {
            node.dist.answerNext(slow);
            client.send(
                    TestClient.publish(1, Qos.AT_LEAST_ONCE, false, "a", "1"),
                    TestClient.publish(2, Qos.AT_LEAST_ONCE, false, "a", "2"),
                    new PingReq());
            client.receive(PingResp.class);
            slow.complete(DistOutcome.OVERLOADED);
            PubAck first = client.receive(PubAck.class);
            assertThat(first.packetId()).isEqualTo(1);
            assertThat(first.reasonCode()).isEqualTo(ReasonCode.QUOTA_EXCEEDED);
            assertThat(client.receive(PubAck.class).reasonCode()).isEqualTo(ReasonCode.NO_MATCHING_SUBSCRIBERS);
        }
    }

    @Test
    void anExpiryInDisconnectNeedsOneInConnect() {
        try (TestClient client = TestClient.clean(node.address, 5, "c")) {
            client.send(new Disconnect(ReasonCode.SUCCESS, 10, null, List.of(), null));
            assertThat(client.receive(Disconnect.class).reasonCode()).isEqualTo(ReasonCode.PROTOCOL_ERROR);
        }
    }

    @Test
    void noLocalKeepsOwnPublishesAway() {
        try (TestClient client = TestClient.clean(node.address, 5, "c")) {
            TopicFilter filter = TopicFilter.parse("a").orElseThrow();
            client.send(new Subscribe(
                    1, List.of(new Subscription(filter, Qos.AT_MOST_ONCE, true, false, RetainHandling.SEND))));
            client.receive(SubAck.class);
            client.send(TestClient.publish(0, Qos.AT_MOST_ONCE, false, "a", "x"), new PingReq());
            client.receive(PingResp.class);
        }
    }
}
