package io.godwit.mqtt;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.dist.client.DistOutcome;
import io.godwit.mqtt.packet.Connect;
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
import io.godwit.mqtt.packet.field.WillPacket;
import io.godwit.mqtt.topic.AutoSubscription;
import io.godwit.mqtt.topic.RewriteRule;
import io.godwit.mqtt.topic.TopicRules;
import io.godwit.plugin.client.TenantId;
import io.godwit.plugin.event.BrokerEvent;
import io.godwit.plugin.event.PublishRefusalCause;
import io.godwit.plugin.message.MessageProperties;
import io.godwit.plugin.message.Qos;
import io.godwit.plugin.topic.TopicFilter;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Rewritten topics and automatic subscriptions, over real sockets. */
class TopicConveniencesTest {
    private final TestNode node = new TestNode(new TopicRules(
            List.of(
                    RewriteRule.parse("publish in/# ^in/([^$].*)$ out/$1"),
                    RewriteRule.parse("publish in/# ^in/(.+)$ $1"),
                    RewriteRule.parse("subscribe alias ^alias$ out/x")),
            Stream.of("to/%c 1", "all/# 0").map(AutoSubscription::parse).toList(),
            true,
            60,
            true));

    @AfterEach
    void close() {
        node.close();
    }

    @Test
    void aPublishGoesWhereTheRuleSays() {
        try (TestClient client = TestClient.clean(node.address, 5, "c")) {
            client.subscribe(1, "alias", Qos.AT_LEAST_ONCE);
            client.send(TestClient.publish(0, Qos.AT_MOST_ONCE, false, "in/x", "m"));
            assertThat(client.receive(Publish.class).topic()).isEqualTo("out/x");
        }
    }

    @ParameterizedTest
    @CsvSource({"in/$SYS/x,NOT_AUTHORIZED", "in/$delayed/61/x,TOPIC_NAME_INVALID", "in/$delayed/60/x,SUCCESS"})
    void aPublishMustBeAllowedWhereTheRulePutsIt(String topic, ReasonCode code) {
        WillPacket will = new WillPacket(topic, new byte[1], Qos.AT_LEAST_ONCE, false, MessageProperties.NONE, 0);
        try (TestClient client = TestClient.clean(node.address, 5, "c");
                TestClient other = new TestClient(node.address, 5)) {
            client.send(TestClient.publish(1, Qos.AT_LEAST_ONCE, false, topic, "m"));
            ReasonCode answer = client.receive(PubAck.class).reasonCode();
            assertThat(answer == ReasonCode.NO_MATCHING_SUBSCRIBERS ? ReasonCode.SUCCESS : answer)
                    .isEqualTo(code);
            assertThat(other.connect(new Connect(5, true, 0, "w", null, null, will))
                            .reasonCode())
                    .isEqualTo(code);
        }
    }

    @Test
    void aClientHasItsAutomaticSubscriptionsOnceItIsConnected() {
        try (TestClient client = TestClient.clean(node.address, 4, "c");
                TestClient stored = TestClient.persistent(node.address, 5, "s")) {
            client.send(TestClient.publish(1, Qos.AT_LEAST_ONCE, false, "to/c", "one"));
            assertThat(Stream.of(client.receive(), client.receive()))
                    .hasAtLeastOneElementOfType(PubAck.class)
                    .hasAtLeastOneElementOfType(Publish.class);
            client.send(TestClient.publish(2, Qos.AT_LEAST_ONCE, false, "to/s", "two"));
            assertThat(stored.receivePayload()).isEqualTo("two");
            client.receive(PubAck.class);
            client.send(TestClient.publish(0, Qos.AT_MOST_ONCE, false, "all/a", "three"));
            assertThat(client.receivePayload()).isEqualTo("three");
        }
    }

    /** Whichever way the first one's session is kept. */
    @ParameterizedTest
    @CsvSource({"5, false, 0x97", "4, false, 0x80", "5, true, 0x97"})
    void anExclusiveFilterIsRefusedToASecondClient(int level, boolean isPersistent, String code) {
        try (TestClient first = isPersistent
                        ? TestClient.persistent(node.address, level, "1")
                        : TestClient.clean(node.address, level, "1");
                TestClient second = TestClient.clean(node.address, level, "2")) {
            assertThat(first.subscribe(1, "$exclusive/e/+", Qos.AT_LEAST_ONCE).reasonCodes())
                    .containsExactly(ReasonCode.GRANTED_QOS_1);
            assertThat(first.subscribe(2, "$exclusive/e/+", Qos.AT_MOST_ONCE).reasonCodes())
                    .as("a client may subscribe to its own exclusive filter again")
                    .containsExactly(ReasonCode.SUCCESS);
            second.send(new Subscribe(
                    3,
                    List.of(subscription("other"), subscription("$exclusive/e/+"), subscription("$exclusive/free"))));
            assertThat(second.receive(SubAck.class).reasonCodes())
                    .extracting(ReasonCode::value)
                    .containsExactly(1, Integer.decode(code), 1);
            second.send(TestClient.publish(0, Qos.AT_MOST_ONCE, false, "e/1", "m"));
            assertThat(first.receivePayload()).isEqualTo("m");

            first.send(new Unsubscribe(
                    4, List.of(TopicFilter.parse("$exclusive/e/+").orElseThrow())));
            first.receive(UnsubAck.class);
            assertThat(second.subscribe(5, "$exclusive/e/+", Qos.AT_LEAST_ONCE).reasonCodes())
                    .containsExactly(ReasonCode.GRANTED_QOS_1);
        }
    }

    @Test
    void anExclusiveFilterIsNotValidWhereItIsNotAllowed() {
        try (TestNode plain = new TestNode();
                TestClient client = TestClient.clean(plain.address, 5, "c")) {
            assertThat(client.subscribe(1, "$exclusive/e", Qos.AT_LEAST_ONCE).reasonCodes())
                    .containsExactly(ReasonCode.TOPIC_FILTER_INVALID);
        }
    }

    @Test
    void aTopicThatNobodyMayPublishToIsRefused() {
        try (TestClient five = TestClient.clean(node.address, 5, "5");
                TestClient four = TestClient.clean(node.address, 4, "4")) {
            for (int qos = 1; qos <= 2; qos++) {
                five.send(TestClient.publish(qos, Qos.of(qos), false, "$delayed/61/a", "m"));
                four.send(TestClient.publish(qos, Qos.of(qos), false, "$delayed/61/a", "m"));
            }
            assertThat(five.receive(PubAck.class).reasonCode()).isEqualTo(ReasonCode.TOPIC_NAME_INVALID);
            assertThat(five.receive(PubRec.class).reasonCode()).isEqualTo(ReasonCode.TOPIC_NAME_INVALID);
            assertThat(four.receive(PubAck.class).packetId()).isEqualTo(1);
            assertThat(four.receive(PubRec.class).packetId()).isEqualTo(2);
            four.send(new PubRel(2, ReasonCode.SUCCESS));
            assertThat(four.receive(PubComp.class).packetId()).isEqualTo(2);
            assertThat(node.events.stream().filter(BrokerEvent.PublishRefused.class::isInstance))
                    .hasSize(4)
                    .allMatch(event ->
                            ((BrokerEvent.PublishRefused) event).cause() == PublishRefusalCause.TOPIC_NOT_ALLOWED);
            assertThat(node.count("godwit.mqtt.publishes.refused")).isEqualTo(4);
        }
    }

    @Test
    void aWillThatNobodyMayPublishIsRefusedWithItsClient() {
        try (TestClient client = new TestClient(node.address, 5)) {
            Connect connect = new Connect(
                    5,
                    true,
                    0,
                    "c",
                    null,
                    null,
                    new WillPacket("$SYS/a", new byte[0], Qos.AT_MOST_ONCE, false, MessageProperties.NONE, 0));
            assertThat(client.connect(connect).reasonCode()).isEqualTo(ReasonCode.NOT_AUTHORIZED);
        }
    }

    /** If it is published later, it is also retained later. */
    @Test
    void aDelayedMessageIsNotRetainedAtOnce() {
        try (TestClient client = TestClient.clean(node.address, 5, "c")) {
            client.send(TestClient.publish(1, Qos.AT_LEAST_ONCE, true, "$delayed/60/a", "m"));
            client.receive(PubAck.class);
            assertThat(node.retain
                            .match(TenantId.DEFAULT, subscription("$delayed/#").filter(), null, 1, 100)
                            .join()
                            .messages())
                    .isEmpty();
        }
    }

    /** It has no receivers yet for which its loss could be reported. */
    @Test
    void aDelayedMessageOfQos0ThatIsNotTakenIsReported() {
        node.dist.answerNext(CompletableFuture.completedFuture(DistOutcome.OVERLOADED));
        try (TestClient client = TestClient.clean(node.address, 5, "c")) {
            client.send(TestClient.publish(0, Qos.AT_MOST_ONCE, false, "$delayed/60/a", "m"));
            client.send(TestClient.publish(1, Qos.AT_LEAST_ONCE, false, "$delayed/60/a", "m"));
            client.receive(PubAck.class);
            assertThat(node.events.stream().filter(BrokerEvent.PublishRefused.class::isInstance))
                    .hasSize(1);
            assertThat(node.count("godwit.mqtt.publishes.refused")).isEqualTo(1);
        }
    }

    private static Subscription subscription(String filter) {
        return new Subscription(TopicFilter.parse(filter).orElseThrow(), Qos.AT_LEAST_ONCE);
    }

    @Test
    void whatWasUnsubscribedIsThereAgainAtTheNextConnect() {
        try (TestClient first = TestClient.persistent(node.address, 5, "s")) {
            long before = node.dist.size();
            first.send(new Unsubscribe(1, List.of(TopicFilter.parse("to/s").orElseThrow())));
            first.receive(UnsubAck.class);
            assertThat(node.dist.size()).isEqualTo(before - 1);
        }
        try (TestClient back = new TestClient(node.address, 5)) {
            assertThat(back.connect(TestClient.persistent(5, "s")).sessionPresent())
                    .isTrue();
            back.send(TestClient.publish(1, Qos.AT_LEAST_ONCE, false, "to/s", "again"));
            assertThat(Stream.of(back.receive(), back.receive())).hasAtLeastOneElementOfType(Publish.class);
        }
    }
}
