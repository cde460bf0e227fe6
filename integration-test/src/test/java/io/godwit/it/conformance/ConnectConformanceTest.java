package io.godwit.it.conformance;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.conformance.Clause;
import io.godwit.it.wire.Packet;
import io.godwit.it.wire.Packet.Ack;
import io.godwit.it.wire.PacketWriter;
import io.godwit.it.wire.Properties;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * The way in and the way out: CONNECT, CONNACK, PINGREQ, DISCONNECT, and what happens to those who break the protocol.
 */
@OverEachTransport
class ConnectConformanceTest {
    private static final int ASSIGNED_CLIENT_ID = 0x12;
    private static final int SERVER_KEEP_ALIVE = 0x13;
    private static final int AUTHENTICATION_METHOD = 0x15;
    private static final int REQUEST_RESPONSE_INFORMATION = 0x19;
    private static final int RESPONSE_INFORMATION = 0x1A;
    private static final int TOPIC_ALIAS_MAXIMUM = 0x22;
    private static final int MAXIMUM_QOS = 0x24;
    private static final int RETAIN_AVAILABLE = 0x25;

    @Test
    @Clause({
        "MQTT5-3.1.4-5",
        "MQTT5-3.2.2-1",
        "MQTT5-3.2.2-9",
        "MQTT5-3.2.2-10",
        "MQTT5-3.2.2-12",
        "MQTT5-3.2.2-13",
        "MQTT5-3.1.2-28",
        "MQTT5-4.12.0-6",
        "MQTT5-4.2.0-1"
    })
    void connackOffersAllThereIsAndAsksForNothing() throws Exception {
        String clientId = Wire.unique("full");
        Packet.Will will = new Packet.Will(clientId + "/will", new byte[1], 2, true, Properties.NONE);
        try (Wire client = Wire.open(5)) {
            Packet.Connack connack = client.connect(new Packet.Connect(
                    5, clientId, true, 600, Properties.NONE.with(REQUEST_RESPONSE_INFORMATION, 0), will));

            assertThat(connack.code()).isZero();
            assertThat(connack.properties().entries())
                    .extracting(Properties.Entry::id)
                    .doesNotContain(
                            MAXIMUM_QOS,
                            RETAIN_AVAILABLE,
                            SERVER_KEEP_ALIVE,
                            RESPONSE_INFORMATION,
                            AUTHENTICATION_METHOD,
                            ASSIGNED_CLIENT_ID,
                            0x28, // wildcard subscription available
                            0x29, // subscription identifiers available
                            0x2A); // shared subscription available
            client.subscribe(1, clientId, 2);
            assertThat(client.subscribe(
                            2, Properties.NONE.with(Properties.SUBSCRIPTION_ID, 1), request("$share/g/+", 2)))
                    .containsExactly(2);
            client.disconnect();
        }
    }

    private static Packet.Request request(String filter, int options) {
        return new Packet.Request(filter, options);
    }

    @Test
    @Clause({"MQTT311-3.1.4-4", "MQTT311-3.2.2-1", "MQTT311-7.0.0-2", "MQTT311-7.1.1-1"})
    void aConnectIsAccepted() throws Exception {
        try (Wire client = Wire.open(4)) {
            client.send(new Packet.Connect(4, Wire.unique("c"), true, 60, Properties.NONE, null));
            Packet.Connack connack = client.expect(Packet.Connack.class);
            assertThat(connack.code()).isZero();
            assertThat(connack.sessionPresent()).isFalse();
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {3, 4, 5})
    @Clause({"MQTT5-3.1.3-5", "MQTT311-3.1.3-5", "MQTT31-3.1-2"})
    void plainClientIdsOfAllLengthsAreAccepted(int version) throws Exception {
        String characters = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";
        for (int length = 1; length <= 23; length++) {
            for (int from = 0; from < characters.length(); from += 23) {
                String clientId = (characters + characters).substring(from, from + length);
                Wire.clean(version, clientId).close();
            }
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {4, 5})
    void aClientIdMayBeMuchLongerThanItMustBe(int version) throws Exception {
        String clientId = Wire.unique("x".repeat(900));
        try (Wire client = Wire.kept(version, clientId)) {
            client.subscribe(1, Wire.unique("long"), 1);
            client.disconnect();
        }
        try (Wire client = Wire.open(version)) {
            assertThat(client.connect(Wire.keeping(version, clientId)).sessionPresent())
                    .isTrue();
        }
        Wire.clean(version, clientId).close();
    }

    /** The default of mqttServerConfig.maxClientIdBytes. */
    @ParameterizedTest
    @ValueSource(ints = {4, 5})
    void aClientIdOverTheLimitIsRefused(int version) throws Exception {
        try (Wire client = Wire.open(version)) {
            assertThat(client.connect(Wire.keeping(version, "x".repeat(1_025))).code())
                    .isEqualTo(version == 5 ? 0x85 : 2);
        }
        Wire.clean(version, "x".repeat(1_024)).close();
    }

    @Test
    @Clause({"MQTT5-3.1.3-6", "MQTT5-3.1.3-7", "MQTT5-3.2.2-16"})
    void anEmptyClientIdIsReplacedByOneThatWorksLikeTheClientsOwn() throws Exception {
        String first;
        try (Wire one = Wire.open(5);
                Wire other = Wire.open(5)) {
            first = assignedId(one.connect(Wire.keeping(5, "")));
            assertThat(first).isNotEmpty().isNotEqualTo(assignedId(other.connect(Wire.keeping(5, ""))));
            one.subscribe(1, "assigned", 1);
            one.disconnect();
            other.disconnect(0, Properties.NONE.with(Properties.SESSION_EXPIRY, 0));
        }
        try (Wire again = Wire.open(5)) {
            assertThat(again.connect(Wire.keeping(5, first)).sessionPresent()).isTrue();
            again.disconnect(0, Properties.NONE.with(Properties.SESSION_EXPIRY, 0));
        }
    }

    private static String assignedId(Packet.Connack connack) {
        return connack.properties().entries().stream()
                .filter(entry -> entry.id() == ASSIGNED_CLIENT_ID)
                .map(entry -> (String) entry.value())
                .findFirst()
                .orElse("");
    }

    @Test
    @Clause({
        "MQTT311-3.1.3-6",
        "MQTT311-3.1.3-7",
        "MQTT311-3.1.3-8",
        "MQTT311-3.1.3-9",
        "MQTT311-3.2.2-4",
        "MQTT311-3.2.2-5"
    })
    void anEmptyClientIdNeedsACleanSession() throws Exception {
        try (Wire one = Wire.clean(4, "");
                Wire other = Wire.clean(4, "");
                Wire refused = Wire.open(4)) {
            one.expectNothing(); // so the two have not been taken for the same client
            other.expectNothing();
            Packet.Connack connack = refused.connect(new Packet.Connect(4, "", false, 0, Properties.NONE, null));
            assertThat(connack.code()).isEqualTo(2);
            assertThat(connack.sessionPresent()).isFalse();
            refused.expectEnd();
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {3, 4, 5})
    @Clause({
        "MQTT5-3.1.4-3",
        "MQTT5-3.14.4-1",
        "MQTT5-3.14.4-2",
        "MQTT5-3.14.2-2",
        "MQTT5-4.13.2-1",
        "MQTT311-3.1.4-2",
        "MQTT31-3.1-4"
    })
    void aNewConnectionOfAClientIdEndsTheOld(int version) throws Exception {
        String clientId = Wire.unique("taken");
        try (Wire old = Wire.kept(version, clientId)) {
            old.subscribe(1, clientId, 0);
            try (Wire young = Wire.kept(version, clientId);
                    Wire publisher = Wire.clean(4, Wire.unique("p"))) {
                publisher.publish(Wire.message(1, 1, clientId, "for the young one"));
                young.expectMessage("for the young one");
                if (version == 5) {
                    Packet.Disconnect disconnect = old.expect(Packet.Disconnect.class);
                    assertThat(disconnect.code()).isEqualTo(0x8E);
                    assertThat(disconnect.properties().number(Properties.SESSION_EXPIRY))
                            .isEmpty();
                }
                old.expectEnd();
            }
        }
        Wire.clean(version, clientId).close();
    }

    @ParameterizedTest
    @ValueSource(ints = {3, 4, 5})
    @Clause({"MQTT5-3.1.0-2", "MQTT5-3.2.0-2", "MQTT5-4.13.1-1", "MQTT311-3.1.0-2", "MQTT311-4.8.0-1", "MQTT31-3.1-8"})
    void aSecondConnectEndsTheConnection(int version) throws Exception {
        String clientId = Wire.unique("twice");
        try (Wire client = Wire.clean(version, clientId)) {
            client.send(new Packet.Connect(version, clientId, true, 0, Properties.NONE, null));
            client.expectDisconnect(0x82);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"c0 00", "30 05 0003'a/b'", "82 06 0001 0001'a' 00", "e0 00", "f0 00", "'GET / HTTP/1.1'"})
    @Clause({"MQTT5-3.1.0-1", "MQTT5-3.14.0-1", "MQTT311-3.1.0-1", "MQTT31-3.1-8"})
    void whatDoesNotBeginWithConnectIsClosedWithoutAWord(String hex) throws Exception {
        try (Wire client = Wire.open(5)) {
            client.send(Wire.bytes(hex));
            client.expectEnd();
        }
    }

    /** A PUBLISH behind the CONNECT, in the same segment, must have no effect. */
    @ParameterizedTest
    @CsvSource({
        "5, -1, 10 0004'HTTP' 05 02 003c 00 0000",
        "5, 0x84, 10 0004'MQTT' 06 02 003c 00 0000",
        "5, 0x81, 10 0004'MQTT' 05 03 003c 00 0000",
        "5, 0x81, 10 0004'MQTT' 05 0a 003c 00 0000",
        "5, 0x82, 10 0004'MQTT' 05 02 003c 03 210000 0001'a'",
        "4, 0x01, 10 0004'MQTT' 03 02 003c 0001'a'",
        "5, 0x84, 10 0004'MQTT' 07 02 003c 0001'a'",
        "4, 0x01, 10 0006'MQIsdp' 04 02 003c 0001'a'",
        "4, 0x02, 10 0004'MQTT' 04 00 003c 0000",
        "4, -1, 10 0004'MQTT' 04 03 003c 0001'a'",
        "4, -1, 10 0004'MQTT' 04 42 003c 0001'a' 0001'p'",
        "4, -1, 10 0004'MQTT' 04 02 003c 0001'a' 00",
        "3, 1, 10 0006'MQIsdp' 02 02 003c 0001'a'",
        "3, 2, 10 0006'MQIsdp' 03 02 003c 0000",
        "3, -1, 10 0006'MQIsdp' 03 1e 003c 0001'a' 0001't' 0000",
        "3, -1, 10 0006'MQIsdp' 03 06 003c 0001'a' 0001't'",
        "3, -1, 10 0006'MQIsdp' 03 02 003c 0005'a'",
        "3, -1, 10 0006'MQIsdp' 03 02 003c 0001'a' 00"
    })
    @Clause({
        "MQTT5-3.1.2-1",
        "MQTT5-3.1.2-2",
        "MQTT5-3.1.2-3",
        "MQTT5-3.1.4-1",
        "MQTT5-3.1.4-6",
        "MQTT5-3.2.2-6",
        "MQTT5-3.2.2-7",
        "MQTT5-3.14.0-1",
        "MQTT311-3.1.2-2",
        "MQTT311-3.1.2-3",
        "MQTT311-3.1.4-1",
        "MQTT311-3.1.4-5",
        "MQTT311-3.2.2-5",
        "MQTT311-3.2.2-6",
        "MQTT31-3.1-2",
        "MQTT31-3.1-9",
        "MQTT31-3.2-2"
    })
    void aConnectThatIsRefusedIsTheLastThatCounts(int version, int code, String connect) throws Exception {
        String topic = Wire.unique("refused");
        try (Wire watcher = Wire.clean(4, Wire.unique("w"));
                Wire client = Wire.open(version)) {
            watcher.subscribe(1, topic, 0);
            byte[] publish = PacketWriter.bytes(Wire.message(0, 0, topic, "ignored"), version);
            byte[] frame = Wire.frame(connect);
            byte[] both = Arrays.copyOf(frame, frame.length + publish.length);
            System.arraycopy(publish, 0, both, frame.length, publish.length);
            client.send(both);
            if (code >= 0) {
                Packet.Connack connack = client.expect(Packet.Connack.class);
                assertThat(connack.code()).isEqualTo(code);
                assertThat(connack.sessionPresent()).isFalse();
            }
            client.expectEnd();
            try (Wire marker = Wire.clean(4, Wire.unique("m"))) {
                marker.publish(Wire.message(1, 1, topic, "marker"));
            }
            watcher.expectMessage("marker");
        }
    }

    /** MQTT 3.1.1 leaves it open how other names are served, as long as it is not by its own rules. */
    @Test
    @Clause("MQTT311-3.1.2-1")
    void anotherProtocolNameIsNotServedAsMqtt() throws Exception {
        try (Wire client = Wire.open(4)) {
            client.send(Wire.frame("10 0004'mqtt' 04 02 003c 0001'a'"));
            Packet answer = client.read();
            if (answer != null) {
                assertThat(((Packet.Connack) answer).code()).isEqualTo(1);
                client.expectEnd();
            }
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {3, 4, 5})
    @Clause({"MQTT5-3.2.0-1", "MQTT311-3.2.0-1"})
    void connackComesBeforeAllThatASessionHasWaiting(int version) throws Exception {
        String clientId = Wire.unique("waiting");
        try (Wire client = Wire.kept(version, clientId)) {
            client.subscribe(1, clientId, 1);
            client.disconnect();
        }
        try (Wire publisher = Wire.clean(version, Wire.unique("p"))) {
            publisher.publish(Wire.message(1, 1, clientId, "waited"));
        }
        try (Wire client = Wire.open(version)) {
            client.send(
                    Wire.keeping(version, clientId),
                    new Packet.PingRequest(),
                    new Packet.Subscribe(9, List.of(request(clientId + "/x", 0)), Properties.NONE));
            client.expect(Packet.Connack.class);
        }
        Wire.clean(version, clientId).close();
    }

    @ParameterizedTest
    @ValueSource(ints = {3, 4, 5})
    @Clause({"MQTT5-3.12.4-1", "MQTT311-3.12.4-1", "MQTT31-3.12-1"})
    void pingsAreAnswered(int version) throws Exception {
        try (Wire client = Wire.clean(version, Wire.unique("ping"))) {
            client.send(new Packet.PingRequest(), new Packet.PingRequest());
            client.expect(Packet.PingResponse.class);
            client.expect(Packet.PingResponse.class);
        }
    }

    @ParameterizedTest
    @CsvSource({
        "5, 0x81, e1 00",
        "5, 0x81, c1 00",
        "5, 0x81, 36 000161 0001 00",
        "5, 0x81, 60 0001",
        "5, 0x81, 80 0001 00 0001'a' 00",
        "5, 0x81, a0 0001 00 0001'a'",
        "5, 0x82, 82 0001 00",
        "5, 0x82, a2 0001 00",
        "5, 0x82, 82 0001 00 000a'$share/g/a' 04",
        "5, 0x82, f0 18 04 150001'm'",
        "5, 0x82, 30 0001't' 02 0b01",
        "5, 0x90, 30 0003'a/#' 00",
        "5, 0x94, 30 0001't' 03 230000",
        "5, 0x94, 30 0001't' 03 230011",
        "5, 0x8F, 82 0001 00 0003'#/a' 00",
        "4, 0, e1 00",
        "4, 0, 36 000161 0001",
        "4, 0, 60 0001",
        "4, 0, 80 0001 0001'a' 00",
        "4, 0, a0 0001 0001'a'",
        "4, 0, 82 0001",
        "4, 0, 82 0001 0001'a' 03",
        "4, 0, 30 0003'a/#'",
        "4, 0, 30 0001 00",
        "3, 0, 36 000161 0001",
        "3, 0, 60 0001",
        "3, 0, 80 0001 0001'a' 00",
        "3, 0, a0 0001 0001'a'",
        "3, 0, 82 0001",
        "3, 0, 82 0001 0001'a' 03",
        "3, 0, 82 0000 0001'a' 01",
        "3, 0, 32 0001't' 0000",
        "3, 0, 30 0003'a/#'",
        "3, 0, f0 00"
    })
    @Clause({
        "MQTT5-3.14.1-1",
        "MQTT5-3.15.1-1",
        "MQTT5-4.12.0-7",
        "MQTT5-4.13.1-1",
        "MQTT5-4.13.2-1",
        "MQTT5-3.3.2-9",
        "MQTT5-3.2.2-17",
        "MQTT311-2.2.2-2",
        "MQTT311-3.14.1-1",
        "MQTT311-4.8.0-1",
        "MQTT31-2.1-7",
        "MQTT31-2.3-1",
        "MQTT31-3.3-4",
        "MQTT31-3.6-2"
    })
    void whoBreaksTheProtocolIsToldWhyAndDisconnected(int version, int code, String frame) throws Exception {
        try (Wire client = Wire.clean(version, Wire.unique("broken"))) {
            byte[] bytes = Wire.bytes(frame);
            client.send(bytes.length == 2 ? bytes : Wire.frame(frame));
            client.expectDisconnect(code);
        }
    }

    @Test
    @Clause("MQTT5-3.2.2-15")
    void aPacketAboveTheServersMaximumEndsTheConnection() throws Exception {
        try (Wire client = Wire.open(5)) {
            Packet.Connack connack =
                    client.connect(new Packet.Connect(5, Wire.unique("big"), true, 0, Properties.NONE, null));
            int most = (int)
                    connack.properties().number(Properties.MAXIMUM_PACKET_SIZE).orElseThrow();
            int overhead = PacketWriter.bytes(Wire.message(0, 0, "t", "x".repeat(most - 20)), 5).length - (most - 20);
            client.send(Wire.message(0, 0, "t", "x".repeat(most - overhead)));
            client.expectNothing();
            client.send(Wire.message(0, 0, "t", "x".repeat(most - overhead + 1)));
            client.expectDisconnect(0x95);
        }
    }

    /** What the client asks for beyond our offer is cut down to it; asking is no error. */
    @ParameterizedTest
    @ValueSource(ints = {3, 65_535})
    @Clause({"MQTT5-3.3.2-11", "MQTT5-3.1.2-26"})
    void asManyAliasesAreUsedAsTheClientAllowsAndMoreThanOfferedIsNoError(int aliases) throws Exception {
        Properties asked = Properties.NONE
                .with(TOPIC_ALIAS_MAXIMUM, aliases)
                .with(Properties.MAXIMUM_PACKET_SIZE, 0xFFFF_FFFFL)
                .with(Properties.RECEIVE_MAXIMUM, 65_535)
                .with(Properties.SESSION_EXPIRY, 0);
        String topic = Wire.unique("generous");
        try (Wire client = Wire.connected(new Packet.Connect(5, topic, true, 65_535, asked, null))) {
            client.subscribe(1, topic + "/+", 0);
            Map<Long, String> topics = new HashMap<>();
            int used = 0;
            for (int i = 0; i < 200; i++) {
                String expected = topic + "/" + i / 2;
                client.send(Wire.message(0, 0, expected, "m" + i));
                Packet.Publish publish = client.expectMessage("m" + i);
                OptionalLong alias = publish.properties().number(Properties.TOPIC_ALIAS);
                if (alias.isPresent()) {
                    assertThat(alias.getAsLong()).isBetween(1L, (long) aliases);
                }
                if (publish.topic().isEmpty()) {
                    used++;
                    assertThat(topics).containsEntry(alias.orElseThrow(), expected);
                } else {
                    assertThat(publish.topic()).isEqualTo(expected);
                    alias.ifPresent(number -> topics.put(number, expected));
                }
            }
            assertThat(used)
                    .as("messages with an alias in place of their topic")
                    .isPositive();
        }
    }

    @Test
    @Clause({"MQTT5-3.1.2-27", "MQTT5-3.1.2-26"})
    void withoutAnAliasMaximumNoAliasIsSent() throws Exception {
        for (Properties properties : Set.of(Properties.NONE, Properties.NONE.with(TOPIC_ALIAS_MAXIMUM, 0))) {
            String topic = Wire.unique("no-alias");
            try (Wire client = Wire.connected(new Packet.Connect(5, topic, true, 0, properties, null))) {
                client.subscribe(1, topic, 0);
                for (int i = 0; i < 3; i++) {
                    client.send(Wire.message(0, 0, topic, "m"));
                    Packet.Publish publish = client.expectMessage();
                    assertThat(publish.topic()).isEqualTo(topic);
                    assertThat(publish.properties().number(Properties.TOPIC_ALIAS))
                            .isEmpty();
                }
            }
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {3, 4, 5})
    @Clause({
        "MQTT5-3.3.4-1",
        "MQTT5-2.2.1-5",
        "MQTT5-3.4.2-1",
        "MQTT5-3.5.2-1",
        "MQTT5-3.7.2-1",
        "MQTT311-3.3.4-1",
        "MQTT311-2.3.1-6",
        "MQTT31-3.4-1"
    })
    void aPublishIsAnsweredAsItsQosDemands(int version) throws Exception {
        try (Wire client = Wire.clean(version, Wire.unique("acks"))) {
            String topic = Wire.unique("acks");
            client.send(Wire.message(0, 0, topic, "0"));
            client.expectNothing();
            client.send(Wire.message(17, 1, topic, "1"));
            assertThat(client.expectAck(Ack.Kind.PUBACK, 17).code()).isEqualTo(version == 5 ? 0x10 : 0);
            client.send(Wire.message(65_535, 2, topic, "2"));
            assertThat(client.expectAck(Ack.Kind.PUBREC, 65_535).code()).isEqualTo(version == 5 ? 0x10 : 0);
            client.send(new Ack(Ack.Kind.PUBREL, 65_535, 0));
            assertThat(client.expectAck(Ack.Kind.PUBCOMP, 65_535).code()).isZero();
        }
    }
}
