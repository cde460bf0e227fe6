package io.godwit.mqtt;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.mqtt.packet.ConnAck;
import io.godwit.mqtt.packet.Connect;
import io.godwit.mqtt.packet.field.ReasonCode;
import io.godwit.mqtt.session.core.SessionConfig;
import io.godwit.mqtt.transport.config.ListenerLimits;
import io.godwit.plugin.event.BrokerEvent;
import io.godwit.plugin.event.ConnectionLimit;
import io.godwit.plugin.message.Qos;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Several listeners, each with its own limits. */
class ListenerTest {
    private static Connect connect(int level, String clientId) {
        return new Connect(level, true, 0, clientId, null, null, null);
    }

    @Test
    void clientsOfDifferentListenersMeetAndEachListenerHasItsOwnPacketSize() {
        ListenerLimits small = new ListenerLimits(256, 0, 0, Duration.ofSeconds(5), 0, 0, 0, 0);
        try (TestNode node = new TestNode(TestNode.TRANSPORT, SessionConfig.DEFAULTS, TestNode.LIMITS, small);
                TestClient wide = TestClient.clean(node.addresses.get(0), 5, "wide");
                TestClient narrow = new TestClient(node.addresses.get(1), 5)) {
            assertThat(narrow.connect(connect(5, "narrow")).maximumPacketSize()).isEqualTo(256);
            wide.subscribe(1, "t", Qos.AT_MOST_ONCE);
            narrow.send(TestClient.publish(0, Qos.AT_MOST_ONCE, false, "t", "from the other side"));
            assertThat(wide.receivePayload()).isEqualTo("from the other side");
        }
    }

    /** MQTT 5.0, 3.2.2.2: 0x97; a 3.1.1 client is told "server unavailable". */
    @Test
    void aConnectionBeyondTheTotalIsRefusedUntilOneLeaves() {
        ListenerLimits one = new ListenerLimits(1024, 0, 0, Duration.ofSeconds(5), 1, 0, 0, 0);
        try (TestNode node = new TestNode(TestNode.TRANSPORT, SessionConfig.DEFAULTS, one)) {
            TestClient first = TestClient.clean(node.address, 5, "first");
            try (TestClient second = new TestClient(node.address, 5);
                    TestClient third = new TestClient(node.address, 4)) {
                assertThat(second.connect(connect(5, "second")).reasonCode()).isEqualTo(ReasonCode.QUOTA_EXCEEDED);
                assertThat(second.isClosedByServer()).isTrue();
                assertThat(third.connect(connect(4, "third")).reasonCode()).isEqualTo(ReasonCode.SERVER_UNAVAILABLE);
            }
            first.close();
            assertThat(awaitAdmission(node)).isEqualTo(ReasonCode.SUCCESS);
            assertThat(node.events)
                    .filteredOn(BrokerEvent.ConnectionRefused.class::isInstance)
                    .hasSizeGreaterThanOrEqualTo(2)
                    .first()
                    .extracting(event -> ((BrokerEvent.ConnectionRefused) event).limit())
                    .isEqualTo(ConnectionLimit.TOTAL);
        }
    }

    /** The server learns of the end of a connection a little later than the client. */
    private static ReasonCode awaitAdmission(TestNode node) {
        for (int attempt = 0; ; attempt++) {
            try (TestClient client = new TestClient(node.address, 5)) {
                ConnAck answer = client.connect(connect(5, "next"));
                if (answer.reasonCode() == ReasonCode.SUCCESS || attempt == 1000) {
                    return answer.reasonCode();
                }
            }
        }
    }

    @Test
    void aSourceThatConnectsTooFastIsRefused() {
        ListenerLimits slow = new ListenerLimits(1024, 0, 0, Duration.ofSeconds(5), 0, 0, 0, 5);
        try (TestNode node = new TestNode(TestNode.TRANSPORT, SessionConfig.DEFAULTS, slow)) {
            List<ReasonCode> answers = new ArrayList<>();
            for (int i = 0; i < 20; i++) { // within less than three seconds
                try (TestClient client = new TestClient(node.address, 5)) {
                    answers.add(client.connect(connect(5, "c" + i)).reasonCode());
                }
            }
            assertThat(answers).contains(ReasonCode.SUCCESS, ReasonCode.CONNECTION_RATE_EXCEEDED);
            assertThat(answers.subList(0, 5)).containsOnly(ReasonCode.SUCCESS);
        }
    }
}
