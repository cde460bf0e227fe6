package io.godwit.mqtt;

import static org.assertj.core.api.Assertions.assertThat;

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
import io.godwit.mqtt.packet.field.Subscription;
import io.godwit.mqtt.packet.field.WillPacket;
import io.godwit.mqtt.tenant.CertificatePart;
import io.godwit.mqtt.tenant.TenantConfig;
import io.godwit.mqtt.tenant.TenantSource;
import io.godwit.mqtt.tenant.UnknownTenant;
import io.godwit.plugin.client.TenantId;
import io.godwit.plugin.event.BrokerEvent;
import io.godwit.plugin.event.DropReason;
import io.godwit.plugin.message.MessageProperties;
import io.godwit.plugin.message.Qos;
import io.godwit.plugin.tenant.TenantSetting;
import io.godwit.plugin.tenant.TenantSettings;
import io.godwit.plugin.topic.TopicFilter;
import io.godwit.testing.Await;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** The settings of a tenant apply to its clients, over sockets, and to no other client. */
class TenantsTest {
    private static final TenantId BIRDS = new TenantId("birds");
    private static final TenantConfig BY_USER = new TenantConfig(
            List.of(TenantSource.USER_NAME),
            true,
            false,
            UnknownTenant.REFUSE,
            "/",
            "",
            CertificatePart.SUBJECT_O,
            null);

    private static TestNode node() {
        return new TestNode(BY_USER, TestNode.onAnyPort(TestNode.LIMITS));
    }

    private static void say(TestNode node, TenantSettings settings) {
        node.server.tenants().replace(Map.of(BIRDS, settings));
    }

    private static TenantSettings.Builder settings() {
        return TenantSettings.builder();
    }

    private static Connect connect(int level, String user, @Nullable WillPacket will, int keepAlive, long expiry) {
        return new Connect(
                level,
                true,
                keepAlive,
                "c-" + user.replace('/', '-'),
                user,
                null,
                will,
                level == 5 ? expiry : -1,
                -1,
                -1,
                level == 5 ? 100 : -1,
                false,
                true,
                List.of(),
                null,
                null);
    }

    private static ConnAck answer(TestNode node, Connect connect) {
        try (TestClient client = new TestClient(node.address, connect.protocolLevel())) {
            return client.connect(connect);
        }
    }

    private static TestClient client(TestNode node, int level, String user) {
        TestClient client = new TestClient(node.address, level);
        assertThat(client.connect(connect(level, user, null, 0, 0)).reasonCode())
                .isEqualTo(ReasonCode.SUCCESS);
        return client;
    }

    private static WillPacket will(int bytes, Qos qos, boolean retain) {
        return new WillPacket("w", new byte[bytes], qos, retain, MessageProperties.NONE, 0);
    }

    @Test
    void whoseTenantIsUnknownIsRefusedWithAnEvent() {
        try (TestNode node = node()) {
            assertThat(answer(node, connect(5, "birds/lamp", null, 0, 0)).reasonCode())
                    .isEqualTo(ReasonCode.NOT_AUTHORIZED);
            assertThat(answer(node, connect(4, "birds/lamp", null, 0, 0)).reasonCode())
                    .isEqualTo(ReasonCode.NOT_AUTHORIZED);
            assertThat(node.events)
                    .filteredOn(BrokerEvent.ConnectDenied.class::isInstance)
                    .hasSize(2)
                    .allSatisfy(event -> assertThat(((BrokerEvent.ConnectDenied) event).detail())
                            .isEqualTo("its tenant is not known"));
            say(node, TenantSettings.NONE);
            try (TestClient known = client(node, 5, "birds/lamp")) {
                assertThat(known.isSilent()).isTrue();
                assertThat(node.events.stream()
                                .filter(BrokerEvent.ClientConnected.class::isInstance)
                                .map(event -> ((BrokerEvent.ClientConnected) event)
                                        .client()
                                        .tenant()))
                        .containsExactly(BIRDS);
            }
        }
    }

    @Test
    void connackTellsWhatApplies() {
        try (TestNode node = node()) {
            say(
                    node,
                    settings()
                            .set(TenantSetting.MAX_QOS, 1)
                            .set(TenantSetting.RETAIN, false)
                            .set(TenantSetting.WILDCARDS, false)
                            .set(TenantSetting.SHARED, false)
                            .set(TenantSetting.SUBSCRIPTION_IDENTIFIERS, false)
                            .set(TenantSetting.RECEIVE_MAXIMUM, 7)
                            .set(TenantSetting.TOPIC_ALIAS_MAXIMUM, 3)
                            .set(TenantSetting.MIN_KEEP_ALIVE_SECONDS, 60)
                            .set(TenantSetting.MIN_EXPIRY_SECONDS, 100)
                            .set(TenantSetting.MAX_EXPIRY_SECONDS, 200)
                            .build());
            ConnAck told = answer(node, connect(5, "birds/lamp", null, 5, 10));
            assertThat(told.maximumQos()).isEqualTo(1);
            assertThat(told.retainAvailable()).isFalse();
            assertThat(told.wildcardSubscriptionAvailable()).isFalse();
            assertThat(told.sharedSubscriptionAvailable()).isFalse();
            assertThat(told.subscriptionIdentifiersAvailable()).isFalse();
            assertThat(told.receiveMaximum()).isEqualTo(7);
            assertThat(told.topicAliasMaximum()).isEqualTo(3);
            assertThat(told.serverKeepAliveSeconds()).isEqualTo(60);
            assertThat(told.sessionExpirySeconds()).isEqualTo(100);
            assertThat(answer(node, connect(5, "birds/lamp", null, 90, 1_000)).sessionExpirySeconds())
                    .isEqualTo(200);
            assertThat(answer(node, connect(5, "birds/lamp", null, 90, 0)).sessionExpirySeconds())
                    .as("an expiry of 0 is not raised")
                    .isEqualTo(-1);
            ConnAck others = answer(node, connect(5, "lamp", null, 5, 10));
            assertThat(others.maximumQos()).isEqualTo(-1);
            assertThat(others.retainAvailable()).isTrue();
            assertThat(others.receiveMaximum()).isEqualTo(1_000);
            assertThat(others.serverKeepAliveSeconds()).isEqualTo(-1);
            assertThat(others.sessionExpirySeconds()).isEqualTo(-1);
        }
    }

    @Test
    void aConnectThatTheTenantMayNotHaveIsRefused() {
        try (TestNode node = node()) {
            say(
                    node,
                    settings()
                            .parse(TenantSetting.PROTOCOLS, "5.0")
                            .set(TenantSetting.MAX_WILL_BYTES, 10)
                            .set(TenantSetting.MAX_QOS, 1)
                            .set(TenantSetting.RETAIN, false)
                            .set(TenantSetting.MAX_CLIENT_ID_BYTES, 23)
                            .build());
            assertThat(answer(node, connect(4, "birds/a", null, 0, 0)).reasonCode())
                    .isEqualTo(ReasonCode.UNSUPPORTED_PROTOCOL_VERSION);
            assertThat(answer(node, connect(5, "birds/" + "a".repeat(16), null, 0, 0))
                            .reasonCode())
                    .isEqualTo(ReasonCode.CLIENT_IDENTIFIER_NOT_VALID);
            assertThat(refusalOf(node, will(11, Qos.AT_MOST_ONCE, false))).isEqualTo(ReasonCode.QUOTA_EXCEEDED);
            assertThat(refusalOf(node, will(10, Qos.EXACTLY_ONCE, false))).isEqualTo(ReasonCode.QOS_NOT_SUPPORTED);
            assertThat(refusalOf(node, will(10, Qos.AT_MOST_ONCE, true))).isEqualTo(ReasonCode.RETAIN_NOT_SUPPORTED);
            assertThat(refusalOf(node, will(10, Qos.AT_LEAST_ONCE, false))).isEqualTo(ReasonCode.SUCCESS);
        }
    }

    private static ReasonCode refusalOf(TestNode node, WillPacket will) {
        return answer(node, connect(5, "birds/a", will, 0, 0)).reasonCode();
    }

    @Test
    void beforeMqtt5AWillIsRefusedWithACodeThatThereIs() {
        try (TestNode node = node()) {
            say(node, settings().set(TenantSetting.MAX_QOS, 1).build());
            assertThat(answer(node, connect(4, "birds/a", will(1, Qos.EXACTLY_ONCE, false), 0, 0))
                            .reasonCode())
                    .isEqualTo(ReasonCode.NOT_AUTHORIZED);
        }
    }

    @Test
    void publishesAreRefusedAsSet() {
        try (TestNode node = node()) {
            say(
                    node,
                    settings()
                            .set(TenantSetting.MAX_PAYLOAD_BYTES, 10)
                            .set(TenantSetting.CHECK_PAYLOAD_FORMAT, true)
                            .set(TenantSetting.MAX_TOPIC_LEVELS, 3)
                            .set(TenantSetting.MAX_TOPIC_LEVEL_BYTES, 4)
                            .build());
            try (TestClient client = client(node, 5, "birds/lamp")) {
                assertThat(puback(client, 1, "t", "x".repeat(11))).isEqualTo(ReasonCode.QUOTA_EXCEEDED);
                assertThat(puback(client, 2, "a/b/c/d", "x")).isEqualTo(ReasonCode.TOPIC_NAME_INVALID);
                assertThat(puback(client, 3, "a/bcdef", "x")).isEqualTo(ReasonCode.TOPIC_NAME_INVALID);
                assertThat(puback(client, 4, "a/ééé", "x")).isEqualTo(ReasonCode.TOPIC_NAME_INVALID);
                assertThat(puback(client, 5, "a/éé", "x".repeat(10))).isEqualTo(ReasonCode.NO_MATCHING_SUBSCRIBERS);
                client.send(new Publish(6, false, Qos.AT_LEAST_ONCE, false, "t", new byte[] {(byte) 0xC0}, text()));
                assertThat(client.receive(PubAck.class).reasonCode()).isEqualTo(ReasonCode.PAYLOAD_FORMAT_INVALID);
                client.send(new Publish(
                        7, false, Qos.AT_LEAST_ONCE, false, "t", "é".getBytes(StandardCharsets.UTF_8), text()));
                assertThat(client.receive(PubAck.class).reasonCode()).isEqualTo(ReasonCode.NO_MATCHING_SUBSCRIBERS);
            }
        }
    }

    private static MessageProperties text() {
        return new MessageProperties(1, -1, null, null, null, List.of());
    }

    private static ReasonCode puback(TestClient client, int packetId, String topic, String payload) {
        client.send(TestClient.publish(packetId, Qos.AT_LEAST_ONCE, false, topic, payload));
        return client.receive(PubAck.class).reasonCode();
    }

    @Test
    void whatConnackHasRuledOutEndsTheConnection() {
        try (TestNode node = node()) {
            say(
                    node,
                    settings()
                            .set(TenantSetting.MAX_QOS, 0)
                            .set(TenantSetting.RETAIN, false)
                            .build());
            try (TestClient client = client(node, 5, "birds/lamp")) {
                client.send(TestClient.publish(1, Qos.AT_LEAST_ONCE, false, "t", "x"));
                assertThat(client.receive(Disconnect.class).reasonCode()).isEqualTo(ReasonCode.QOS_NOT_SUPPORTED);
            }
            try (TestClient client = client(node, 5, "birds/lamp")) {
                client.send(TestClient.publish(0, Qos.AT_MOST_ONCE, true, "t", "x"));
                assertThat(client.receive(Disconnect.class).reasonCode()).isEqualTo(ReasonCode.RETAIN_NOT_SUPPORTED);
            }
            try (TestClient client = client(node, 4, "birds/lamp")) {
                client.send(TestClient.publish(1, Qos.AT_LEAST_ONCE, false, "t", "x"));
                assertThat(client.isClosedByServer()).isTrue();
            }
        }
    }

    @Test
    void filtersAreRefusedAsSetAndGrantedTheHighestQos() {
        try (TestNode node = node()) {
            say(
                    node,
                    settings()
                            .set(TenantSetting.MAX_QOS, 1)
                            .set(TenantSetting.WILDCARDS, false)
                            .set(TenantSetting.SHARED, false)
                            .set(TenantSetting.SUBSCRIPTION_IDENTIFIERS, false)
                            .set(TenantSetting.MAX_FILTERS, 2)
                            .set(TenantSetting.MAX_FILTERS_PER_SUBSCRIBE, 1)
                            .build());
            try (TestClient client = client(node, 5, "birds/lamp")) {
                assertThat(suback(client, "a", 0)).isEqualTo(ReasonCode.GRANTED_QOS_1);
                assertThat(suback(client, "a/+", 0)).isEqualTo(ReasonCode.WILDCARD_SUBSCRIPTIONS_NOT_SUPPORTED);
                assertThat(suback(client, "$share/g/a", 0)).isEqualTo(ReasonCode.SHARED_SUBSCRIPTIONS_NOT_SUPPORTED);
                assertThat(suback(client, "a", 9)).isEqualTo(ReasonCode.SUBSCRIPTION_IDENTIFIERS_NOT_SUPPORTED);
                assertThat(suback(client, "b", 0)).isEqualTo(ReasonCode.GRANTED_QOS_1);
                assertThat(suback(client, "c", 0)).isEqualTo(ReasonCode.QUOTA_EXCEEDED);
                client.send(new Subscribe(2, List.of(filter("a"), filter("b"))));
                assertThat(client.receive(SubAck.class).reasonCodes())
                        .containsExactly(ReasonCode.GRANTED_QOS_1, ReasonCode.QUOTA_EXCEEDED);
            }
            try (TestClient other = client(node, 5, "lamp")) {
                assertThat(suback(other, "$share/g/+", 0)).isEqualTo(ReasonCode.GRANTED_QOS_2);
            }
        }
    }

    private static Subscription filter(String text) {
        return new Subscription(TopicFilter.parse(text).orElseThrow(), Qos.EXACTLY_ONCE);
    }

    private static ReasonCode suback(TestClient client, String filter, int identifier) {
        client.send(new Subscribe(1, List.of(filter(filter)), identifier == 0 ? -1 : identifier, List.of()));
        return client.receive(SubAck.class).reasonCodes().get(0);
    }

    @Test
    void theKeepAliveIsTheOneThatTheTenantImposes() {
        try (TestNode node = node()) {
            say(node, settings().set(TenantSetting.SERVER_KEEP_ALIVE_SECONDS, 1).build());
            try (TestClient client = new TestClient(node.address, 5)) {
                assertThat(client.connect(connect(5, "birds/lamp", null, 90, 0)).serverKeepAliveSeconds())
                        .isEqualTo(1);
                assertThat(client.receive(Disconnect.class).reasonCode()).isEqualTo(ReasonCode.KEEP_ALIVE_TIMEOUT);
            }
            assertThat(answer(node, connect(5, "lamp", null, 90, 0)).serverKeepAliveSeconds())
                    .isEqualTo(-1);
        }
    }

    @Test
    void noMoreIsUnderWayToAClientThanTheTenantMayHave() {
        try (TestNode node = node()) {
            say(node, settings().set(TenantSetting.SEND_MAXIMUM, 2).build());
            try (TestClient client = client(node, 5, "birds/lamp");
                    TestClient publisher = client(node, 5, "birds/switch")) {
                assertThat(suback(client, "t", 0)).isEqualTo(ReasonCode.GRANTED_QOS_2);
                for (int i = 1; i <= 3; i++) {
                    assertThat(puback(publisher, i, "t", "m" + i)).isEqualTo(ReasonCode.SUCCESS);
                }
                Publish first = client.receive(Publish.class);
                assertThat(TestClient.payload(first)).isEqualTo("m1");
                assertThat(client.receivePayload()).isEqualTo("m2");
                client.send(new PingReq());
                assertThat(client.receive())
                        .as("the third waits for an acknowledgement")
                        .isInstanceOf(PingResp.class);
                client.send(new PubAck(first.packetId()));
                assertThat(client.receivePayload()).isEqualTo("m3");
            }
        }
    }

    @Test
    void qos0BeyondTheBandwidthOfAConnectionIsDropped() {
        try (TestNode node = node()) {
            say(node, settings().set(TenantSetting.MAX_BANDWIDTH_OUT, 10_000).build());
            try (TestClient client = client(node, 5, "birds/lamp");
                    TestClient publisher = client(node, 5, "birds/switch")) {
                assertThat(suback(client, "t", 0)).isEqualTo(ReasonCode.GRANTED_QOS_2);
                Publish large = TestClient.publish(0, Qos.AT_MOST_ONCE, false, "t", "x".repeat(5_000));
                Await.until("a message is dropped", () -> {
                    publisher.send(large);
                    return node.events.stream()
                            .anyMatch(event -> event instanceof BrokerEvent.MessageDropped dropped
                                    && dropped.reason() == DropReason.BANDWIDTH);
                });
                assertThat(node.events)
                        .filteredOn(BrokerEvent.MessageDropped.class::isInstance)
                        .allSatisfy(event -> assertThat(((BrokerEvent.MessageDropped) event).tenant())
                                .isEqualTo(BIRDS));
            }
        }
    }

    @Test
    void exclusiveFiltersAreValidWhereTheTenantMayHaveThem() {
        try (TestNode node = node()) {
            say(node, settings().set(TenantSetting.EXCLUSIVE, true).build());
            try (TestClient client = client(node, 5, "birds/lamp");
                    TestClient second = client(node, 5, "birds/switch");
                    TestClient other = client(node, 5, "lamp")) {
                assertThat(suback(client, "$exclusive/t", 0)).isEqualTo(ReasonCode.GRANTED_QOS_2);
                assertThat(suback(second, "$exclusive/t", 0)).isEqualTo(ReasonCode.QUOTA_EXCEEDED);
                assertThat(suback(other, "$exclusive/t", 0)).isEqualTo(ReasonCode.TOPIC_FILTER_INVALID);
                say(node, settings().set(TenantSetting.EXCLUSIVE, false).build());
                Await.until("no longer", () -> suback(client, "$exclusive/u", 0) == ReasonCode.TOPIC_FILTER_INVALID);
            }
        }
    }

    @Test
    void aSessionHasNoMorePatternsThanTheTenantMayHave() {
        try (TestNode node = node()) {
            say(node, settings().set(TenantSetting.MAX_FILTER_PATTERNS, 1).build());
            try (TestClient client = client(node, 5, "birds/lamp")) {
                assertThat(suback(client, "a/+", 0)).isEqualTo(ReasonCode.GRANTED_QOS_2);
                assertThat(suback(client, "b/+", 0))
                        .as("the same pattern with another name")
                        .isEqualTo(ReasonCode.GRANTED_QOS_2);
                assertThat(suback(client, "a/#", 0)).isEqualTo(ReasonCode.QUOTA_EXCEEDED);
                assertThat(suback(client, "a/b", 0))
                        .as("a filter without a pattern")
                        .isEqualTo(ReasonCode.GRANTED_QOS_2);
            }
        }
    }

    @Test
    void aChangeReachesClientsThatAreConnected() {
        try (TestNode node = node()) {
            say(node, TenantSettings.NONE);
            try (TestClient client = client(node, 5, "birds/lamp");
                    TestClient other = client(node, 5, "lamp")) {
                assertThat(puback(client, 1, "t", "x".repeat(20))).isEqualTo(ReasonCode.NO_MATCHING_SUBSCRIBERS);
                say(node, settings().set(TenantSetting.MAX_PAYLOAD_BYTES, 10).build());
                Await.until("limited", () -> puback(client, 2, "t", "x".repeat(20)) == ReasonCode.QUOTA_EXCEEDED);
                assertThat(puback(other, 1, "t", "x".repeat(20))).isEqualTo(ReasonCode.NO_MATCHING_SUBSCRIBERS);
                node.server.tenants().replace(Map.of());
                Await.until(
                        "free again",
                        () -> puback(client, 3, "t", "x".repeat(20)) == ReasonCode.NO_MATCHING_SUBSCRIBERS);
            }
        }
    }

    @Test
    void aTenantHasNoMoreClientsThanItMay() {
        try (TestNode node = node()) {
            say(node, settings().set(TenantSetting.MAX_CONNECTIONS, 2).build());
            TestClient first = client(node, 5, "birds/1");
            try (TestClient second = client(node, 4, "birds/2")) {
                assertThat(answer(node, connect(5, "birds/3", null, 0, 0)).reasonCode())
                        .isEqualTo(ReasonCode.QUOTA_EXCEEDED);
                assertThat(node.events)
                        .filteredOn(BrokerEvent.ConnectRefused.class::isInstance)
                        .singleElement()
                        .asString()
                        .contains("its limit of clients");
                try (TestClient again = client(node, 5, "birds/1");
                        TestClient other = client(node, 5, "lamp")) {
                    assertThat(first.isClosedAfterWhatever()).isTrue();
                    assertThat(answer(node, connect(5, "birds/3", null, 0, 0)).reasonCode())
                            .isEqualTo(ReasonCode.QUOTA_EXCEEDED);
                    assertThat(second.isSilent() && again.isSilent() && other.isSilent())
                            .isTrue();
                }
                Await.until(
                        "there is room again",
                        () -> answer(node, connect(5, "birds/3", null, 0, 0)).reasonCode() == ReasonCode.SUCCESS);
            }
            Await.until("all have left", () -> node.server.tenants().accounts().connections(BIRDS) == 0);
        }
    }

    @Test
    void sessionsEndWithTheirConnectionWhereThatIsForced() {
        try (TestNode node = node()) {
            say(node, settings().set(TenantSetting.FORCE_TRANSIENT, true).build());
            Connect asked = new Connect(
                    5,
                    false,
                    0,
                    "kept",
                    "birds/lamp",
                    null,
                    null,
                    3600,
                    -1,
                    -1,
                    -1,
                    false,
                    true,
                    List.of(),
                    null,
                    null);
            try (TestClient client = new TestClient(node.address, 5)) {
                assertThat(client.connect(asked).sessionExpirySeconds()).isZero();
                client.subscribe(1, "t", Qos.AT_LEAST_ONCE);
                client.send(new Disconnect(ReasonCode.SUCCESS, 100, null, List.of(), null));
                assertThat(client.isClosedByServer()).isTrue();
            }
            assertThat(answer(node, asked).sessionPresent()).isFalse();
        }
    }
}
