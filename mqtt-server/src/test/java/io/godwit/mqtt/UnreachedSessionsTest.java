package io.godwit.mqtt;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.mqtt.packet.PubAck;
import io.godwit.mqtt.packet.PubRec;
import io.godwit.mqtt.packet.Publish;
import io.godwit.mqtt.packet.ReasonCode;
import io.godwit.mqtt.session.SessionConfig;
import io.godwit.plugin.event.BrokerEvent;
import io.godwit.plugin.message.Qos;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What a node answers that cannot promise that every matching session gets a publish. */
class UnreachedSessionsTest {
    private static final TestNode NODE = new TestNode(TestNode.TRANSPORT, promisingNothing());

    @AfterAll
    static void close() {
        NODE.close();
    }

    private static SessionConfig promisingNothing() {
        return SessionConfig.DEFAULTS.acknowledging(false);
    }

    /** Neither is it distributed, nor retained: its publisher takes it for one that went nowhere. */
    @Test
    void publishesThatAskForAPromiseAreRefusedAndThoseOfQos0AreServed() {
        int before = NODE.events.size();
        try (TestClient subscriber = TestClient.clean(NODE.address, 5, "subscriber");
                TestClient publisher = TestClient.clean(NODE.address, 5, "publisher")) {
            subscriber.subscribe(9, "a/#", Qos.EXACTLY_ONCE);
            publisher.send(
                    TestClient.publish(1, Qos.AT_LEAST_ONCE, false, "a/1", "x"),
                    TestClient.publish(2, Qos.EXACTLY_ONCE, false, "a/2", "x"),
                    TestClient.publish(3, Qos.AT_LEAST_ONCE, true, "a/3", "retained"),
                    TestClient.publish(0, Qos.AT_MOST_ONCE, false, "a/0", "x"));
            assertThat(publisher.receive(PubAck.class))
                    .isEqualTo(new PubAck(1, ReasonCode.IMPLEMENTATION_SPECIFIC_ERROR));
            assertThat(publisher.receive(PubRec.class))
                    .isEqualTo(new PubRec(2, ReasonCode.IMPLEMENTATION_SPECIFIC_ERROR));
            assertThat(publisher.receive(PubAck.class))
                    .isEqualTo(new PubAck(3, ReasonCode.IMPLEMENTATION_SPECIFIC_ERROR));
            assertThat(subscriber.receive(Publish.class).topic()).isEqualTo("a/0");
            try (TestClient late = TestClient.clean(NODE.address, 5, "late")) {
                late.subscribe(9, "a/#", Qos.AT_LEAST_ONCE);
                publisher.send(TestClient.publish(0, Qos.AT_MOST_ONCE, false, "a/last", "x"));
                assertThat(late.receive(Publish.class).topic()).isEqualTo("a/last");
            }
        }
        List<BrokerEvent.PublishRefused> refused = NODE.events.stream()
                .skip(before)
                .filter(BrokerEvent.PublishRefused.class::isInstance)
                .map(BrokerEvent.PublishRefused.class::cast)
                .toList();
        assertThat(refused)
                .hasSize(3)
                .allSatisfy(event ->
                        assertThat(event.toString()).contains("does not reach the live sessions of other nodes"));
    }

    /** MQTT 3.1.1 has no word for it; a PUBACK would be a lie. */
    @ParameterizedTest
    @ValueSource(ints = {1, 2})
    void underTheOlderVersionTheConnectionEndsWithoutAnAcknowledgement(int qos) {
        try (TestClient client = TestClient.clean(NODE.address, 4, "older")) {
            client.send(TestClient.publish(1, Qos.of(qos), false, "a", "x"));
            assertThat(client.isClosedByServer()).isTrue();
        }
    }
}
