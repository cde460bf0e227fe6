package io.godwit.mqtt;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.conformance.Clause;
import io.godwit.mqtt.auth.AuthConfig;
import io.godwit.mqtt.packet.Disconnect;
import io.godwit.mqtt.packet.PingReq;
import io.godwit.mqtt.packet.PingResp;
import io.godwit.mqtt.packet.PubAck;
import io.godwit.mqtt.packet.PubComp;
import io.godwit.mqtt.packet.PubRec;
import io.godwit.mqtt.packet.PubRel;
import io.godwit.mqtt.packet.Publish;
import io.godwit.mqtt.packet.SubAck;
import io.godwit.mqtt.packet.Subscribe;
import io.godwit.mqtt.packet.UnsubAck;
import io.godwit.mqtt.packet.Unsubscribe;
import io.godwit.mqtt.packet.field.ReasonCode;
import io.godwit.mqtt.packet.field.Subscription;
import io.godwit.mqtt.twin.MemoryAuth;
import io.godwit.plugin.auth.AuthCheck;
import io.godwit.plugin.auth.AuthDecision;
import io.godwit.plugin.event.BrokerEvent;
import io.godwit.plugin.message.Qos;
import io.godwit.plugin.topic.TopicFilter;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Authorization of publishes and subscriptions, over real sockets. */
class AccessTest {
    private final MemoryAuth auth = new MemoryAuth();
    private @Nullable TestNode node;

    @AfterEach
    void close() {
        if (node != null) {
            node.close();
        }
    }

    private TestNode start(boolean disconnects) {
        node = new TestNode(auth, new AuthConfig(Duration.ofSeconds(20), disconnects, true));
        return node;
    }

    private TestNode denying(boolean disconnects) {
        auth.onPublish(request -> MemoryAuth.unlessNo(request.topic()));
        return start(disconnects);
    }

    private static Subscription to(String filter) {
        return new Subscription(TopicFilter.parse(filter).orElseThrow(), Qos.AT_LEAST_ONCE);
    }

    private List<String> deniedTopics() {
        return node.events.stream()
                .filter(BrokerEvent.PublishDenied.class::isInstance)
                .map(event -> ((BrokerEvent.PublishDenied) event).topic())
                .toList();
    }

    @Test
    @Clause({"MQTT5-3.4.2-1", "MQTT5-3.5.2-1"})
    void aDeniedPublishIsToldAndDiscarded() {
        TestNode node = denying(false);
        try (TestClient client = TestClient.clean(node.address, 5, "c")) {
            client.subscribe(1, "#", Qos.AT_MOST_ONCE);
            client.send(
                    TestClient.publish(0, Qos.AT_MOST_ONCE, false, "no/0", "x"),
                    TestClient.publish(1, Qos.AT_LEAST_ONCE, false, "no/1", "x"),
                    TestClient.publish(2, Qos.EXACTLY_ONCE, false, "no/2", "x"),
                    TestClient.publish(3, Qos.AT_LEAST_ONCE, true, "no/3", "x"),
                    TestClient.publish(0, Qos.AT_MOST_ONCE, false, "yes", "y"));
            assertThat(client.receive(PubAck.class)).isEqualTo(new PubAck(1, ReasonCode.NOT_AUTHORIZED));
            assertThat(client.receive(PubRec.class)).isEqualTo(new PubRec(2, ReasonCode.NOT_AUTHORIZED));
            assertThat(client.receive(PubAck.class)).isEqualTo(new PubAck(3, ReasonCode.NOT_AUTHORIZED));
            assertThat(client.receivePayload()).isEqualTo("y");
            client.subscribe(2, "no/3", Qos.AT_MOST_ONCE);
            client.send(new PingReq());
            client.receive(PingResp.class); // nothing retained
        }
        assertThat(deniedTopics()).containsExactly("no/0", "no/1", "no/2", "no/3");
        assertThat(node.count("godwit.mqtt.publishes.denied")).isEqualTo(4);
    }

    /** [MQTT311-3.3.5-2]: a positive acknowledgement, or the connection is closed. */
    @ParameterizedTest
    @ValueSource(ints = {3, 4})
    @Clause({"MQTT311-3.3.5-2", "MQTT31-3.3-2"})
    void before5ADeniedPublishIsAcknowledgedAndDiscarded(int level) {
        TestNode node = denying(false);
        try (TestClient client = TestClient.clean(node.address, level, "c")) {
            client.subscribe(1, "#", Qos.AT_MOST_ONCE);
            client.send(
                    TestClient.publish(1, Qos.AT_LEAST_ONCE, false, "no/1", "x"),
                    TestClient.publish(2, Qos.EXACTLY_ONCE, false, "no/2", "x"));
            assertThat(client.receive(PubAck.class).packetId()).isEqualTo(1);
            assertThat(client.receive(PubRec.class).packetId()).isEqualTo(2);
            client.send(new PubRel(2, ReasonCode.SUCCESS));
            assertThat(client.receive(PubComp.class).packetId()).isEqualTo(2);
        }
        assertThat(deniedTopics()).containsExactly("no/1", "no/2");
    }

    @ParameterizedTest
    @ValueSource(ints = {4, 5})
    @Clause("MQTT311-3.3.5-2")
    void aDeniedPublishEndsTheConnectionWhenToldTo(int level) {
        TestNode node = denying(true);
        for (Qos qos : Qos.values()) {
            try (TestClient client = TestClient.clean(node.address, level, "c" + qos)) {
                client.send(TestClient.publish(qos.value(), qos, false, "no", "x"));
                if (level == 5) {
                    assertThat(client.receive(Disconnect.class).reasonCode()).isEqualTo(ReasonCode.NOT_AUTHORIZED);
                }
                assertThat(client.isClosedByServer()).isTrue();
            }
        }
    }

    @Test
    void deniedPublishesDoNotUseUpTheReceiveMaximum() {
        TestNode node = denying(false);
        try (TestClient client = TestClient.clean(node.address, 5, "c")) {
            for (int i = 1; i <= 3000; i++) { // three times the Receive Maximum
                client.send(TestClient.publish(1, Qos.EXACTLY_ONCE, false, "no", "x"));
                client.receive(PubRec.class);
            }
        }
    }

    @Test
    void anAnswerIsUsedAgainWhileTheRulesStay() {
        TestNode node = denying(false);
        try (TestClient client = TestClient.clean(node.address, 5, "c")) {
            for (String topic : List.of("a", "a", "b", "a", "a")) {
                client.send(TestClient.publish(1, Qos.AT_LEAST_ONCE, false, topic, "x"));
                client.receive(PubAck.class);
            }
            assertThat(auth.topics).containsExactly("a", "b", "a");
            auth.version = 1;
            client.send(TestClient.publish(1, Qos.AT_LEAST_ONCE, false, "a", "x"));
            client.receive(PubAck.class);
            assertThat(auth.topics).containsExactly("a", "b", "a", "a");
            client.send(TestClient.publish(1, Qos.AT_LEAST_ONCE, true, "a", "x"));
            client.receive(PubAck.class);
            assertThat(auth.topics)
                    .as("another RETAIN flag needs another check")
                    .hasSize(5);
        }
    }

    @Test
    void noAnswerIsUsedOnlyOnce() {
        auth.onPublish(request -> auth.topics.size() == 1 ? null : MemoryAuth.unlessNo(request.topic()));
        TestNode node = start(false);
        try (TestClient client = TestClient.clean(node.address, 5, "c")) {
            client.send(TestClient.publish(1, Qos.AT_LEAST_ONCE, false, "a", "x"));
            assertThat(client.receive(PubAck.class).reasonCode()).isEqualTo(ReasonCode.NOT_AUTHORIZED);
            client.send(TestClient.publish(1, Qos.AT_LEAST_ONCE, false, "a", "x"));
            assertThat(client.receive(PubAck.class).reasonCode()).isEqualTo(ReasonCode.NO_MATCHING_SUBSCRIBERS);
        }
        assertThat(node.events)
                .filteredOn(BrokerEvent.AuthFailed.class::isInstance)
                .extracting(event -> ((BrokerEvent.AuthFailed) event).check())
                .containsExactly(AuthCheck.PUBLISH);
    }

    /**
     * Publishes keep their order however the answers come [MQTT5-4.6.0-5], and so do their acknowledgements
     * [MQTT5-4.6.0-2].
     */
    @Test
    void answersOutOfOrderDoNotReorderPublishes() throws Exception {
        BlockingQueue<CompletableFuture<AuthDecision>> asked = new LinkedBlockingQueue<>();
        auth.onPublish(request -> {
            CompletableFuture<AuthDecision> answer = new CompletableFuture<>();
            asked.add(answer);
            return answer;
        });
        TestNode node = start(false);
        try (TestClient client = TestClient.clean(node.address, 5, "c");
                TestClient subscriber = TestClient.clean(node.address, 5, "s")) {
            subscriber.subscribe(1, "#", Qos.AT_MOST_ONCE);
            List<CompletableFuture<AuthDecision>> answers = new ArrayList<>();
            for (int i = 1; i <= 4; i++) {
                client.send(TestClient.publish(i, Qos.AT_LEAST_ONCE, i == 3, "t/" + i, "m" + i));
                answers.add(asked.poll(10, TimeUnit.SECONDS));
            }
            client.send(new PingReq());
            client.receive(PingResp.class); // only what must wait does

            answers.get(3).complete(AuthDecision.ALLOWED);
            answers.get(1).complete(new AuthDecision.Denied("no"));
            answers.get(2).complete(AuthDecision.ALLOWED);
            client.send(new PingReq());
            client.receive(PingResp.class);
            answers.get(0).complete(AuthDecision.ALLOWED);

            List<ReasonCode> codes = new ArrayList<>();
            for (int i = 1; i <= 4; i++) {
                PubAck ack = client.receive(PubAck.class);
                assertThat(ack.packetId()).isEqualTo(i);
                codes.add(ack.reasonCode());
            }
            assertThat(codes)
                    .containsExactly(
                            ReasonCode.SUCCESS, ReasonCode.NOT_AUTHORIZED, ReasonCode.SUCCESS, ReasonCode.SUCCESS);
            assertThat(List.of(subscriber.receivePayload(), subscriber.receivePayload(), subscriber.receivePayload()))
                    .containsExactly("m1", "m3", "m4");
        }
    }

    /** Nobody is asked about a repetition; behind its PUBREL it would be another message. */
    @Test
    void aRepetitionThatWaitsUntilItsPubrelHasComeIsNotPublished() throws Exception {
        BlockingQueue<CompletableFuture<AuthDecision>> asked = new LinkedBlockingQueue<>();
        auth.onPublish(request -> {
            if (!request.topic().equals("slow")) {
                return MemoryAuth.unlessNo(request.topic());
            }
            CompletableFuture<AuthDecision> answer = new CompletableFuture<>();
            asked.add(answer);
            return answer;
        });
        TestNode node = start(false);
        try (TestClient client = TestClient.clean(node.address, 5, "c");
                TestClient subscriber = TestClient.clean(node.address, 5, "s")) {
            subscriber.subscribe(1, "#", Qos.AT_MOST_ONCE);
            client.send(TestClient.publish(7, Qos.EXACTLY_ONCE, false, "yes", "begun"));
            client.receive(PubRec.class);
            client.send(
                    TestClient.publish(1, Qos.AT_LEAST_ONCE, false, "slow", "asked about"),
                    TestClient.publish(7, Qos.EXACTLY_ONCE, false, "no/7", "not asked about"),
                    new PubRel(7, ReasonCode.SUCCESS));
            assertThat(client.receive(PubComp.class).packetId()).isEqualTo(7);
            asked.poll(10, TimeUnit.SECONDS).complete(AuthDecision.ALLOWED);
            assertThat(client.receive(PubAck.class).packetId()).isEqualTo(1);
            client.send(new PingReq());
            client.receive(PingResp.class);
            assertThat(subscriber.receivePayload()).isEqualTo("begun");
            assertThat(subscriber.receivePayload()).isEqualTo("asked about");
            subscriber.send(new PingReq());
            subscriber.receive(PingResp.class);
        }
    }

    /** {@code mosquitto_pub -q 0} closes right after its message. */
    @Test
    void aPublishOfQos0SurvivesItsConnection() throws Exception {
        BlockingQueue<CompletableFuture<AuthDecision>> asked = new LinkedBlockingQueue<>();
        auth.onPublish(request -> {
            CompletableFuture<AuthDecision> answer = new CompletableFuture<>();
            asked.add(answer);
            return answer;
        });
        TestNode node = start(false);
        try (TestClient subscriber = TestClient.clean(node.address, 5, "s")) {
            subscriber.subscribe(1, "#", Qos.AT_MOST_ONCE);
            List<CompletableFuture<AuthDecision>> answers = new ArrayList<>();
            try (TestClient client = TestClient.clean(node.address, 5, "c")) {
                client.send(
                        TestClient.publish(0, Qos.AT_MOST_ONCE, false, "a", "plain"),
                        TestClient.publish(0, Qos.AT_MOST_ONCE, true, "r", "retained"),
                        TestClient.publish(7, Qos.AT_LEAST_ONCE, false, "q", "unacknowledged"),
                        TestClient.publish(0, Qos.AT_MOST_ONCE, false, "d", "denied"),
                        Disconnect.NORMAL);
                for (int i = 0; i < 4; i++) {
                    answers.add(asked.poll(10, TimeUnit.SECONDS));
                }
                assertThat(client.isClosedByServer()).isTrue();
            }
            answers.get(3).complete(new AuthDecision.Denied("no"));
            answers.subList(0, 3).forEach(answer -> answer.complete(AuthDecision.ALLOWED));
            assertThat(Stream.of(subscriber.receivePayload(), subscriber.receivePayload()))
                    .containsExactly("plain", "retained");
            subscriber.send(new PingReq());
            subscriber.receive(PingResp.class);
        }
        assertThat(deniedTopics()).containsExactly("d");
        assertThat(node.retain.topics()).containsExactly("r");
    }

    /** MQTT 3.1 has no way to tell: its client has a positive answer and no subscription. */
    @ParameterizedTest
    @ValueSource(ints = {3, 4, 5})
    @Clause({
        "MQTT5-3.8.4-7",
        "MQTT5-3.9.3-2",
        "MQTT311-3.8.4-5",
        "MQTT311-3.9.3-2",
        "MQTT31-3.8-1",
        "MQTT31-3.9-1",
        "MQTT31-3.9-2"
    })
    void deniedFiltersAreToldOneByOne(int level) {
        auth.onSubscribe(request -> MemoryAuth.unlessNo(request.filter().filter()));
        TestNode node = start(false);
        try (TestClient client = TestClient.clean(node.address, level, "c")) {
            client.send(new Subscribe(1, List.of(to("no/1"), to("a"), to("$share/g/no/2"), to("b"))));
            SubAck ack = client.receive(SubAck.class);
            ReasonCode no = level == 5
                    ? ReasonCode.NOT_AUTHORIZED
                    : level == 4 ? ReasonCode.UNSPECIFIED_ERROR : ReasonCode.GRANTED_QOS_1;
            assertThat(ack.reasonCodes()).containsExactly(no, ReasonCode.GRANTED_QOS_1, no, ReasonCode.GRANTED_QOS_1);
            client.send(new Subscribe(2, List.of(to("no/3"))));
            assertThat(client.receive(SubAck.class).reasonCodes()).containsExactly(no);
            client.send(
                    TestClient.publish(0, Qos.AT_MOST_ONCE, false, "no/1", "1"),
                    TestClient.publish(0, Qos.AT_MOST_ONCE, false, "no/2", "2"),
                    TestClient.publish(0, Qos.AT_MOST_ONCE, false, "b", "b"));
            assertThat(client.receive(Publish.class).topic()).isEqualTo("b");
        }
        assertThat(node.events)
                .filteredOn(BrokerEvent.SubscribeDenied.class::isInstance)
                .extracting(event -> ((BrokerEvent.SubscribeDenied) event).filter())
                .containsExactly("no/1", "$share/g/no/2", "no/3");
    }

    @Test
    void retainedMessagesGoToTheFiltersThatAreAllowed() {
        auth.onSubscribe(request -> MemoryAuth.unlessNo(request.filter().filter()));
        TestNode node = start(false);
        try (TestClient client = TestClient.clean(node.address, 5, "c")) {
            client.send(
                    TestClient.publish(1, Qos.AT_LEAST_ONCE, true, "no", "x"),
                    TestClient.publish(2, Qos.AT_LEAST_ONCE, true, "yes", "y"));
            client.receive(PubAck.class);
            client.receive(PubAck.class);
            client.send(new Subscribe(1, List.of(to("no"), to("yes"))));
            client.receive(SubAck.class);
            assertThat(client.receivePayload()).isEqualTo("y");
        }
    }

    /** An UNSUBSCRIBE does not overtake a SUBSCRIBE that is still being checked. */
    @Test
    void subscribeAndUnsubscribeKeepTheirOrder() throws Exception {
        BlockingQueue<CompletableFuture<AuthDecision>> asked = new LinkedBlockingQueue<>();
        auth.onSubscribe(request -> {
            CompletableFuture<AuthDecision> answer = new CompletableFuture<>();
            asked.add(answer);
            return answer;
        });
        TestNode node = start(false);
        try (TestClient client = TestClient.clean(node.address, 5, "c")) {
            client.send(
                    new Subscribe(1, List.of(to("a"))),
                    new Unsubscribe(2, List.of(TopicFilter.parse("a").orElseThrow()), List.of()),
                    new PingReq());
            client.receive(PingResp.class);
            asked.poll(10, TimeUnit.SECONDS).complete(AuthDecision.ALLOWED);
            assertThat(client.receive(SubAck.class).packetId()).isEqualTo(1);
            assertThat(client.receive(UnsubAck.class).reasonCodes()).containsExactly(ReasonCode.SUCCESS);
            assertThat(node.dist.size()).isZero();
        }
    }
}
