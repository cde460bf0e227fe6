package io.godwit.mqtt;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.mqtt.packet.ConnAck;
import io.godwit.mqtt.packet.Connect;
import io.godwit.mqtt.packet.Disconnect;
import io.godwit.mqtt.packet.PubAck;
import io.godwit.mqtt.packet.Publish;
import io.godwit.mqtt.packet.SubAck;
import io.godwit.mqtt.packet.Subscribe;
import io.godwit.mqtt.packet.field.ReasonCode;
import io.godwit.mqtt.packet.field.Subscription;
import io.godwit.mqtt.quota.Holdings;
import io.godwit.mqtt.quota.TenantAccount;
import io.godwit.mqtt.tenant.CertificatePart;
import io.godwit.mqtt.tenant.TenantAnswer;
import io.godwit.mqtt.tenant.TenantConfig;
import io.godwit.mqtt.tenant.TenantSource;
import io.godwit.mqtt.tenant.UnknownTenant;
import io.godwit.plugin.client.TenantId;
import io.godwit.plugin.event.BrokerEvent;
import io.godwit.plugin.event.ThrottleCause;
import io.godwit.plugin.message.Qos;
import io.godwit.plugin.tenant.TenantSetting;
import io.godwit.plugin.tenant.TenantSettings;
import io.godwit.plugin.throttle.TenantResource;
import io.godwit.plugin.topic.TopicFilter;
import io.godwit.testing.Await;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Quotas of a tenant apply to its clients together, over sockets, and to no other client. */
@Timeout(60)
class TenantQuotasTest {
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

    /** The amounts that the stores report. */
    private final AtomicLong subscriptions = new AtomicLong();

    private final AtomicLong detached = new AtomicLong();
    private final AtomicLong retained = new AtomicLong();

    private TestNode node(TenantSettings settings) {
        TestNode node = new TestNode(BY_USER, TestNode.onAnyPort(TestNode.LIMITS));
        node.server.tenants().accounts().holdings(new Holdings() {
            @Override
            public long liveSubscriptions(TenantId tenant) {
                return subscriptions.get();
            }

            @Override
            public long detachedSessions(TenantId tenant) {
                return detached.get();
            }

            @Override
            public long retainedMessages(TenantId tenant) {
                return retained.get();
            }

            @Override
            public long retainedBytes(TenantId tenant, String topic) {
                return topic.equals("there") ? 1 : -1;
            }
        });
        node.server.tenants().replace(Map.of(BIRDS, settings));
        return node;
    }

    private static TenantSettings one(TenantSetting setting, long value) {
        return TenantSettings.builder().set(setting, value).build();
    }

    private static Connect connect(int level, String clientId, String user, long expiry) {
        return new Connect(
                level,
                expiry == 0,
                0,
                clientId,
                user,
                null,
                null,
                level == 5 ? expiry : -1,
                -1,
                -1,
                -1,
                false,
                true,
                List.of(),
                null,
                null);
    }

    private static TestClient client(TestNode node, int level, String clientId, String user) {
        TestClient client = new TestClient(node.address, level);
        assertThat(client.connect(connect(level, clientId, user, 0)).reasonCode())
                .isEqualTo(ReasonCode.SUCCESS);
        return client;
    }

    private static ConnAck answer(TestNode node, Connect connect) {
        try (TestClient client = new TestClient(node.address, connect.protocolLevel())) {
            return client.connect(connect);
        }
    }

    private static List<TenantResource> reached(TestNode node) {
        return node.events.stream()
                .filter(BrokerEvent.TenantLimitReached.class::isInstance)
                .map(event -> ((BrokerEvent.TenantLimitReached) event).resource())
                .toList();
    }

    private static ReasonCode suback(TestClient client, String filter) {
        Subscription asked = new Subscription(TopicFilter.parse(filter).orElseThrow(), Qos.AT_LEAST_ONCE);
        client.send(new Subscribe(1, List.of(asked), -1, List.of()));
        return client.receive(SubAck.class).reasonCodes().get(0);
    }

    private static ReasonCode puback(TestClient client, boolean retain, String topic, String payload) {
        client.send(TestClient.publish(1, Qos.AT_LEAST_ONCE, retain, topic, payload));
        return client.receive(PubAck.class).reasonCode();
    }

    @Test
    void subscriptionsAreRefusedBeyondTheQuota() {
        try (TestNode node = node(one(TenantSetting.MAX_SUBSCRIPTIONS, 2));
                TestClient a = client(node, 5, "a", "birds/a");
                TestClient b = client(node, 4, "b", "birds/b");
                TestClient other = client(node, 5, "c", "c")) {
            assertThat(suback(a, "1")).isEqualTo(ReasonCode.GRANTED_QOS_1);
            subscriptions.set(2);
            assertThat(suback(a, "1"))
                    .as("an existing subscription may be repeated")
                    .isEqualTo(ReasonCode.GRANTED_QOS_1);
            assertThat(suback(a, "2")).isEqualTo(ReasonCode.QUOTA_EXCEEDED);
            assertThat(suback(b, "2").isError()).isTrue();
            assertThat(suback(other, "2")).isEqualTo(ReasonCode.GRANTED_QOS_1);
            assertThat(reached(node)).containsExactly(TenantResource.SUBSCRIPTIONS, TenantResource.SUBSCRIPTIONS);
            assertThat(node.count("godwit.mqtt.tenant.refusals", "resource", "subscriptions"))
                    .isEqualTo(2);
            subscriptions.set(1);
            for (int i = 0; i < 3; i++) {
                assertThat(suback(a, "s" + i))
                        .as("each subscription is removed from the count again")
                        .isEqualTo(ReasonCode.GRANTED_QOS_1);
            }
        }
    }

    @Test
    void retainedMessagesAreRefusedBeyondTheQuota() {
        try (TestNode node = node(one(TenantSetting.MAX_RETAINED_MESSAGES, 2));
                TestClient a = client(node, 5, "a", "birds/a");
                TestClient old = client(node, 4, "b", "birds/b")) {
            assertThat(puback(a, true, "new", "x").isError()).isFalse();
            retained.set(2);
            assertThat(puback(a, true, "newer", "x")).isEqualTo(ReasonCode.QUOTA_EXCEEDED);
            assertThat(puback(a, true, "there", "x").isError())
                    .as("a retained message may be replaced at the quota")
                    .isFalse();
            assertThat(puback(a, true, "any", "").isError())
                    .as("a retained message may be cleared at the quota")
                    .isFalse();
            assertThat(puback(a, false, "newer", "x").isError())
                    .as("a message that is not retained is accepted")
                    .isFalse();
            assertThat(puback(old, true, "newer", "x")).isEqualTo(ReasonCode.SUCCESS);
            assertThat(node.retain
                            .match(BIRDS, new TopicFilter(null, "newer"), null, 1, 1_000)
                            .join()
                            .messages())
                    .isEmpty();
            assertThat(reached(node))
                    .containsExactly(TenantResource.RETAINED_MESSAGES, TenantResource.RETAINED_MESSAGES);
            retained.set(1);
            for (int i = 0; i < 3; i++) {
                assertThat(puback(a, true, "n" + i, "x").isError())
                        .as("each retained message is removed from the count again")
                        .isFalse();
            }
        }
    }

    @Test
    void aRetainedPublishBeyondTheReceiveMaximumIsNotCountedForEver() {
        TenantSettings settings = TenantSettings.builder()
                .set(TenantSetting.MAX_RETAINED_MESSAGES, 2)
                .set(TenantSetting.RECEIVE_MAXIMUM, 1)
                .build();
        try (TestNode node = node(settings);
                TestClient other = client(node, 5, "b", "birds/b");
                TestClient a = client(node, 5, "a", "birds/a")) {
            CompletableFuture<Void> stored = new CompletableFuture<>();
            node.retain.answerNextSet(stored);
            a.send(
                    TestClient.publish(1, Qos.AT_LEAST_ONCE, true, "1", "x"),
                    TestClient.publish(2, Qos.AT_LEAST_ONCE, true, "2", "x"));
            assertThat(a.receive(Disconnect.class).reasonCode()).isEqualTo(ReasonCode.RECEIVE_MAXIMUM_EXCEEDED);
            stored.complete(null);
            Await.until(
                    "there is room for two",
                    () -> hasRoomForTwo(node.server.tenants().accounts().of(BIRDS)));
            assertThat(other.isSilent()).isTrue();
        }
    }

    private static boolean hasRoomForTwo(TenantAccount account) {
        TenantResource first = account.retaining("3", 1);
        TenantResource second = account.retaining("4", 1);
        if (first == null) {
            account.retained(1);
        }
        if (second == null) {
            account.retained(1);
        }
        return first == null && second == null;
    }

    @Test
    void sessionsAreRefusedBeyondTheQuotaAndResumed() {
        try (TestNode node = node(one(TenantSetting.MAX_SESSIONS, 1))) {
            assertThat(answer(node, connect(5, "kept", "birds/a", 3_600)).reasonCode())
                    .isEqualTo(ReasonCode.SUCCESS);
            detached.set(1);
            Await.until("it has left", () -> node.server.tenants().accounts().connections(BIRDS) == 0);
            assertThat(answer(node, connect(5, "more", "birds/a", 3_600)).reasonCode())
                    .isEqualTo(ReasonCode.QUOTA_EXCEEDED);
            assertThat(answer(node, connect(5, "more", "birds/a", 0)).reasonCode())
                    .as("a session that ends with its connection is accepted")
                    .isEqualTo(ReasonCode.SUCCESS);
            ConnAck resumed = answer(node, connect(5, "kept", "birds/a", 3_600));
            assertThat(resumed.reasonCode()).isEqualTo(ReasonCode.SUCCESS);
            assertThat(resumed.sessionPresent()).isTrue();
            assertThat(answer(node, connect(5, "more", "more", 3_600)).reasonCode())
                    .as("a session of another tenant is accepted")
                    .isEqualTo(ReasonCode.SUCCESS);
            assertThat(reached(node)).containsExactly(TenantResource.SESSIONS);
            Await.until(
                    "none is counted for ever",
                    () -> node.server.tenants().accounts().of(BIRDS).used(TenantResource.SESSIONS) == 1);
        }
    }

    /** Two clients share 200 messages a second: after the first second's worth they are held back. */
    @Test
    void whatATenantPublishesIsReadMoreSlowlyBeyondTheQuota() {
        try (TestNode node = node(one(TenantSetting.MAX_TENANT_PUBLISH_RATE, 200));
                TestClient a = client(node, 5, "a", "birds/a");
                TestClient b = client(node, 5, "b", "birds/b")) {
            long began = System.nanoTime();
            for (int i = 1; i <= 300; i++) {
                a.send(TestClient.publish(i, Qos.AT_LEAST_ONCE, false, "t", "x"));
                b.send(TestClient.publish(i, Qos.AT_LEAST_ONCE, false, "t", "x"));
            }
            for (int i = 1; i <= 300; i++) {
                assertThat(a.receive(PubAck.class).packetId()).isEqualTo(i);
                assertThat(b.receive(PubAck.class).packetId()).isEqualTo(i);
            }
            for (int i = 0; i < 2; i++) { // the first may be read together with the last of the other client
                assertThat(puback(a, false, "t", "x").isError()).isFalse();
            }
            long millis = TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - began);
            assertThat(millis)
                    .as("milliseconds for 400 messages more than the burst of one second")
                    .isGreaterThan(1_500);
            assertThat(node.events)
                    .filteredOn(BrokerEvent.ThrottlingBegan.class::isInstance)
                    .anySatisfy(event -> assertThat(((BrokerEvent.ThrottlingBegan) event).cause())
                            .isEqualTo(ThrottleCause.TENANT_PUBLISH_RATE));
        }
    }

    @Test
    void whatATenantSendsIsReadMoreSlowlyBeyondTheQuota() {
        try (TestNode node = node(one(TenantSetting.MAX_TENANT_BANDWIDTH_IN, 20_000));
                TestClient a = client(node, 5, "a", "birds/a")) {
            long began = System.nanoTime();
            for (int i = 1; i <= 20; i++) {
                assertThat(puback(a, false, "t", "x".repeat(2_500)).isError()).isFalse();
            }
            long millis = TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - began);
            assertThat(millis)
                    .as("milliseconds for 30,000 bytes more than the burst of one second")
                    .isGreaterThan(1_000);
        }
    }

    /** Two clients are sent 200 messages a second together. */
    @Test
    void whatATenantIsSentWaitsBeyondTheQuota() {
        try (TestNode node = node(one(TenantSetting.MAX_TENANT_DELIVER_RATE, 200));
                TestClient a = client(node, 5, "a", "birds/a");
                TestClient b = client(node, 4, "b", "birds/b");
                TestClient publisher = client(node, 5, "p", "birds/p")) {
            assertThat(suback(a, "t")).isEqualTo(ReasonCode.GRANTED_QOS_1);
            assertThat(suback(b, "t")).isEqualTo(ReasonCode.GRANTED_QOS_1);
            long began = System.nanoTime();
            for (int i = 1; i <= 250; i++) {
                publisher.send(TestClient.publish(i, Qos.AT_LEAST_ONCE, false, "t", "x"));
            }
            for (int i = 1; i <= 250; i++) {
                a.send(new PubAck(a.receive(Publish.class).packetId()));
                b.send(new PubAck(b.receive(Publish.class).packetId()));
            }
            long millis = TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - began);
            assertThat(millis)
                    .as("milliseconds for 300 messages more than the burst of one second")
                    .isGreaterThan(1_000);
            assertThat(node.events)
                    .filteredOn(BrokerEvent.ThrottlingBegan.class::isInstance)
                    .extracting(event -> ((BrokerEvent.ThrottlingBegan) event).cause())
                    .contains(ThrottleCause.TENANT_DELIVERY);
        }
    }

    /** Two clients are sent 20,000 bytes of payloads a second together. */
    @Test
    void theBytesThatATenantIsSentWaitBeyondTheQuota() {
        try (TestNode node = node(one(TenantSetting.MAX_TENANT_BANDWIDTH_OUT, 20_000));
                TestClient a = client(node, 5, "a", "birds/a");
                TestClient b = client(node, 4, "b", "birds/b");
                TestClient publisher = client(node, 5, "p", "birds/p")) {
            assertThat(suback(a, "t")).isEqualTo(ReasonCode.GRANTED_QOS_1);
            assertThat(suback(b, "t")).isEqualTo(ReasonCode.GRANTED_QOS_1);
            long began = System.nanoTime();
            for (int i = 1; i <= 25; i++) {
                publisher.send(TestClient.publish(i, Qos.AT_LEAST_ONCE, false, "t", "x".repeat(1_000)));
            }
            for (int i = 1; i <= 25; i++) {
                a.send(new PubAck(a.receive(Publish.class).packetId()));
                b.send(new PubAck(b.receive(Publish.class).packetId()));
            }
            long millis = TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - began);
            assertThat(millis)
                    .as("milliseconds for 30,000 bytes more than the burst of one second")
                    .isGreaterThan(1_000);
            assertThat(node.events)
                    .filteredOn(BrokerEvent.ThrottlingBegan.class::isInstance)
                    .extracting(event -> ((BrokerEvent.ThrottlingBegan) event).cause())
                    .contains(ThrottleCause.TENANT_DELIVERY);
        }
    }

    @Test
    void otherLimitsThanThoseOfSettingsCountWhenTheyAreSmaller() {
        AtomicLong connections = new AtomicLong(1);
        try (TestNode node = node(TenantSettings.NONE)) {
            node.server
                    .tenants()
                    .accounts()
                    .limitedBy(
                            (tenant, most) -> {
                                most[TenantResource.CONNECTIONS.ordinal()] = connections.get();
                                return most;
                            },
                            true);
            try (TestClient a = client(node, 5, "a", "birds/a")) {
                assertThat(answer(node, connect(5, "b", "birds/b", 0)).reasonCode())
                        .isEqualTo(ReasonCode.QUOTA_EXCEEDED);
                assertThat(reached(node)).containsExactly(TenantResource.CONNECTIONS);
                connections.set(2);
                node.server.tenants().accounts().retune(BIRDS);
                assertThat(answer(node, connect(5, "b", "birds/b", 0)).reasonCode())
                        .isEqualTo(ReasonCode.SUCCESS);
                assertThat(a.isSilent()).isTrue();
            }
        }
    }

    @Test
    void severalAreAskedAboutATenantOneAfterTheOther() {
        try (TestNode node = node(TenantSettings.NONE)) {
            AtomicInteger second = new AtomicInteger();
            node.server
                    .tenants()
                    .ask(tenant -> CompletableFuture.completedFuture(
                            tenant.equals(BIRDS) ? TenantAnswer.KNOWN : TenantAnswer.NO_TENANT));
            node.server.tenants().ask(tenant -> {
                second.incrementAndGet();
                return CompletableFuture.failedFuture(new IllegalStateException("no answer"));
            });
            assertThat(answer(node, connect(5, "a", "a", 0)).reasonCode()).isEqualTo(ReasonCode.NOT_AUTHORIZED);
            assertThat(second).hasValue(0);
            assertThat(answer(node, connect(5, "a", "birds/a", 0)).reasonCode())
                    .isEqualTo(ReasonCode.SERVER_UNAVAILABLE);
            assertThat(second).hasValue(1);
        }
    }
}
