package io.godwit.mqtt;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.mqtt.client.SlowClient;
import io.godwit.mqtt.packet.PubAck;
import io.godwit.mqtt.packet.PubComp;
import io.godwit.mqtt.packet.PubRec;
import io.godwit.mqtt.packet.PubRel;
import io.godwit.mqtt.packet.Publish;
import io.godwit.mqtt.packet.field.ReasonCode;
import io.godwit.mqtt.top.TrafficCount;
import io.godwit.mqtt.top.TrafficKind;
import io.godwit.mqtt.trace.Tracer;
import io.godwit.plugin.client.ClientInfo;
import io.godwit.plugin.client.TenantId;
import io.godwit.plugin.message.Message;
import io.godwit.plugin.message.Qos;
import io.godwit.plugin.topic.TopicFilter;
import io.godwit.testing.Await;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Traces of messages, and the slow and busy clients, with real connections. */
class WatchedMessagesTest {
    private final TestNode node = new TestNode();
    private final List<String> told = new CopyOnWriteArrayList<>();
    private final Tracer tracer = new Tracer() {
        private void tell(String what, ClientInfo client, Object more) {
            told.add(what + " " + client.clientId().value() + " " + more);
        }

        @Override
        public void published(ClientInfo publisher, Message message, int packetId) {
            tell("published", publisher, message.topic() + " " + packetId);
        }

        @Override
        public void distributed(ClientInfo publisher, Message message, ReasonCode outcome) {
            tell("distributed", publisher, message.topic() + " " + outcome);
        }

        @Override
        public void subscribed(ClientInfo subscriber, TopicFilter filter, ReasonCode code) {
            tell("subscribed", subscriber, filter.text() + " " + code);
        }

        @Override
        public void unsubscribed(ClientInfo subscriber, TopicFilter filter, ReasonCode code) {
            tell("unsubscribed", subscriber, filter.text() + " " + code);
        }

        @Override
        public void queued(ClientInfo receiver, Message message, Qos qos) {
            tell("queued", receiver, message.topic());
        }

        @Override
        public void sent(ClientInfo receiver, Message message, Qos qos, int packetId, boolean isRepeated) {
            tell(isRepeated ? "sent again" : "sent", receiver, message.topic() + " " + packetId);
        }

        @Override
        public void acknowledged(ClientInfo receiver, int packetId, ReasonCode code) {
            tell("acknowledged", receiver, packetId + " " + code);
        }
    };

    @AfterEach
    void close() {
        node.close();
    }

    private void await(String what) {
        Await.until(() -> what + " in " + told, Await.PATIENCE, () -> told.contains(what));
    }

    private TestClient subscriber(boolean isPersistent) {
        return isPersistent ? TestClient.persistent(node.address, 5, "sub") : TestClient.clean(node.address, 5, "sub");
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void theWayOfAMessageIsTold(boolean isPersistent) {
        node.tracing.set(tracer);
        try (TestClient sub = subscriber(isPersistent);
                TestClient pub = TestClient.clean(node.address, 5, "pub")) {
            sub.subscribe(1, "a", Qos.EXACTLY_ONCE);
            pub.send(TestClient.publish(7, Qos.AT_LEAST_ONCE, false, "a", "x"));
            Publish first = sub.receive(Publish.class);
            sub.send(new PubAck(first.packetId(), ReasonCode.SUCCESS));
            pub.send(TestClient.publish(8, Qos.EXACTLY_ONCE, false, "a", "x"));
            Publish second = sub.receive(Publish.class);
            sub.send(new PubRec(second.packetId(), ReasonCode.SUCCESS));
            sub.receive(PubRel.class);
            sub.send(new PubComp(second.packetId(), ReasonCode.SUCCESS));
            pub.send(TestClient.publish(0, Qos.AT_MOST_ONCE, false, "nobody", "x"));
            await("subscribed sub a GRANTED_QOS_2");
            await("published pub a 7");
            await("distributed pub a SUCCESS");
            await("sent sub a " + first.packetId());
            await("acknowledged sub " + first.packetId() + " SUCCESS");
            await("published pub a 8");
            await("acknowledged sub " + second.packetId() + " SUCCESS");
            await("distributed pub nobody NO_MATCHING_SUBSCRIBERS");
        }
    }

    @Test
    void afterATraceNothingIsTold() {
        node.tracing.set(tracer);
        try (TestClient pub = TestClient.clean(node.address, 5, "pub")) {
            pub.send(TestClient.publish(7, Qos.AT_LEAST_ONCE, false, "a", "x"));
            pub.receive(PubAck.class);
            node.tracing.set(null);
            pub.send(TestClient.publish(8, Qos.AT_LEAST_ONCE, false, "a", "x"));
            pub.receive(PubAck.class);
        }
        assertThat(told).contains("published pub a 7").doesNotContain("published pub a 8");
    }

    private List<SlowClient> slowest(@Nullable String tenant) {
        return node.server
                .clients()
                .slowest(
                        tenant == null ? null : new TenantId(tenant),
                        1,
                        System.nanoTime() + TimeUnit.SECONDS.toNanos(60),
                        ForkJoinPool.commonPool())
                .orTimeout(60, TimeUnit.SECONDS)
                .join();
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void whoDoesNotAcknowledgeIsTheSlowest(boolean isPersistent) {
        try (TestClient sub = subscriber(isPersistent);
                TestClient quick = TestClient.clean(node.address, 5, "quick");
                TestClient pub = TestClient.clean(node.address, 5, "pub")) {
            sub.subscribe(1, "a", Qos.AT_LEAST_ONCE);
            quick.subscribe(1, "a", Qos.AT_LEAST_ONCE);
            pub.send(TestClient.publish(7, Qos.AT_LEAST_ONCE, false, "a", "x"));
            quick.send(new PubAck(quick.receive(Publish.class).packetId(), ReasonCode.SUCCESS));
            Publish held = sub.receive(Publish.class);
            Await.until("it is slow", () -> {
                List<SlowClient> slowest = slowest(null);
                return !slowest.isEmpty()
                        && slowest.get(0).key().clientId().value().equals("sub")
                        && slowest.get(0).pace().pendingMillis() >= 100;
            });
            assertThat(slowest("default")).hasSize(1);
            assertThat(slowest("birds")).isEmpty();
            sub.send(new PubAck(held.packetId(), ReasonCode.SUCCESS));
            Await.until("it has answered", () -> slowest(null).get(0).pace().pendingMillis() == 0);
            assertThat(slowest(null).get(0).pace().averageMillis()).isGreaterThanOrEqualTo(100);
        }
    }

    @Test
    void theBusiestAreCounted() {
        try (TestClient sub = subscriber(false);
                TestClient pub = TestClient.clean(node.address, 5, "pub")) {
            sub.subscribe(1, "#", Qos.AT_MOST_ONCE);
            for (int i = 0; i < 20; i++) {
                pub.send(TestClient.publish(0, Qos.AT_MOST_ONCE, false, i < 15 ? "often" : "seldom", "xyz"));
                sub.receive(Publish.class);
            }
            List<TrafficCount> topics = top(TrafficKind.TOPICS, 1);
            assertThat(topics).extracting(each -> each.key().name()).containsExactly("often");
            assertThat(topics.get(0).messagesIn()).isBetween(7L, 15L); // a minute may have ended
            assertThat(top(TrafficKind.CLIENTS_BY_BYTES, 5))
                    .extracting(each -> each.key().name())
                    .containsExactlyInAnyOrder("pub", "sub");
        }
    }

    private List<TrafficCount> top(TrafficKind kind, int limit) {
        return node.server
                .traffic(kind, key -> key.tenant().equals("default"), limit, ForkJoinPool.commonPool())
                .orTimeout(60, TimeUnit.SECONDS)
                .join();
    }
}
