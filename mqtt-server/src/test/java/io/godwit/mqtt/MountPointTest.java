package io.godwit.mqtt;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.mqtt.packet.Connect;
import io.godwit.mqtt.packet.PubAck;
import io.godwit.mqtt.packet.Publish;
import io.godwit.mqtt.packet.UnsubAck;
import io.godwit.mqtt.packet.Unsubscribe;
import io.godwit.mqtt.packet.field.ReasonCode;
import io.godwit.mqtt.packet.field.WillPacket;
import io.godwit.mqtt.session.core.SessionConfig;
import io.godwit.plugin.message.Message;
import io.godwit.plugin.message.MessageProperties;
import io.godwit.plugin.message.Qos;
import io.godwit.plugin.topic.TopicFilter;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A listener whose clients each live below a place of their own, beside one without. */
class MountPointTest {
    private final TestNode node = new TestNode(
            TestNode.TRANSPORT,
            SessionConfig.DEFAULTS,
            List.of(TestNode.onAnyPort(TestNode.LIMITS), TestNode.onAnyPort("at/%u/", TestNode.LIMITS)));

    @AfterEach
    void close() {
        node.close();
    }

    @Test
    void clientsOfOnePlaceMeetThereAndOthersSeeTheWholeTopic() {
        try (TestClient outside = TestClient.clean(node.addresses.get(0), 5, "o");
                TestClient ann = mounted("1", "ann", null);
                TestClient annAgain = mounted("2", "ann", null);
                TestClient bob = mounted("3", "bob", null)) {
            outside.subscribe(1, "#", Qos.AT_LEAST_ONCE);
            annAgain.subscribe(1, "$share/g/#", Qos.AT_LEAST_ONCE);
            bob.subscribe(1, "#", Qos.AT_LEAST_ONCE);
            ann.send(TestClient.publish(1, Qos.AT_LEAST_ONCE, false, "a/b", "m"));
            ann.receive(PubAck.class);
            assertThat(annAgain.receive(Publish.class).topic()).isEqualTo("a/b");
            assertThat(outside.receive(Publish.class).topic()).isEqualTo("at/ann/a/b");

            outside.send(TestClient.publish(1, Qos.AT_LEAST_ONCE, false, "at/bob/c", "m"));
            assertThat(bob.receive(Publish.class).topic())
                    .as("no other message arrives before it")
                    .isEqualTo("c");
        }
    }

    @Test
    void willsAndRetainedMessagesAreInTheClientsPlace() {
        WillPacket will = new WillPacket(
                "gone", "w".getBytes(StandardCharsets.UTF_8), Qos.AT_LEAST_ONCE, false, MessageProperties.NONE, 0);
        mounted("1", "ann", will).close();
        try (TestClient ann = mounted("1", "ann", null)) { // waits for the end of the one before
            assertThat(node.inbox.wills()).extracting(Message::topic).containsExactly("at/ann/gone");
            ann.send(TestClient.publish(1, Qos.AT_LEAST_ONCE, true, "kept", "r"));
            ann.receive(PubAck.class);
            ann.subscribe(1, "+", Qos.AT_LEAST_ONCE);
            Publish retained = ann.receive(Publish.class);
            assertThat(retained.topic()).isEqualTo("kept");
            assertThat(retained.retain()).isTrue();
            ann.send(new PubAck(retained.packetId()));

            ann.send(new Unsubscribe(2, List.of(TopicFilter.parse("+").orElseThrow())));
            assertThat(ann.receive(UnsubAck.class).reasonCodes()).containsExactly(ReasonCode.SUCCESS);
        }
    }

    @Test
    void aClientWithoutAPlaceIsRefused() {
        for (String userName : new String[] {null, "a/b", "#"}) {
            try (TestClient client = new TestClient(node.addresses.get(1), 5)) {
                assertThat(client.connect(connect("c", userName, null)).reasonCode())
                        .isEqualTo(ReasonCode.NOT_AUTHORIZED);
            }
        }
    }

    /** It has filters and messages of elsewhere. */
    @ParameterizedTest
    @ValueSource(ints = {0, 1})
    void aSessionOfAnotherPlaceIsNotResumed(int listener) {
        try (TestClient outside = TestClient.clean(node.addresses.get(0), 5, "o")) {
            try (TestClient ann = new TestClient(node.addresses.get(listener), 5)) {
                ann.connect(persistent("c", "ann"));
                ann.subscribe(1, "#", Qos.AT_LEAST_ONCE);
            }
            outside.send(TestClient.publish(1, Qos.AT_LEAST_ONCE, false, "at/ann/secret", "s"));
            outside.receive(PubAck.class);
            WillPacket will = new WillPacket("w", new byte[1], Qos.AT_LEAST_ONCE, false, MessageProperties.NONE, 0);
            try (TestClient bob = new TestClient(node.addresses.get(1), 5)) {
                assertThat(bob.connect(persistent("c", "bob", will)).sessionPresent())
                        .isFalse();
                outside.send(TestClient.publish(2, Qos.AT_LEAST_ONCE, false, "at/ann/secret", "s"));
                outside.receive(PubAck.class);
                assertThat(bob.subscribe(1, "mine", Qos.AT_LEAST_ONCE).reasonCodes())
                        .containsExactly(ReasonCode.GRANTED_QOS_1);
                outside.send(TestClient.publish(3, Qos.AT_LEAST_ONCE, false, "at/bob/mine", "m"));
                assertThat(bob.receive(Publish.class).topic())
                        .as("no other message arrives before it")
                        .isEqualTo("mine");
                assertThat(node.inbox.wills()).isEmpty();
            }
            try (TestClient bob = new TestClient(node.addresses.get(1), 5)) { // waits for the end of the one before
                assertThat(bob.connect(persistent("c", "bob")).sessionPresent())
                        .as("each mount point has its own session")
                        .isTrue();
                assertThat(node.inbox.wills()).extracting(Message::topic).containsExactly("at/bob/w");
            }
        }
    }

    /**
     * As without a mount point, "#" delivers nothing that begins with '$' [MQTT5-4.7.2-1]; and the mount point itself
     * is not a topic below it.
     */
    @Test
    void wildcardsDoNotReachBeyondThePlaceOrItsReservedTopics() {
        try (TestClient outside = TestClient.clean(node.addresses.get(0), 5, "o");
                TestClient ann = mounted("1", "ann", null)) {
            for (String topic : List.of("at/ann", "at/ann/", "at/ann/$foo/x")) {
                outside.send(TestClient.publish(1, Qos.AT_LEAST_ONCE, true, topic, "retained"));
                outside.receive(PubAck.class);
            }
            ann.subscribe(1, "#", Qos.AT_LEAST_ONCE);
            ann.subscribe(2, "+/#", Qos.EXACTLY_ONCE);
            try (TestClient stored = new TestClient(node.addresses.get(1), 5)) {
                stored.connect(persistent("2", "ann"));
                stored.subscribe(1, "#", Qos.AT_LEAST_ONCE);
                for (String topic : List.of("at/ann", "at/ann/", "at/ann/$foo/x", "at/ann/a")) {
                    outside.send(TestClient.publish(1, Qos.AT_LEAST_ONCE, false, topic, "live"));
                    outside.receive(PubAck.class);
                }
                assertThat(ann.receive(Publish.class).topic()).isEqualTo("a");
                assertThat(stored.receive(Publish.class).topic()).isEqualTo("a");
            }
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"$foo/x", "$", "$SYS/a"})
    void thereAreNoReservedTopicsInAPlace(String topic) {
        try (TestClient ann = mounted("1", "ann", null)) {
            ann.send(TestClient.publish(1, Qos.AT_LEAST_ONCE, false, topic, "m"));
            assertThat(ann.receive(PubAck.class).reasonCode()).isEqualTo(ReasonCode.NOT_AUTHORIZED);
        }
        WillPacket will = new WillPacket(topic, new byte[1], Qos.AT_LEAST_ONCE, false, MessageProperties.NONE, 0);
        try (TestClient ann = new TestClient(node.addresses.get(1), 5)) {
            assertThat(ann.connect(connect("1", "ann", will)).reasonCode()).isEqualTo(ReasonCode.NOT_AUTHORIZED);
        }
    }

    @Test
    void aFilterTooLongBelowTheMountPointIsRefused() {
        try (TestClient ann = mounted("1", "ann", null)) {
            assertThat(ann.subscribe(1, "x".repeat(65_535 - "at/ann/".length()), Qos.AT_MOST_ONCE)
                            .reasonCodes())
                    .containsExactly(ReasonCode.SUCCESS);
            assertThat(ann.subscribe(2, "x".repeat(65_536 - "at/ann/".length()), Qos.AT_MOST_ONCE)
                            .reasonCodes())
                    .containsExactly(ReasonCode.TOPIC_FILTER_INVALID);
        }
    }

    private TestClient mounted(String clientId, String userName, @Nullable WillPacket will) {
        TestClient client = new TestClient(node.addresses.get(1), 5);
        assertThat(client.connect(connect(clientId, userName, will)).reasonCode())
                .isEqualTo(ReasonCode.SUCCESS);
        return client;
    }

    private static Connect connect(String clientId, @Nullable String userName, @Nullable WillPacket will) {
        return new Connect(5, true, 0, clientId, userName, null, will);
    }

    private static Connect persistent(String clientId, String userName) {
        return persistent(clientId, userName, null);
    }

    private static Connect persistent(String clientId, String userName, @Nullable WillPacket will) {
        return new Connect(
                5, false, 0, clientId, userName, null, will, 3600, -1, -1, -1, false, true, List.of(), null, null);
    }
}
