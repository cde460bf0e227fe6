package io.godwit.mqtt;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.mqtt.packet.ConnAck;
import io.godwit.mqtt.packet.Connect;
import io.godwit.mqtt.packet.PingReq;
import io.godwit.mqtt.packet.PingResp;
import io.godwit.mqtt.packet.PubAck;
import io.godwit.mqtt.packet.PubComp;
import io.godwit.mqtt.packet.PubRec;
import io.godwit.mqtt.packet.PubRel;
import io.godwit.mqtt.packet.UnsubAck;
import io.godwit.mqtt.packet.Unsubscribe;
import io.godwit.mqtt.packet.field.ReasonCode;
import io.godwit.plugin.event.BrokerEvent;
import io.godwit.plugin.event.ConnectionLimit;
import io.godwit.plugin.event.PublishRefusalCause;
import io.godwit.plugin.event.SubscribeRefusalCause;
import io.godwit.plugin.event.ThrottleCause;
import io.godwit.plugin.message.Qos;
import io.godwit.plugin.topic.TopicFilter;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Refusals while memory is short, and normal service afterwards. */
class MemoryShortTest {
    private final HandMemory memory = new HandMemory();

    private static ConnAck connect(TestNode node, int level) {
        try (TestClient client = new TestClient(node.address, level)) {
            return client.connect(new Connect(level, true, 0, "another", null, null, null));
        }
    }

    private void set(TestNode node, boolean isShort) {
        memory.heap = isShort ? 90 : 20;
        ReasonCode expected = isShort ? ReasonCode.QUOTA_EXCEEDED : ReasonCode.SUCCESS;
        for (int attempt = 0; connect(node, 5).reasonCode() != expected; attempt++) {
            assertThat(attempt).isLessThan(5000);
        }
    }

    @Test
    void clientsOfVersion5AreToldWhatIsRefused() {
        try (TestNode node = new TestNode(memory);
                TestClient client = TestClient.clean(node.address, 5, "c")) {
            client.subscribe(1, "t", Qos.EXACTLY_ONCE);
            client.send(TestClient.publish(7, Qos.EXACTLY_ONCE, false, "other", "begun before"));
            client.receive(PubRec.class);
            set(node, true);

            client.send(
                    TestClient.publish(0, Qos.AT_MOST_ONCE, false, "t", "x"),
                    TestClient.publish(1, Qos.AT_LEAST_ONCE, false, "t", "x"),
                    TestClient.publish(2, Qos.EXACTLY_ONCE, false, "t", "x"),
                    TestClient.publish(7, Qos.EXACTLY_ONCE, false, "other", "begun before"),
                    new PubRel(7, ReasonCode.SUCCESS));
            assertThat(client.receive(PubAck.class).reasonCode()).isEqualTo(ReasonCode.QUOTA_EXCEEDED);
            assertThat(client.receive(PubRec.class).reasonCode()).isEqualTo(ReasonCode.QUOTA_EXCEEDED);
            assertThat(client.receive(PubRec.class).reasonCode()).isEqualTo(ReasonCode.SUCCESS);
            assertThat(client.receive(PubComp.class).packetId()).isEqualTo(7);
            assertThat(client.subscribe(2, "u", Qos.AT_MOST_ONCE).reasonCodes())
                    .containsExactly(ReasonCode.QUOTA_EXCEEDED);
            client.send(new Unsubscribe(3, List.of(TopicFilter.parse("t").orElseThrow()), List.of()), PingReq.INSTANCE);
            assertThat(client.receive(UnsubAck.class).reasonCodes()).containsExactly(ReasonCode.SUCCESS);
            client.receive(PingResp.class);
            assertThat(node.count("godwit.mqtt.publishes.refused")).isEqualTo(3);
            assertThat(node.events)
                    .anyMatch(event -> event instanceof BrokerEvent.PublishRefused refused
                            && refused.cause() == PublishRefusalCause.MEMORY_SHORT)
                    .anyMatch(event -> event instanceof BrokerEvent.SubscribeRefused refused
                            && refused.cause() == SubscribeRefusalCause.MEMORY_SHORT);
            assertThat(connect(node, 5).reasonCode()).isEqualTo(ReasonCode.QUOTA_EXCEEDED);
            assertThat(node.events)
                    .hasAtLeastOneElementOfType(BrokerEvent.MemoryShort.class)
                    .filteredOn(BrokerEvent.ConnectionRefused.class::isInstance)
                    .extracting(event -> ((BrokerEvent.ConnectionRefused) event).limit())
                    .containsOnly(ConnectionLimit.MEMORY);

            set(node, false);
            assertThat(client.subscribe(4, "u", Qos.AT_MOST_ONCE).reasonCodes()).containsExactly(ReasonCode.SUCCESS);
            client.send(TestClient.publish(2, Qos.EXACTLY_ONCE, false, "none", "x"));
            assertThat(client.receive(PubRec.class).reasonCode()).isEqualTo(ReasonCode.NO_MATCHING_SUBSCRIBERS);
        }
    }

    /** Its session has the message, and only the client can end the exchange. */
    @Test
    void aRepetitionOnTheNextConnectionIsTaken() {
        try (TestNode node = new TestNode(memory)) {
            try (TestClient client = TestClient.persistent(node.address, 5, "c")) {
                client.send(TestClient.publish(7, Qos.EXACTLY_ONCE, false, "t", "begun before"));
                client.receive(PubRec.class);
            }
            try (TestClient client = TestClient.persistent(node.address, 5, "c")) {
                set(node, true);
                client.send(
                        TestClient.publish(7, Qos.EXACTLY_ONCE, false, "t", "begun before"),
                        TestClient.publish(8, Qos.EXACTLY_ONCE, false, "t", "x"));
                assertThat(client.receive(PubRec.class)).isEqualTo(new PubRec(7));
                assertThat(client.receive(PubRec.class)).isEqualTo(new PubRec(8, ReasonCode.QUOTA_EXCEEDED));
                client.send(new PubRel(7, ReasonCode.SUCCESS));
                assertThat(client.receive(PubComp.class).packetId()).isEqualTo(7);
            }
        }
    }

    /** A CONNECT on a connection that was there before memory was short. */
    @Test
    void aConnectThatComesTooLateIsRefused() {
        try (TestNode node = new TestNode(memory);
                TestClient client = new TestClient(node.address, 4)) {
            set(node, true);
            assertThat(client.connect(new Connect(4, true, 0, "c", null, null, null))
                            .reasonCode())
                    .isEqualTo(ReasonCode.SERVER_UNAVAILABLE);
            assertThat(connect(node, 4).reasonCode()).isEqualTo(ReasonCode.SERVER_UNAVAILABLE);
        }
    }

    /** 3.1.1 cannot refuse a publish: packets already read are accepted, and nothing more is read. */
    @Test
    void publishersOfTheOlderVersionAreReadNoMore() {
        try (TestNode node = new TestNode(memory);
                TestClient client = TestClient.clean(node.address, 4, "c")) {
            set(node, true);
            assertThat(client.subscribe(1, "t", Qos.AT_MOST_ONCE).reasonCodes())
                    .containsExactly(ReasonCode.UNSPECIFIED_ERROR);
            client.send(TestClient.publish(1, Qos.AT_LEAST_ONCE, false, "t", "x"));
            client.receive(PubAck.class);
            client.send(PingReq.INSTANCE);
            assertThat(node.events)
                    .filteredOn(BrokerEvent.ThrottlingBegan.class::isInstance)
                    .extracting(event -> ((BrokerEvent.ThrottlingBegan) event).cause())
                    .containsExactly(ThrottleCause.MEMORY);
            connect(node, 5); // passes through the same loop, which would have answered by now
            assertThat(client.isSilent()).isTrue();

            set(node, false);
            client.receive(PingResp.class);
        }
    }
}
