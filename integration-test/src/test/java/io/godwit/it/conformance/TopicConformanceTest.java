package io.godwit.it.conformance;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.conformance.Clause;
import io.godwit.it.wire.Packet;
import io.godwit.it.wire.Packet.Request;
import io.godwit.it.wire.Properties;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Which topics a filter matches, at the edges: for live messages to live and stored sessions, and for retained ones.
 */
@OverEachTransport
class TopicConformanceTest {
    private static final int DO_NOT_SEND_RETAINED = 32;

    private enum Session {
        LIVE,
        KEPT,
        /** Its SUBSCRIBE can not say that it wants nothing retained. */
        OF_MQTT_3_1;

        Wire connect(String clientId) throws Exception {
            return switch (this) {
                case LIVE -> Wire.clean(5, clientId);
                case KEPT -> Wire.kept(5, clientId);
                case OF_MQTT_3_1 -> Wire.clean(3, clientId);
            };
        }
    }

    private static void check(String filter, String topic, boolean matches) throws Exception {
        for (Session session : Session.values()) {
            String name = Wire.unique("topic");
            try (Wire client = session.connect(name);
                    Wire publisher = Wire.clean(4, name + "-p")) {
                subscribe(client, session == Session.OF_MQTT_3_1 ? 1 : 1 | DO_NOT_SEND_RETAINED, filter, name);
                publisher.publish(Wire.message(1, 1, topic, "live"));
                publisher.publish(Wire.message(1, 1, name, "marker"));
                assertThat(messagesOf(topic, client, name)).isEqualTo(matches ? 1 : 0);

                request(client, new Packet.Unsubscribe(2, List.of(filter, name)), Packet.Unsuback.class);
                publisher.publish(Wire.message(1, 1, true, topic, "retained"));
                publisher.publish(Wire.message(1, 1, true, name, "marker"));
                subscribe(client, 1, filter, name);
                assertThat(messagesOf(topic, client, name)).isEqualTo(matches ? 1 : 0);
                publisher.publish(Wire.message(1, 1, true, topic, ""));
                publisher.publish(Wire.message(1, 1, true, name, ""));
            }
            Wire.clean(5, name).close();
        }
    }

    /** What is retained for the first of the two is sent before what is retained for the second. */
    private static void subscribe(Wire client, int options, String filter, String name) throws Exception {
        List<Request> requests = List.of(new Request(filter, options), new Request(name, options));
        request(client, new Packet.Subscribe(1, requests, Properties.NONE), Packet.Suback.class);
    }

    // The filter # brings messages of other tests, too: they are acknowledged and not looked at.

    private static void request(Wire client, Packet request, Class<? extends Packet> answer) throws Exception {
        client.send(request);
        for (Packet packet = client.read(); !answer.isInstance(packet); packet = client.read()) {
            acknowledge(client, (Packet.Publish) packet);
        }
    }

    private static void acknowledge(Wire client, Packet.Publish publish) throws Exception {
        if (publish.qos() > 0) {
            client.acknowledge(publish);
        }
    }

    /** How many messages of {@code topic} come before the one of {@code marker}. */
    private static int messagesOf(String topic, Wire client, String marker) throws Exception {
        int messages = 0;
        while (true) {
            Packet.Publish publish = client.expectMessage();
            acknowledge(client, publish);
            if (publish.topic().equals(marker)) {
                return messages;
            } else if (publish.topic().equals(topic)) {
                messages++;
            }
        }
    }

    @ParameterizedTest
    @CsvSource({
        "t1/a/#, t1/a, true",
        "t1/a/#, t1/a/b/c, true",
        "t1/a/#, t1/ab, false",
        "t1/+, t1/a, true",
        "t1/+, t1/a/b, false",
        "t1/+, t1, false",
        "t1/+, t1/, true",
        "t1/+/c, t1//c, true",
        "t1/+/+/d, t1/b/c/d, true",
        "+/t1/#, a/t1, true",
        "/+/t1, /a/t1, true",
        "/t1, t1, false",
        "t1/, t1, false",
        "t1, t1/, false"
    })
    @Clause({
        "MQTT5-4.7.1-1",
        "MQTT5-4.7.1-2",
        "MQTT5-3.3.2-3",
        "MQTT311-4.7.1-2",
        "MQTT311-4.7.1-3",
        "MQTT311-3.3.2-3",
        "MQTT31-3.3-3",
        "MQTT31-A-1"
    })
    void wildcardsStandForLevels(String filter, String topic, boolean matches) throws Exception {
        check(filter, topic, matches);
    }

    @ParameterizedTest
    @CsvSource({
        "#, $t2/a, false",
        "+/t2, $t2/t2, false",
        "+/#, $t2/b, false",
        "$t2/#, $t2/c, true",
        "$t2/+, $t2/d, true",
        "t2/#, t2/$e, true",
        "t2/+, t2/$f, true",
        "/+/t2, /$g/t2, true"
    })
    @Clause({"MQTT5-4.7.2-1", "MQTT311-4.7.2-1", "MQTT31-A-3"})
    void aLeadingWildcardDoesNotMatchADollar(String filter, String topic, boolean matches) throws Exception {
        check(filter, topic, matches);
    }

    @ParameterizedTest
    @CsvSource({
        "t3/\u00e9, t3/e\u0301, false",
        "t3/e\u0301, t3/e\u0301, true",
        "t3/A, t3/a, false",
        "t3/\u212b, t3/\u00c5, false",
        "'t3/ a', t3/a, false",
        "'t3/ a ', 't3/ a ', true",
        "t3/%41, t3/A, false",
        "t3/\ud83d\ude00, t3/\ud83d\ude00, true",
        "t3//a, t3/a, false",
        "t3/./a, t3/a, false"
    })
    @Clause({"MQTT5-4.7.3-4", "MQTT311-4.7.3-4", "MQTT31-A-2"})
    void topicsAreComparedAsTheyAre(String filter, String topic, boolean matches) throws Exception {
        check(filter, topic, matches);
    }

    @Test
    @Clause({"MQTT5-1.5.4-3", "MQTT311-1.5.3-3"})
    void aByteOrderMarkIsACharacter() throws Exception {
        check("\uFEFFt4/\uFEFFa", "\uFEFFt4/\uFEFFa", true);
        check("\uFEFFt4/b", "t4/b", false);
        check("t4/c", "\uFEFFt4/c", false);
    }

    @Test
    @Clause({"MQTT5-4.7.3-1", "MQTT311-4.7.3-1"})
    void oneCharacterIsEnough() throws Exception {
        check("/", "/", true);
        check("5", "5", true);
        check("+", "5", true);
    }

    @Test
    @Clause({"MQTT5-4.7.3-3", "MQTT311-4.7.3-3"})
    void topicsAndFiltersMayBeAsLongAsAString() throws Exception {
        String topic = "t6/" + "x".repeat(65_535 - 3);
        check(topic, topic, true);
        check("t6/" + "y".repeat(65_535 - 5) + "/#", "t6/" + "y".repeat(65_535 - 5), true);
        check("t6/" + "z".repeat(65_535 - 5) + "/+", topic, false);
    }

    @Test
    void aThousandLevelsAreMatched() throws Exception {
        String deep = Stream.generate(() -> "l").limit(999).collect(Collectors.joining("/"));
        check("t7/" + deep, "t7/" + deep, true);
        check("t7/" + deep.replace('l', '+'), "t7/" + deep, true);
        check("t7/" + deep.substring(0, deep.length() - 1) + "#", "t7/" + deep, true);
        check("t7/" + deep.substring(2).replace('l', '+'), "t7/" + deep, false);
    }

    @Test
    @Clause({"MQTT5-4.7.0-1", "MQTT311-4.7.1-1", "MQTT31-3.3-4"})
    void wildcardsHaveNoPlaceInATopic() throws Exception {
        for (String topic : new String[] {"t8/#", "t8/+/a", "+", "t8/a+"}) {
            for (int version = 3; version <= 5; version++) {
                try (Wire client = Wire.clean(version, Wire.unique("wild"))) {
                    client.send(Wire.message(1, 1, topic, "m"));
                    client.expectDisconnect(0x90);
                }
            }
        }
    }

    @Test
    @Clause({"MQTT5-3.3.2-1", "MQTT311-3.3.2-1"})
    void theTopicIsTheFirstFieldOfAPublish() throws Exception {
        for (int version = 3; version <= 5; version++) {
            String name = Wire.unique("t9");
            try (Wire client = Wire.clean(version, name)) {
                client.subscribe(1, "t9/\u00e9", 0);
                client.send(Wire.bytes(version == 5 ? "30 0b 0005't9/'c3a9 00 'abc'" : "30 0a 0005't9/'c3a9 'abc'"));
                Packet.Publish publish = client.expectMessage("abc");
                assertThat(publish.topic()).isEqualTo("t9/\u00e9");
            }
        }
    }
}
