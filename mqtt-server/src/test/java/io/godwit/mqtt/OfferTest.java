package io.godwit.mqtt;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.conformance.Clause;
import io.godwit.mqtt.packet.ConnAck;
import io.godwit.mqtt.packet.Connect;
import io.godwit.mqtt.packet.Disconnect;
import io.godwit.mqtt.packet.PubAck;
import io.godwit.mqtt.packet.PubComp;
import io.godwit.mqtt.packet.PubRec;
import io.godwit.mqtt.packet.PubRel;
import io.godwit.mqtt.packet.Publish;
import io.godwit.mqtt.packet.field.ReasonCode;
import io.godwit.mqtt.session.core.SessionConfig;
import io.godwit.mqtt.twin.MemoryAuth;
import io.godwit.plugin.message.MessageProperties;
import io.godwit.plugin.message.Qos;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What a configured broker announces in CONNACK, and how it enforces it. */
class OfferTest {
    private static TestNode node(
            int receiveMaximum, int topicAliasMaximum, long maxExpirySeconds, int keepAliveSeconds) {
        SessionConfig d = SessionConfig.DEFAULTS;
        SessionConfig config = d.with(
                        new SessionConfig.Windows(receiveMaximum, d.windows().sendWindow(), topicAliasMaximum))
                .with(new SessionConfig.Times(maxExpirySeconds, keepAliveSeconds, 0));
        // with something to be denied, for publishes to "no"
        return new TestNode(config, new MemoryAuth().onPublish(request -> MemoryAuth.unlessNo(request.topic())));
    }

    private static Connect connect(int level, long expirySeconds, int keepAliveSeconds) {
        return new Connect(
                level,
                false,
                keepAliveSeconds,
                "c",
                null,
                null,
                null,
                expirySeconds,
                -1,
                -1,
                -1,
                false,
                true,
                List.of(),
                null,
                null);
    }

    @Test
    @Clause("MQTT5-3.2.2-18")
    void withoutAnOfferOfAliasesNoneIsTaken() {
        try (TestNode node = node(10, 0, 0, 0);
                TestClient client = new TestClient(node.address, 5)) {
            assertThat(client.connect(connect(5, -1, 0)).topicAliasMaximum()).isLessThanOrEqualTo(0);
            client.send(new Publish(
                    0,
                    false,
                    Qos.AT_MOST_ONCE,
                    false,
                    "a",
                    1,
                    new byte[0],
                    MessageProperties.NONE,
                    Publish.NO_SUBSCRIPTION_IDS));
            assertThat(client.receive(Disconnect.class).reasonCode()).isEqualTo(ReasonCode.TOPIC_ALIAS_INVALID);
            assertThat(client.isClosedByServer()).isTrue();
        }
    }

    /** A QoS 2 publish is under way until PUBCOMP. */
    @Test
    @Clause("MQTT5-3.3.4-7")
    void oneMoreThanTheReceiveMaximumEndsTheConnection() {
        try (TestNode node = node(2, 0, 0, 0);
                TestClient client = new TestClient(node.address, 5)) {
            assertThat(client.connect(connect(5, -1, 0)).receiveMaximum()).isEqualTo(2);
            for (int round = 0; round < 3; round++) {
                client.send(
                        TestClient.publish(1, Qos.EXACTLY_ONCE, false, "a", "x"),
                        TestClient.publish(2, Qos.EXACTLY_ONCE, false, "a", "x"));
                client.receive(PubRec.class);
                client.receive(PubRec.class);
                client.send(new PubRel(1, ReasonCode.SUCCESS), new PubRel(2, ReasonCode.SUCCESS));
                client.receive(PubComp.class);
                client.receive(PubComp.class);
                client.send(TestClient.publish(3, Qos.AT_LEAST_ONCE, false, "a", "x"));
                client.receive(PubAck.class);
            }
            client.send(
                    TestClient.publish(1, Qos.EXACTLY_ONCE, false, "a", "x"),
                    TestClient.publish(2, Qos.EXACTLY_ONCE, false, "a", "x"));
            client.receive(PubRec.class);
            client.receive(PubRec.class);
            client.send(TestClient.publish(3, Qos.EXACTLY_ONCE, false, "a", "x"));
            assertThat(client.receive(Disconnect.class).reasonCode()).isEqualTo(ReasonCode.RECEIVE_MAXIMUM_EXCEEDED);
            assertThat(client.isClosedByServer()).isTrue();
        }
    }

    /** A refused publish is over: its place and its packet identifier are free. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    @Clause({"MQTT5-4.3.3-9", "MQTT5-3.5.2-1"})
    void afterARefusalThePacketIdMeansANewMessage(boolean kept) {
        try (TestNode node = node(1, 0, 3600, 0);
                TestClient watcher = TestClient.persistent(node.address, 5, "w");
                TestClient client = new TestClient(node.address, 5)) {
            watcher.subscribe(1, "#", Qos.EXACTLY_ONCE);
            client.connect(connect(5, kept ? 3600 : -1, 0));
            for (int i = 0; i < 3; i++) {
                client.send(TestClient.publish(9, Qos.EXACTLY_ONCE, false, "no", "refused"));
                assertThat(client.receive(PubRec.class).reasonCode().isError()).isTrue();
            }
            client.send(TestClient.publish(9, Qos.EXACTLY_ONCE, false, "a", "accepted"));
            assertThat(client.receive(PubRec.class).reasonCode()).isEqualTo(ReasonCode.SUCCESS);
            client.send(new PubRel(9, ReasonCode.SUCCESS));
            assertThat(client.receive(PubComp.class).reasonCode()).isEqualTo(ReasonCode.SUCCESS);
            assertThat(watcher.receivePayload()).isEqualTo("accepted");
        }
    }

    @Test
    void anExpiryBeyondTheLimitIsCutDownAndTold() {
        try (TestNode node = node(10, 0, 100, 0)) {
            assertThat(expiryTold(node, 99)).isEqualTo(-1);
            assertThat(expiryTold(node, 100)).isEqualTo(-1);
            assertThat(expiryTold(node, 101)).isEqualTo(100);
            assertThat(expiryTold(node, 0xFFFF_FFFFL)).isEqualTo(100);
            assertThat(expiryTold(node, 0)).isEqualTo(-1);
        }
    }

    private static long expiryTold(TestNode node, long asked) {
        try (TestClient client = new TestClient(node.address, 5)) {
            return client.connect(connect(5, asked, 0)).sessionExpirySeconds();
        }
    }

    /** A session of 3.1.1 names no expiry: it has the limit's. */
    @Test
    void aSessionOfTheOlderVersionLastsAsLongAsConfigured() {
        for (long maxExpirySeconds : new long[] {0, 100}) {
            try (TestNode node = node(10, 0, maxExpirySeconds, 0)) {
                for (int connection = 0; connection < 2; connection++) {
                    try (TestClient client = new TestClient(node.address, 4)) {
                        boolean isKept = maxExpirySeconds > 0 && connection > 0;
                        assertThat(client.connect(connect(4, -1, 0)).sessionPresent())
                                .isEqualTo(isKept);
                        client.send(Disconnect.NORMAL);
                        assertThat(client.isClosedByServer()).isTrue();
                    }
                }
            }
        }
    }

    @Test
    void aKeepAliveIsImposedOnlyWhereOneIsConfigured() {
        try (TestNode free = node(10, 0, 0, 0);
                TestNode strict = node(10, 0, 0, 30)) {
            for (int asked : new int[] {0, 10, 65_535}) {
                assertThat(keepAliveTold(free, asked)).isEqualTo(-1);
                assertThat(keepAliveTold(strict, asked)).isEqualTo(30);
            }
        }
    }

    private static int keepAliveTold(TestNode node, int asked) {
        try (TestClient client = new TestClient(node.address, 5)) {
            ConnAck connAck = client.connect(connect(5, -1, asked));
            return connAck.serverKeepAliveSeconds();
        }
    }
}
