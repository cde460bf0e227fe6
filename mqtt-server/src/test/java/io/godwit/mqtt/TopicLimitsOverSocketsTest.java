package io.godwit.mqtt;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.conformance.Clause;
import io.godwit.mqtt.packet.Connect;
import io.godwit.mqtt.packet.PubAck;
import io.godwit.mqtt.packet.PubRec;
import io.godwit.mqtt.packet.SubAck;
import io.godwit.mqtt.packet.Subscribe;
import io.godwit.mqtt.packet.UnsubAck;
import io.godwit.mqtt.packet.Unsubscribe;
import io.godwit.mqtt.packet.field.ReasonCode;
import io.godwit.mqtt.packet.field.Subscription;
import io.godwit.mqtt.packet.field.WillPacket;
import io.godwit.mqtt.session.core.SessionConfig;
import io.godwit.mqtt.topic.TopicLimits;
import io.godwit.plugin.event.BrokerEvent;
import io.godwit.plugin.message.MessageProperties;
import io.godwit.plugin.message.Qos;
import io.godwit.plugin.topic.TopicFilter;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Topics and filters over a limit. */
class TopicLimitsOverSocketsTest {
    private static final TestNode NODE =
            new TestNode(TestNode.TRANSPORT, SessionConfig.DEFAULTS.with(new TopicLimits(3, 20, 4, 5, 3)));
    private static final String DEEP = "a/b/c/d";
    private static final String LONG = "aaaaaaaaaaaaaaaaaaaaa";

    @AfterAll
    static void close() {
        NODE.close();
    }

    private static ReasonCode[] subscribe(TestClient client, String... filters) {
        List<Subscription> asked = List.of(filters).stream()
                .map(filter -> new Subscription(TopicFilter.parse(filter).orElseThrow(), Qos.AT_LEAST_ONCE))
                .toList();
        client.send(new Subscribe(9, asked));
        return client.receive(SubAck.class).reasonCodes().toArray(ReasonCode[]::new);
    }

    @ParameterizedTest
    @ValueSource(strings = {DEEP, LONG})
    void aPublishOverALimitIsRefusedAndTheConnectionGoesOn(String topic) {
        int before = NODE.events.size();
        try (TestClient client = TestClient.clean(NODE.address, 5, "publisher")) {
            client.send(
                    TestClient.publish(0, Qos.AT_MOST_ONCE, false, topic, "x"),
                    TestClient.publish(1, Qos.AT_LEAST_ONCE, false, topic, "x"),
                    TestClient.publish(2, Qos.EXACTLY_ONCE, false, topic, "x"),
                    TestClient.publish(3, Qos.AT_LEAST_ONCE, false, "a/b/c", "x"));
            assertThat(client.receive(PubAck.class).reasonCode()).isEqualTo(ReasonCode.TOPIC_NAME_INVALID);
            assertThat(client.receive(PubRec.class).reasonCode()).isEqualTo(ReasonCode.TOPIC_NAME_INVALID);
            assertThat(client.receive(PubAck.class).reasonCode()).isEqualTo(ReasonCode.NO_MATCHING_SUBSCRIBERS);
        }
        assertThat(NODE.events.stream().skip(before))
                .filteredOn(BrokerEvent.PublishRefused.class::isInstance)
                .hasSize(3);
    }

    /** MQTT 3.1.1 has no word for it. */
    @ParameterizedTest
    @ValueSource(ints = {0, 1, 2})
    void underTheOlderVersionThatEndsTheConnection(int qos) {
        try (TestClient client = TestClient.clean(NODE.address, 4, "publisher")) {
            client.send(TestClient.publish(qos, Qos.of(qos), false, DEEP, "x"));
            assertThat(client.isClosedByServer()).isTrue();
        }
    }

    @Test
    void aWillOverALimitIsRefusedWithItsConnect() {
        WillPacket will = new WillPacket(DEEP, new byte[0], Qos.AT_MOST_ONCE, false, MessageProperties.NONE, 0);
        try (TestClient client = new TestClient(NODE.address, 5)) {
            assertThat(client.connect(new Connect(5, true, 0, "c", null, null, will))
                            .reasonCode())
                    .isEqualTo(ReasonCode.TOPIC_NAME_INVALID);
            assertThat(client.isClosedByServer()).isTrue();
        }
    }

    @Test
    @Clause({"MQTT5-3.8.4-7", "MQTT5-3.9.3-1", "MQTT5-3.9.3-2"})
    void aFilterOverALimitIsRefusedAndTheOthersAreNot() {
        int before = NODE.events.size();
        try (TestClient client = TestClient.clean(NODE.address, 5, "subscriber")) {
            assertThat(subscribe(client, "a/+/#", "a/+/b/#", LONG, "$share/g/a/b"))
                    .containsExactly(
                            ReasonCode.GRANTED_QOS_1,
                            ReasonCode.TOPIC_FILTER_INVALID,
                            ReasonCode.TOPIC_FILTER_INVALID,
                            ReasonCode.TOPIC_FILTER_INVALID);
        }
        assertThat(NODE.events.stream().skip(before))
                .filteredOn(BrokerEvent.SubscribeRefused.class::isInstance)
                .hasSize(3);
    }

    /** A topic then matches few of a session's filters, however many it has. */
    @Test
    void aFilterOfAPatternTooManyIsRefused() {
        try (TestClient client = TestClient.clean(NODE.address, 5, "subscriber")) {
            assertThat(subscribe(client, "+", "+/a", "$share/g/a", "+/+"))
                    .containsExactly(
                            ReasonCode.GRANTED_QOS_1,
                            ReasonCode.GRANTED_QOS_1,
                            ReasonCode.GRANTED_QOS_1,
                            ReasonCode.QUOTA_EXCEEDED);
            // one with the pattern of another, one that exists already, and one without a wildcard
            assertThat(subscribe(client, "+/b", "+", "a"))
                    .containsExactly(ReasonCode.GRANTED_QOS_1, ReasonCode.GRANTED_QOS_1, ReasonCode.GRANTED_QOS_1);
            client.send(new Unsubscribe(2, List.of(TopicFilter.parse("+").orElseThrow())));
            client.receive(UnsubAck.class);
            assertThat(subscribe(client, "+/+")).containsExactly(ReasonCode.GRANTED_QOS_1);
        }
    }

    @Test
    @Clause({"MQTT311-3.8.4-5", "MQTT311-3.9.3-2"})
    void whatOneSubscribeHasTooMuchIsRefused() {
        try (TestClient client = TestClient.clean(NODE.address, 4, "subscriber")) {
            assertThat(subscribe(client, "1", "2", "3", "4", "5"))
                    .startsWith(
                            ReasonCode.GRANTED_QOS_1,
                            ReasonCode.GRANTED_QOS_1,
                            ReasonCode.GRANTED_QOS_1,
                            ReasonCode.GRANTED_QOS_1)
                    .endsWith(ReasonCode.UNSPECIFIED_ERROR)
                    .hasSize(5);
        }
    }

    /** A SUBACK of MQTT 3.1 cannot refuse a filter, so closing the connection signals the error. */
    @ParameterizedTest
    @ValueSource(strings = {"1 2 3 4 5", "a a/b/c/d/e/f b"})
    @Clause("MQTT31-3.8-2")
    void aFilterTooManyOrTooDeepEndsAConnectionOfMqtt31(String filters) {
        try (TestClient client = TestClient.clean(NODE.address, 3, "old")) {
            client.send(new Subscribe(
                    1,
                    Stream.of(filters.split(" "))
                            .map(filter ->
                                    new Subscription(TopicFilter.parse(filter).orElseThrow(), Qos.AT_LEAST_ONCE))
                            .toList()));
            assertThat(client.isClosedByServer()).isTrue();
        }
    }

    /** A filter that the session has already does not count again, even from an earlier connection. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void aSessionHasSoManyFiltersAndMayNameThemAgain(boolean isStored) {
        String id = "subscriber " + isStored;
        TestClient client =
                isStored ? TestClient.persistent(NODE.address, 5, id) : TestClient.clean(NODE.address, 5, id);
        assertThat(subscribe(client, "1", "2", "3")).containsOnly(ReasonCode.GRANTED_QOS_1);
        if (isStored) {
            client.close();
            client = TestClient.persistent(NODE.address, 5, id);
        }
        assertThat(subscribe(client, "1", "2", "3", "4")).containsOnly(ReasonCode.GRANTED_QOS_1);
        assertThat(subscribe(client, "5", "1", "6", "2"))
                .containsExactly(
                        ReasonCode.GRANTED_QOS_1,
                        ReasonCode.GRANTED_QOS_1,
                        ReasonCode.QUOTA_EXCEEDED,
                        ReasonCode.GRANTED_QOS_1);
        client.send(new Unsubscribe(1, List.of(TopicFilter.parse("3").orElseThrow()), List.of()));
        client.receive(UnsubAck.class);
        assertThat(subscribe(client, "6", "7")).containsExactly(ReasonCode.GRANTED_QOS_1, ReasonCode.QUOTA_EXCEEDED);
        client.close();
    }

    /** 4 MB of such filters would take 64 MB in the index. */
    @Test
    void deepFiltersWithWildcardsAreFew() {
        String levels = "/a".repeat(990) + "/+";
        String[] deep = IntStream.range(0, 500).mapToObj(i -> i + levels).toArray(String[]::new);
        try (TestNode node = new TestNode();
                TestClient client = TestClient.clean(node.address, 5, "c")) {
            ReasonCode[] codes = subscribe(client, deep);
            long granted = Stream.of(codes).filter(code -> !code.isError()).count();
            assertThat(granted).isBetween(230L, 240L);
            assertThat(codes[499]).isEqualTo(ReasonCode.QUOTA_EXCEEDED);
        }
    }

    @Test
    void theDefaultsAreGenerous() {
        String longest = "x".repeat(65_535);
        String deepest = "/".repeat(999);
        try (TestNode node = new TestNode();
                TestClient client = TestClient.clean(node.address, 5, "c")) {
            assertThat(subscribe(client, longest, deepest)).containsOnly(ReasonCode.GRANTED_QOS_1);
            client.send(
                    TestClient.publish(0, Qos.AT_MOST_ONCE, false, longest, "long"),
                    TestClient.publish(0, Qos.AT_MOST_ONCE, false, deepest, "deep"));
            assertThat(client.receivePayload()).isEqualTo("long");
            assertThat(client.receivePayload()).isEqualTo("deep");

            String[] many = IntStream.range(0, 9_998).mapToObj(i -> "f/" + i).toArray(String[]::new);
            assertThat(subscribe(client, many)).containsOnly(ReasonCode.GRANTED_QOS_1);
            assertThat(subscribe(client, "one more")).containsExactly(ReasonCode.QUOTA_EXCEEDED);
        }
    }
}
