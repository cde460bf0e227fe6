package io.godwit.mqtt;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.godwit.inbox.client.InboxClient.FilterChange;
import io.godwit.inbox.client.StoredSubscription;
import io.godwit.mqtt.auth.AuthConfig;
import io.godwit.mqtt.client.ClientKey;
import io.godwit.mqtt.packet.PingReq;
import io.godwit.mqtt.packet.PingResp;
import io.godwit.mqtt.packet.PubAck;
import io.godwit.mqtt.packet.Publish;
import io.godwit.mqtt.packet.field.ReasonCode;
import io.godwit.mqtt.packet.field.Subscription;
import io.godwit.mqtt.session.persistent.StoredSubscriber;
import io.godwit.mqtt.twin.MemoryAuth;
import io.godwit.plugin.auth.AuthDecision;
import io.godwit.plugin.client.ClientId;
import io.godwit.plugin.client.ClientInfo;
import io.godwit.plugin.client.TenantId;
import io.godwit.plugin.event.BrokerEvent;
import io.godwit.plugin.event.SubscribeRefusalCause;
import io.godwit.plugin.message.Qos;
import io.godwit.plugin.tenant.TenantSetting;
import io.godwit.plugin.tenant.TenantSettings;
import io.godwit.plugin.throttle.TenantResource;
import io.godwit.plugin.topic.TopicFilter;
import io.godwit.testing.Await;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Clients are subscribed and unsubscribed by an operator. */
class OnBehalfTest {
    private TestNode node = new TestNode();

    @AfterEach
    void close() {
        node.close();
    }

    private void with(MemoryAuth auth) {
        node.close();
        node = new TestNode(auth, AuthConfig.DEFAULTS);
    }

    private static ClientKey key(String clientId) {
        return new ClientKey(TenantId.DEFAULT, new ClientId(clientId));
    }

    private static TopicFilter filter(String text) {
        return TopicFilter.parse(text).orElseThrow();
    }

    private static List<Subscription> wanted(String... filters) {
        return List.of(filters).stream()
                .map(each -> new Subscription(filter(each), Qos.AT_LEAST_ONCE))
                .toList();
    }

    private static <T> T get(CompletableFuture<T> asked) {
        return asked.orTimeout(20, TimeUnit.SECONDS).join();
    }

    private Optional<List<ReasonCode>> subscribe(String clientId, String... filters) {
        return get(node.server.clients().ask(key(clientId), client -> client.subscribeOnBehalf(wanted(filters), 7)));
    }

    private Optional<List<ReasonCode>> unsubscribe(String clientId, String... filters) {
        return get(node.server
                .clients()
                .ask(
                        key(clientId),
                        client -> client.unsubscribeOnBehalf(List.of(filters).stream()
                                .map(OnBehalfTest::filter)
                                .toList())));
    }

    private void publish(String topic, String payload, boolean retain) {
        try (TestClient publisher = TestClient.clean(node.address, 5, "publisher")) {
            publisher.send(TestClient.publish(1, Qos.AT_LEAST_ONCE, retain, topic, payload));
            publisher.receive(PubAck.class);
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {3, 4, 5})
    void aConnectedClientGetsWhatItHasNotAskedFor(int level) {
        publish("a/kept", "retained", true);
        for (boolean isPersistent : List.of(false, true)) {
            String id = (isPersistent ? "kept" : "clean") + level;
            try (TestClient client = isPersistent
                    ? TestClient.persistent(node.address, level, id)
                    : TestClient.clean(node.address, level, id)) {
                assertThat(subscribe(id, "a/+", "b"))
                        .contains(List.of(ReasonCode.GRANTED_QOS_1, ReasonCode.GRANTED_QOS_1));
                Publish retained = client.receive(Publish.class);
                assertThat(retained.topic()).isEqualTo("a/kept");
                assertThat(retained.retain()).isTrue();
                client.send(new PubAck(retained.packetId(), ReasonCode.SUCCESS));
                publish("a/1", "x", false);
                Publish live = client.receive(Publish.class);
                assertThat(live.topic()).isEqualTo("a/1");
                client.send(new PubAck(live.packetId(), ReasonCode.SUCCESS));
                assertThat(unsubscribe(id, "a/+", "c"))
                        .contains(List.of(ReasonCode.SUCCESS, ReasonCode.NO_SUBSCRIPTION_EXISTED));
                publish("a/2", "y", false);
                client.send(PingReq.INSTANCE);
                client.receive(PingResp.class); // nothing has come before
            }
        }
        assertThat(subscribe("nobody", "a")).isEmpty();
    }

    @Test
    void whatTheClientMayNotReadItIsNotGiven() {
        with(new MemoryAuth()
                .onSubscribe(request -> MemoryAuth.unlessNo(request.filter().text())));
        try (TestClient client = TestClient.clean(node.address, 5, "c")) {
            assertThat(subscribe("c", "no/1", "yes/1"))
                    .contains(List.of(ReasonCode.NOT_AUTHORIZED, ReasonCode.GRANTED_QOS_1));
            client.send(PingReq.INSTANCE);
            client.receive(PingResp.class);
        }
        TestClient.persistent(node.address, 5, "kept").close();
        assertThat(storedSubscribe("kept", "no/1", "yes/1").codes())
                .containsExactly(ReasonCode.NOT_AUTHORIZED, ReasonCode.GRANTED_QOS_1);
    }

    /** The caller gets a failure, and the loop goes on. */
    @Test
    void theEndOfTheConnectionEndsTheWait() {
        List<CompletableFuture<AuthDecision>> open = new CopyOnWriteArrayList<>();
        with(new MemoryAuth().onSubscribe(request -> {
            CompletableFuture<AuthDecision> never = new CompletableFuture<>();
            open.add(never);
            return never;
        }));
        CompletableFuture<Optional<List<ReasonCode>>> asked;
        try (TestClient client = TestClient.clean(node.address, 5, "c")) {
            asked = node.server.clients().ask(key("c"), each -> each.subscribeOnBehalf(wanted("a"), 0));
            Await.until("the provider is asked", () -> !open.isEmpty());
            client.send(PingReq.INSTANCE);
            client.receive(PingResp.class);
        }
        assertThatThrownBy(() -> get(asked))
                .isInstanceOfAny(CompletionException.class, CancellationException.class)
                .hasMessageContaining("connection");
    }

    private StoredSubscriber.Outcome storedSubscribe(String clientId, String... filters) {
        ClientInfo client = new ClientInfo(TenantId.DEFAULT, new ClientId(clientId), null, "", 5);
        return get(node.server
                .storedSubscriber()
                .subscribe(
                        client,
                        wanted(filters),
                        0,
                        () -> CompletableFuture.completedFuture(List.<StoredSubscription>of()),
                        () -> false));
    }

    @Test
    void aStoredSessionIsSubscribedAndItsClientIdIsFreeAgain() {
        TestClient.persistent(node.address, 5, "kept").close();
        StoredSubscriber.Outcome outcome = storedSubscribe("kept", "a/+", "$exclusive/b");
        assertThat(outcome.outcome()).isEqualTo(FilterChange.Outcome.DONE);
        assertThat(outcome.codes()).containsExactly(ReasonCode.GRANTED_QOS_1, ReasonCode.TOPIC_FILTER_INVALID);
        assertThat(node.events)
                .anyMatch(event -> event instanceof BrokerEvent.SubscribeRefused refused
                        && refused.cause() == SubscribeRefusalCause.FILTER_NOT_ALLOWED);
        publish("a/1", "x", false);
        try (TestClient client = TestClient.persistent(node.address, 5, "kept")) {
            assertThat(client.receivePayload()).isEqualTo("x");
        }
        ClientInfo client = new ClientInfo(TenantId.DEFAULT, new ClientId("kept"), null, "", 5);
        assertThat(get(node.server
                                .storedSubscriber()
                                .unsubscribe(client, List.of(filter("a/+"), filter("c"), filter("a/+")), () -> false))
                        .codes())
                .containsExactly(ReasonCode.SUCCESS, ReasonCode.NO_SUBSCRIPTION_EXISTED, ReasonCode.SUCCESS);
        int queued = node.inbox.queued("kept");
        publish("a/2", "y", false);
        assertThat(node.inbox.queued("kept")).isEqualTo(queued);
        assertThat(storedSubscribe("nobody", "a").outcome()).isEqualTo(FilterChange.Outcome.NO_SESSION);
    }

    /** As a SUBSCRIBE of the client would be. */
    @Test
    void aStoredSessionIsHeldToWhatItsTenantMayHave() {
        TestClient.persistent(node.address, 5, "kept").close();
        node.server
                .tenants()
                .replace(Map.of(
                        TenantId.DEFAULT,
                        TenantSettings.builder()
                                .set(TenantSetting.WILDCARDS, false)
                                .set(TenantSetting.SHARED, false)
                                .set(TenantSetting.MAX_FILTERS, 2)
                                .set(TenantSetting.MAX_FILTERS_PER_SUBSCRIBE, 5)
                                .build()));
        assertThat(storedSubscribe("kept", "a/+", "$share/g/a", "1", "2", "3", "1")
                        .codes())
                .containsExactly(
                        ReasonCode.WILDCARD_SUBSCRIPTIONS_NOT_SUPPORTED,
                        ReasonCode.SHARED_SUBSCRIPTIONS_NOT_SUPPORTED,
                        ReasonCode.GRANTED_QOS_1,
                        ReasonCode.GRANTED_QOS_1,
                        ReasonCode.QUOTA_EXCEEDED,
                        ReasonCode.QUOTA_EXCEEDED);
        assertThat(node.events.stream()
                        .filter(BrokerEvent.SubscribeRefused.class::isInstance)
                        .map(event -> ((BrokerEvent.SubscribeRefused) event).filter()))
                .containsExactly("a/+", "$share/g/a", "3", "1");
    }

    @Test
    void aStoredSessionGetsNoMoreThanTheQuotaOfItsTenant() {
        TestClient.persistent(node.address, 5, "kept").close();
        node.server
                .tenants()
                .replace(Map.of(
                        TenantId.DEFAULT,
                        TenantSettings.builder()
                                .set(TenantSetting.MAX_SUBSCRIPTIONS, 1)
                                .build()));
        for (int i = 0; i < 2; i++) { // what was stored is no longer under way
            assertThat(storedSubscribe("kept", "a", "b").codes())
                    .containsExactly(ReasonCode.GRANTED_QOS_1, ReasonCode.QUOTA_EXCEEDED);
        }
        assertThat(node.events.stream()
                        .filter(BrokerEvent.TenantLimitReached.class::isInstance)
                        .map(event -> ((BrokerEvent.TenantLimitReached) event).resource()))
                .containsExactly(TenantResource.SUBSCRIPTIONS, TenantResource.SUBSCRIPTIONS);
    }

    @Test
    void aLimitThatIsNotKnownIsNotLetThrough() {
        TestClient.persistent(node.address, 5, "kept").close();
        node.server.tenants().ask(tenant -> CompletableFuture.failedFuture(new IllegalStateException("no answer")));
        assertThatThrownBy(() -> storedSubscribe("kept", "a"))
                .hasCauseInstanceOf(StoredSubscriber.TenantNotKnownException.class);
    }

    @Test
    void aClientIdThatComesTooLateIsGivenBack() {
        TestClient.persistent(node.address, 5, "kept").close();
        ClientInfo client = new ClientInfo(TenantId.DEFAULT, new ClientId("kept"), null, "", 5);
        CompletableFuture<StoredSubscriber.Outcome> late =
                node.server.storedSubscriber().unsubscribe(client, List.of(filter("a")), () -> true);
        assertThatThrownBy(() -> get(late)).hasMessageContaining("too late");
        TestClient.persistent(node.address, 5, "kept").close(); // connects
    }
}
