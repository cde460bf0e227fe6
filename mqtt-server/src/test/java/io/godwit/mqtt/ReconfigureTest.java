package io.godwit.mqtt;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.godwit.mqtt.auth.AuthConfig;
import io.godwit.mqtt.codec.DecodeLimits;
import io.godwit.mqtt.packet.ConnAck;
import io.godwit.mqtt.packet.Connect;
import io.godwit.mqtt.packet.PubAck;
import io.godwit.mqtt.packet.field.ReasonCode;
import io.godwit.mqtt.session.core.SessionConfig;
import io.godwit.mqtt.topic.TopicLimits;
import io.godwit.mqtt.topic.TopicRules;
import io.godwit.mqtt.transport.config.BanConfig;
import io.godwit.mqtt.transport.config.ListenerLimits;
import io.godwit.mqtt.transport.config.MemoryConfig;
import io.godwit.mqtt.transport.config.TransportConfig;
import io.godwit.plugin.message.Qos;
import java.time.Duration;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Limits that change while clients are connected. */
class ReconfigureTest {
    private static final TopicLimits FLAT = new TopicLimits(2, 65_535, 10, 10, 10);

    private static ListenerLimits limits(int maxPacketBytes, int maxConnections, int perSource) {
        return new ListenerLimits(maxPacketBytes, 0, 0, Duration.ofSeconds(5), maxConnections, perSource, 0, 0);
    }

    private static MqttConfig config(SessionConfig session, DecodeLimits decoding, ListenerLimits... limits) {
        TransportConfig t = TestNode.TRANSPORT;
        return new MqttConfig(
                Stream.of(limits).map(TestNode::onAnyPort).toList(),
                new TransportConfig(
                        t.eventLoops(),
                        t.packLoops(),
                        t.io(),
                        t.maxUnwrittenBytes(),
                        t.maxHalfReceivedBytes(),
                        decoding,
                        t.drainTimeout()),
                session,
                AuthConfig.DEFAULTS,
                TopicRules.NONE,
                MemoryConfig.DEFAULTS,
                BanConfig.DEFAULTS);
    }

    private static ReasonCode connect(TestNode node, String clientId) {
        try (TestClient client = new TestClient(node.address, 5)) {
            return connect(client, clientId).reasonCode();
        }
    }

    private static ConnAck connect(TestClient client, String clientId) {
        return client.connect(new Connect(5, true, 0, clientId, null, null, null));
    }

    @Test
    void connectionsFromThenOnHaveTheNewLimitsAndOthersTheirs() {
        try (TestNode node = new TestNode();
                TestClient before = TestClient.clean(node.address, 5, "before")) {
            node.server.reconfigure(config(TestNode.config(7, 7).with(FLAT), DecodeLimits.DEFAULTS, limits(300, 0, 0)));
            try (TestClient after = new TestClient(node.address, 5)) {
                ConnAck answer = connect(after, "after");
                assertThat(answer.receiveMaximum()).isEqualTo(7);
                assertThat(answer.maximumPacketSize()).isEqualTo(300);
                after.send(TestClient.publish(1, Qos.AT_LEAST_ONCE, false, "a/b/c", "deep"));
                assertThat(after.receive(PubAck.class).reasonCode()).isEqualTo(ReasonCode.TOPIC_NAME_INVALID);
                after.send(TestClient.publish(2, Qos.AT_LEAST_ONCE, false, "a", "x".repeat(300)));
                assertThat(after.isClosedAfterWhatever()).isTrue();
            }
            before.send(TestClient.publish(1, Qos.AT_LEAST_ONCE, false, "a/b/c", "x".repeat(300)));
            assertThat(before.receive(PubAck.class).reasonCode()).isEqualTo(ReasonCode.NO_MATCHING_SUBSCRIBERS);
        }
    }

    /** Else a limit set on a full broker would let the same number in again. */
    @Test
    void connectionsThatAreOpenCount() {
        try (TestNode node = new TestNode()) {
            TestClient first = TestClient.clean(node.address, 5, "first");
            try (TestClient second = TestClient.clean(node.address, 5, "second")) {
                assertThat(second.isSilent()).isTrue();
                node.server.reconfigure(config(SessionConfig.DEFAULTS, DecodeLimits.DEFAULTS, limits(1000, 2, 0)));
                assertThat(connect(node, "third")).isEqualTo(ReasonCode.QUOTA_EXCEEDED);
                first.close();
                assertThat(admitted(node)).isTrue();
                node.server.reconfigure(config(SessionConfig.DEFAULTS, DecodeLimits.DEFAULTS, limits(1000, 0, 0)));
                assertThat(connect(node, "fourth")).isEqualTo(ReasonCode.SUCCESS);
            }
        }
    }

    /** The server learns of the end of a connection a little later than the client. */
    private static boolean admitted(TestNode node) {
        return Stream.generate(() -> connect(node, "next")).limit(1_000).anyMatch(ReasonCode.SUCCESS::equals);
    }

    @Test
    void limitsOfDecodingAreForConnectionsFromThenOn() {
        try (TestNode node = new TestNode()) {
            node.server.reconfigure(config(SessionConfig.DEFAULTS, new DecodeLimits(64, 0, 0, 1), limits(1000, 0, 0)));
            try (TestClient client = new TestClient(node.address, 5)) {
                client.send(new Connect(5, true, 0, "c".repeat(100), null, null, null));
                assertThat(client.isClosedAfterWhatever()).isTrue();
            }
        }
    }

    /** Measured in UTF-8: the last one has characters of 2, 3 and 4 bytes. */
    @Test
    void clientIdsThatAreTooLongAreRefused() {
        try (TestNode node = new TestNode()) {
            assertThat(connect(node, "c".repeat(1_024))).isEqualTo(ReasonCode.SUCCESS);
            assertThat(connect(node, "c".repeat(1_025))).isEqualTo(ReasonCode.CLIENT_IDENTIFIER_NOT_VALID);
            node.server.reconfigure(
                    config(SessionConfig.DEFAULTS.withClientIds(30), DecodeLimits.DEFAULTS, limits(1000, 0, 0)));
            String nine = "\u00e9\u20ac\uD83D\uDC26";
            assertThat(connect(node, nine.repeat(3) + "abc")).isEqualTo(ReasonCode.SUCCESS);
            assertThat(connect(node, nine.repeat(3) + "abcd")).isEqualTo(ReasonCode.CLIENT_IDENTIFIER_NOT_VALID);
        }
    }

    @Test
    void listenersCannotBeAdded() {
        try (TestNode node = new TestNode()) {
            MqttConfig two =
                    config(SessionConfig.DEFAULTS, DecodeLimits.DEFAULTS, limits(1000, 0, 0), limits(1000, 0, 0));
            assertThatThrownBy(() -> node.server.reconfigure(two)).hasMessage("listeners must be 1, were 2");
            assertThat(connect(node, "a")).isEqualTo(ReasonCode.SUCCESS);
        }
    }
}
