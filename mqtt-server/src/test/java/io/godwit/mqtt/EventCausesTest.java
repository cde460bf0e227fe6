package io.godwit.mqtt;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.dist.client.DistOutcome;
import io.godwit.mqtt.auth.AuthConfig;
import io.godwit.mqtt.client.ClientKey;
import io.godwit.mqtt.packet.Connect;
import io.godwit.mqtt.packet.Disconnect;
import io.godwit.mqtt.packet.PingReq;
import io.godwit.mqtt.packet.PingResp;
import io.godwit.mqtt.packet.Publish;
import io.godwit.mqtt.packet.SubAck;
import io.godwit.mqtt.packet.Subscribe;
import io.godwit.mqtt.packet.field.ReasonCode;
import io.godwit.mqtt.packet.field.Subscription;
import io.godwit.mqtt.quota.Holdings;
import io.godwit.mqtt.twin.MemoryAuth;
import io.godwit.plugin.client.ClientId;
import io.godwit.plugin.client.TenantId;
import io.godwit.plugin.event.BrokerEvent;
import io.godwit.plugin.event.DisconnectCause;
import io.godwit.plugin.event.PublishRefusalCause;
import io.godwit.plugin.event.SubscribeRefusalCause;
import io.godwit.plugin.message.MessageProperties;
import io.godwit.plugin.message.Qos;
import io.godwit.plugin.tenant.TenantSetting;
import io.godwit.plugin.tenant.TenantSettings;
import io.godwit.plugin.topic.TopicFilter;
import io.godwit.testing.Await;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Events give a cause that a listener can tell from others, over sockets. */
class EventCausesTest {
    private final MemoryAuth auth = new MemoryAuth();
    private TestNode node = new TestNode();

    @AfterEach
    void close() {
        node.close();
    }

    private void awaitEnd(String clientId, DisconnectCause cause) {
        Await.until(
                () -> clientId + " has not ended with " + cause + ": " + node.events,
                Await.PATIENCE,
                () -> node.events.stream()
                        .anyMatch(event -> event instanceof BrokerEvent.ClientDisconnected ended
                                && ended.client().clientId().value().equals(clientId)
                                && ended.cause() == cause));
    }

    private void awaitRefusal(PublishRefusalCause cause) {
        Await.until(
                () -> "no publish is refused for " + cause + ": " + node.events,
                Await.PATIENCE,
                () -> node.events.stream()
                        .anyMatch(event ->
                                event instanceof BrokerEvent.PublishRefused refused && refused.cause() == cause));
    }

    private List<SubscribeRefusalCause> refusedFilters() {
        return node.events.stream()
                .filter(BrokerEvent.SubscribeRefused.class::isInstance)
                .map(event -> ((BrokerEvent.SubscribeRefused) event).cause())
                .toList();
    }

    private void say(TenantSetting setting, long value) {
        node.server
                .tenants()
                .replace(Map.of(
                        TenantId.DEFAULT,
                        TenantSettings.builder().set(setting, value).build()));
    }

    // ---- the end of a connection

    @Test
    void aClientLeaves() {
        try (TestClient client = TestClient.clean(node.address, 5, "c")) {
            client.send(Disconnect.NORMAL);
            awaitEnd("c", DisconnectCause.CLIENT);
        }
    }

    @Test
    void aConnectionIsLost() {
        TestClient.clean(node.address, 5, "c").close();
        awaitEnd("c", DisconnectCause.CONNECTION_LOST);
    }

    @Test
    void aClientIsSilent() {
        try (TestClient client = new TestClient(node.address, 5)) {
            client.connect(new Connect(5, true, 1, "c", null, null, null));
            assertThat(client.receive(Disconnect.class).reasonCode()).isEqualTo(ReasonCode.KEEP_ALIVE_TIMEOUT);
            awaitEnd("c", DisconnectCause.KEEP_ALIVE);
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void anotherConnectionUsesTheClientId(boolean isStored) {
        try (TestClient first = connect(isStored);
                TestClient second = connect(isStored)) {
            assertThat(first.receive(Disconnect.class).reasonCode()).isEqualTo(ReasonCode.SESSION_TAKEN_OVER);
            awaitEnd("c", DisconnectCause.TAKEN_OVER);
            second.send(PingReq.INSTANCE);
            second.receive(PingResp.class);
        }
    }

    private TestClient connect(boolean isStored) {
        return isStored ? TestClient.persistent(node.address, 5, "c") : TestClient.clean(node.address, 5, "c");
    }

    @ParameterizedTest
    @ValueSource(ints = {4, 5})
    void anOperatorDisconnectsIt(int level) {
        try (TestClient client = TestClient.clean(node.address, level, "c")) {
            node.server
                    .clients()
                    .disconnect(new ClientKey(TenantId.DEFAULT, new ClientId("c")), ReasonCode.ADMINISTRATIVE_ACTION)
                    .orTimeout(10, TimeUnit.SECONDS)
                    .join();
            awaitEnd("c", DisconnectCause.OPERATOR);
            if (level == 5) {
                assertThat(client.receive(Disconnect.class).reasonCode()).isEqualTo(ReasonCode.ADMINISTRATIVE_ACTION);
            }
            assertThat(client.isClosedByServer()).isTrue();
        }
    }

    @Test
    void aClientBreaksTheProtocol() {
        try (TestClient client = TestClient.clean(node.address, 5, "c")) {
            client.send(new Connect(5, true, 0, "c", null, null, null));
            awaitEnd("c", DisconnectCause.PROTOCOL_VIOLATION);
        }
    }

    @Test
    void aRequestIsRefusedForWhichThereIsNoOtherAnswer() {
        say(TenantSetting.MAX_TOPIC_LEVELS, 1);
        try (TestClient client = TestClient.clean(node.address, 4, "c")) {
            client.send(TestClient.publish(1, Qos.AT_LEAST_ONCE, false, "a/b", "x"));
            awaitEnd("c", DisconnectCause.REQUEST_REFUSED);
        }
    }

    @Test
    void aDeniedPublishEndsTheConnection() {
        node.close();
        auth.onPublish(request -> MemoryAuth.unlessNo(request.topic()));
        node = new TestNode(auth, new AuthConfig(Duration.ofSeconds(20), true, true));
        try (TestClient client = TestClient.clean(node.address, 5, "c")) {
            client.send(TestClient.publish(1, Qos.AT_LEAST_ONCE, false, "no", "x"));
            awaitEnd("c", DisconnectCause.NOT_AUTHORIZED);
        }
    }

    @Test
    void aPublishOf311CannotBeStored() {
        node.dist.answerNext(CompletableFuture.completedFuture(DistOutcome.FAILED));
        try (TestClient client = TestClient.clean(node.address, 4, "c")) {
            client.send(TestClient.publish(1, Qos.AT_LEAST_ONCE, false, "a", "x"));
            awaitEnd("c", DisconnectCause.STORE_FAILED);
            awaitRefusal(PublishRefusalCause.STORE_FAILED);
        }
    }

    @Test
    void theNodeStops() {
        CompletableFuture<Void> stopping;
        try (TestClient client = TestClient.clean(node.address, 5, "c")) {
            stopping = CompletableFuture.runAsync(node::close);
            assertThat(client.receive(Disconnect.class).reasonCode()).isEqualTo(ReasonCode.SERVER_SHUTTING_DOWN);
        }
        stopping.orTimeout(10, TimeUnit.SECONDS).join();
        awaitEnd("c", DisconnectCause.SHUTDOWN);
    }

    // ---- refused publishes

    @ParameterizedTest
    @CsvSource({
        "MAX_TOPIC_LEVELS, 1, TOPIC_LIMIT",
        "MAX_TOPIC_BYTES, 1, TOPIC_LIMIT",
        "MAX_QOS, 0, QOS_NOT_ALLOWED",
        "RETAIN, 0, RETAIN_NOT_ALLOWED",
        "MAX_PAYLOAD_BYTES, 0, PAYLOAD_TOO_LARGE",
        "CHECK_PAYLOAD_FORMAT, 1, PAYLOAD_FORMAT_INVALID"
    })
    void aSettingOfItsTenantForbidsAPublish(TenantSetting setting, long value, PublishRefusalCause cause) {
        say(setting, value);
        MessageProperties utf8 = new MessageProperties(1, -1, null, null, null, List.of());
        try (TestClient client = TestClient.clean(node.address, 5, "c")) {
            client.send(new Publish(1, false, Qos.AT_LEAST_ONCE, true, "a/b", new byte[] {-1}, utf8));
            awaitRefusal(cause);
        }
    }

    @Test
    void aQuotaOfItsTenantForbidsAPublish() {
        node.server.tenants().accounts().holdings(new Holdings() {
            @Override
            public long retainedMessages(TenantId tenant) {
                return 1;
            }
        });
        say(TenantSetting.MAX_RETAINED_MESSAGES, 1);
        try (TestClient client = TestClient.clean(node.address, 5, "c")) {
            client.send(TestClient.publish(1, Qos.AT_LEAST_ONCE, true, "a", "x"));
            awaitRefusal(PublishRefusalCause.TENANT_LIMIT);
        }
    }

    @Test
    void aStoreHasNoRoomForAPublish() {
        node.dist.answerNext(CompletableFuture.completedFuture(DistOutcome.OVERLOADED));
        try (TestClient client = TestClient.clean(node.address, 5, "c")) {
            client.send(TestClient.publish(1, Qos.AT_LEAST_ONCE, false, "a", "x"));
            awaitRefusal(PublishRefusalCause.OVERLOADED);
        }
    }

    // ---- refused subscriptions

    @ParameterizedTest
    @CsvSource({
        "MAX_TOPIC_LEVELS, 1, a/b, FILTER_LIMIT",
        "WILDCARDS, 0, a/+, WILDCARDS_NOT_ALLOWED",
        "SHARED, 0, $share/g/a, SHARED_NOT_ALLOWED",
        "SUBSCRIPTION_IDENTIFIERS, 0, a, IDENTIFIERS_NOT_ALLOWED"
    })
    void aSettingOfItsTenantForbidsAFilter(
            TenantSetting setting, long value, String filter, SubscribeRefusalCause cause) {
        say(setting, value);
        subscribe(filter);
        assertThat(refusedFilters()).containsExactly(cause);
    }

    @ParameterizedTest
    @CsvSource({
        "MAX_FILTERS, TOO_MANY_FILTERS",
        "MAX_FILTERS_PER_SUBSCRIBE, TOO_MANY_FILTERS",
        "MAX_SUBSCRIPTIONS, TENANT_LIMIT"
    })
    void aSecondFilterIsTooMany(TenantSetting setting, SubscribeRefusalCause cause) {
        say(setting, 1);
        subscribe("a", "b");
        assertThat(refusedFilters()).containsExactly(cause);
    }

    private void subscribe(String... filters) {
        List<Subscription> asked = List.of(filters).stream()
                .map(filter -> new Subscription(TopicFilter.parse(filter).orElseThrow(), Qos.AT_LEAST_ONCE))
                .toList();
        try (TestClient client = TestClient.clean(node.address, 5, "c")) {
            client.send(new Subscribe(1, asked, 7, List.of()));
            client.receive(SubAck.class);
        }
    }
}
