package io.godwit.it.conformance;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.conformance.Clause;
import io.godwit.it.wire.Packet;
import io.godwit.it.wire.Packet.Ack;
import io.godwit.it.wire.Properties;
import io.godwit.it.wire.Properties.Entry;
import io.godwit.it.wire.Properties.Pair;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Messages in and out at each QoS, over live sessions and stored ones, and what comes with them. */
@OverEachTransport
class DeliveryConformanceTest {
    private static final int PAYLOAD_FORMAT = 0x01;
    private static final int CONTENT_TYPE = 0x03;
    private static final int RESPONSE_TOPIC = 0x08;
    private static final int CORRELATION_DATA = 0x09;

    /** A session in memory or one in the store. */
    private static Wire connected(int version, boolean kept, String clientId) throws Exception {
        return kept ? Wire.kept(version, clientId) : Wire.clean(version, clientId);
    }

    @ParameterizedTest
    @CsvSource({"3, false", "3, true", "4, false", "4, true", "5, false", "5, true"})
    @Clause({
        "MQTT5-2.2.1-2",
        "MQTT5-3.3.1-2",
        "MQTT5-4.3.1-1",
        "MQTT311-2.3.1-5",
        "MQTT311-3.3.1-2",
        "MQTT311-4.3.1-1",
        "MQTT31-4.1-1"
    })
    void qos0GoesOutPlain(int version, boolean kept) throws Exception {
        String name = Wire.unique("zero");
        try (Wire client = connected(version, kept, name)) {
            client.subscribe(1, name, 2);
            client.send(Wire.message(0, 0, name, "payload"));
            Packet.Publish publish = client.expectMessage("payload"); // a packet identifier would be read as payload
            assertThat(publish.qos()).isZero();
            assertThat(publish.dup()).isFalse();
            client.expectNothing();
        }
        Wire.clean(version, name).close();
    }

    @ParameterizedTest
    @CsvSource({"3, false", "3, true", "4, false", "4, true", "5, false", "5, true"})
    @Clause({
        "MQTT5-3.3.1-3",
        "MQTT5-4.3.2-2",
        "MQTT5-4.3.2-4",
        "MQTT5-4.3.2-5",
        "MQTT5-2.2.1-5",
        "MQTT311-3.3.1-3",
        "MQTT311-4.3.2-1",
        "MQTT311-4.3.2-2",
        "MQTT311-2.3.1-6",
        "MQTT31-2.1-1",
        "MQTT31-4.1-2"
    })
    void qos1IsDeliveredAndAcknowledgedEachTime(int version, boolean kept) throws Exception {
        String name = Wire.unique("one");
        try (Wire client = connected(version, kept, name);
                Wire publisher = Wire.clean(version, Wire.unique("p"))) {
            client.subscribe(1, name, 2);
            Packet.Publish publish = Wire.message(9, 1, name, "m");
            Packet.Publish dup = new Packet.Publish(name, publish.payload(), 1, true, false, 9, Properties.NONE);
            for (Packet.Publish each : List.of(publish, publish, dup)) { // after PUBACK each is a new one
                publisher.send(each);
                assertThat(publisher.expectAck(Ack.Kind.PUBACK, 9).code()).isZero();
                Packet.Publish received = client.expectMessage("m");
                assertThat(received.qos()).isEqualTo(1);
                assertThat(received.dup()).isFalse();
                client.acknowledge(received);
            }
            client.expectNothing();
        }
        Wire.clean(version, name).close();
    }

    @ParameterizedTest
    @CsvSource({"3, false", "3, true", "4, false", "4, true", "5, false", "5, true"})
    @Clause({
        "MQTT5-4.3.3-2",
        "MQTT5-4.3.3-4",
        "MQTT5-4.3.3-8",
        "MQTT5-4.3.3-10",
        "MQTT5-4.3.3-11",
        "MQTT5-4.3.3-12",
        "MQTT5-3.6.2-1",
        "MQTT311-4.3.3-1",
        "MQTT311-4.3.3-2",
        "MQTT31-4.1-3"
    })
    void qos2IsDeliveredOnceInFourSteps(int version, boolean kept) throws Exception {
        String name = Wire.unique("two");
        try (Wire client = connected(version, kept, name);
                Wire publisher = connected(version, kept, name + "-p")) {
            client.subscribe(1, name, 2);
            Packet.Publish publish = Wire.message(9, 2, name, "m");
            Packet.Publish dup = new Packet.Publish(name, publish.payload(), 2, true, false, 9, Properties.NONE);
            for (int round = 0; round < 2; round++) {
                for (Packet.Publish each : List.of(publish, dup, publish)) {
                    publisher.send(each);
                    assertThat(publisher.expectAck(Ack.Kind.PUBREC, 9).code()).isZero();
                }
                publisher.send(new Ack(Ack.Kind.PUBREL, 9, 0));
                assertThat(publisher.expectAck(Ack.Kind.PUBCOMP, 9).code()).isZero();

                Packet.Publish received = client.expectMessage("m");
                assertThat(received.qos()).isEqualTo(2);
                assertThat(received.dup()).isFalse();
                client.send(new Ack(Ack.Kind.PUBREC, received.packetId(), 0));
                assertThat(client.expectAck(Ack.Kind.PUBREL, received.packetId())
                                .code())
                        .isZero();
                client.send(new Ack(Ack.Kind.PUBREC, received.packetId(), 0));
                client.expectAck(Ack.Kind.PUBREL, received.packetId());
                client.send(new Ack(Ack.Kind.PUBCOMP, received.packetId(), 0));
                client.expectNothing();
            }
        }
        Wire.clean(version, name).close();
        Wire.clean(version, name + "-p").close();
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    @Clause({"MQTT5-3.6.2-1", "MQTT5-3.7.2-1"})
    void anUnknownPacketIdIsSaidToBeUnknown(boolean kept) throws Exception {
        String name = Wire.unique("unknown");
        try (Wire client = connected(5, kept, name)) {
            client.send(new Ack(Ack.Kind.PUBREL, 77, 0));
            assertThat(client.expectAck(Ack.Kind.PUBCOMP, 77).code()).isEqualTo(0x92);
            client.send(new Ack(Ack.Kind.PUBREC, 78, 0));
            assertThat(client.expectAck(Ack.Kind.PUBREL, 78).code()).isEqualTo(0x92);
            client.send(
                    new Ack(Ack.Kind.PUBACK, 79, 0),
                    new Ack(Ack.Kind.PUBCOMP, 80, 0),
                    new Ack(Ack.Kind.PUBREC, 81, 0x80));
            client.expectNothing();
        }
        Wire.clean(5, name).close();
    }

    @ParameterizedTest
    @CsvSource({"3, true", "4, false", "5, false", "5, true"})
    @Clause({"MQTT5-2.2.1-4", "MQTT5-4.3.2-1", "MQTT5-4.3.3-1", "MQTT311-2.3.1-4", "MQTT31-2.3-1"})
    void messagesUnderWayHavePacketIdsOfTheirOwn(int version, boolean kept) throws Exception {
        String name = Wire.unique("ids");
        try (Wire client = connected(version, kept, name)) {
            client.subscribe(1, name, 2);
            try (Wire publisher = Wire.clean(4, Wire.unique("p"))) {
                for (int i = 0; i < 100; i++) {
                    publisher.publish(Wire.message(1, 1 + i % 2, name, "m" + i));
                }
            }
            Set<Integer> ids = new HashSet<>();
            for (int i = 0; i < 100; i++) {
                int packetId = client.expectMessage("m" + i).packetId();
                assertThat(packetId).isBetween(1, 65_535); // the reader refuses 0
                assertThat(ids.add(packetId)).isTrue();
            }
        }
        Wire.clean(version, name).close();
    }

    @ParameterizedTest
    @CsvSource({"3, false", "3, true", "4, false", "4, true", "5, false", "5, true"})
    @Clause({
        "MQTT5-4.6.0-2",
        "MQTT5-4.6.0-3",
        "MQTT5-4.6.0-5",
        "MQTT5-4.6.0-6",
        "MQTT311-4.6.0-2",
        "MQTT311-4.6.0-3",
        "MQTT311-4.6.0-5",
        "MQTT311-4.6.0-6",
        "MQTT31-4.3-1"
    })
    void messagesAndTheirAcknowledgementsKeepTheirOrder(int version, boolean kept) throws Exception {
        String name = Wire.unique("order");
        String behind = name + "-behind";
        int count = 300;
        try (Wire client = connected(version, kept, name);
                Wire publisher = connected(version, kept, name + "-p")) {
            // what is retained behind SUBACK may come as retained, too, as long as the replay goes on
            publisher.publish(Wire.message(1, 1, true, behind, "behind"));
            assertThat(client.subscribe(1, new Packet.Request(name, 2), new Packet.Request(behind, 1)))
                    .containsExactly(2, 1);
            assertThat(client.take(1)).containsExactly("behind");
            List<Packet> packets = new ArrayList<>();
            for (int i = 1; i <= count; i++) {
                packets.add(Wire.message(i % 3 == 0 ? 0 : i, i % 3, i % 10 == 0, name, "m" + i));
            }
            publisher.send(packets.toArray(new Packet[0]));
            for (int i = 1; i <= count; i++) {
                if (i % 3 != 0) {
                    publisher.expectAck(i % 3 == 1 ? Ack.Kind.PUBACK : Ack.Kind.PUBREC, i);
                }
            }
            List<List<Integer>> received = List.of(new ArrayList<>(), new ArrayList<>(), new ArrayList<>());
            for (int i = 0; i < count; i++) {
                Packet.Publish publish = client.expectMessage();
                received.get(publish.qos())
                        .add(Integer.parseInt(Wire.payload(publish).substring(1)));
            }
            for (int qos = 0; qos <= 2; qos++) {
                assertThat(received.get(qos)).hasSize(count / 3).isSorted();
            }
        }
        Wire.clean(version, name).close();
        try (Wire publisher = Wire.clean(version, name + "-p")) {
            publisher.publish(Wire.message(1, 1, true, name, ""));
            publisher.publish(Wire.message(1, 1, true, behind, ""));
        }
    }

    @ParameterizedTest
    @CsvSource({"3, false", "3, true", "4, false", "4, true", "5, false", "5, true"})
    @Clause({"MQTT5-4.6.0-4", "MQTT311-4.6.0-4"})
    void pubrelsFollowTheOrderOfThePubrecs(int version, boolean kept) throws Exception {
        String name = Wire.unique("releases");
        try (Wire client = connected(version, kept, name);
                Wire publisher = Wire.clean(version, Wire.unique("p"))) {
            client.subscribe(1, name, 2);
            List<Integer> ids = new ArrayList<>();
            for (int i = 0; i < 20; i++) {
                publisher.publish(Wire.message(1, 2, name, "m"));
                ids.add(client.expectMessage("m").packetId());
            }
            List<Integer> shuffled = new ArrayList<>(ids);
            Collections.shuffle(shuffled, new Random(1));
            client.send(
                    shuffled.stream().map(id -> new Ack(Ack.Kind.PUBREC, id, 0)).toArray(Packet[]::new));
            for (int id : shuffled) {
                client.expectAck(Ack.Kind.PUBREL, id);
            }
        }
        Wire.clean(version, name).close();
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    @Clause({"MQTT5-3.3.2-4", "MQTT5-3.3.2-15", "MQTT5-3.3.2-16", "MQTT5-3.3.2-17", "MQTT5-3.3.2-18", "MQTT5-3.3.2-20"})
    void propertiesOfAMessageArriveUnaltered(boolean kept) throws Exception {
        String name = Wire.unique("properties");
        Properties properties = new Properties(List.of(
                new Entry(PAYLOAD_FORMAT, 1L),
                new Entry(CONTENT_TYPE, "\uFEFFtext/plain; \u00e9\ud83d\ude00"),
                new Entry(RESPONSE_TOPIC, "reply/" + name),
                new Entry(CORRELATION_DATA, new byte[] {0, 1, -1}),
                new Entry(Properties.USER_PROPERTY, new Pair("b", "2")),
                new Entry(Properties.USER_PROPERTY, new Pair("a", "1")),
                new Entry(Properties.USER_PROPERTY, new Pair("b", "2")),
                new Entry(Properties.USER_PROPERTY, new Pair("", ""))));
        try (Wire client = connected(5, kept, name)) {
            client.subscribe(1, name, 2);
            for (int qos = 0; qos <= 2; qos++) {
                client.send(Wire.message(qos, qos, false, name, "m", properties));
                Packet packet = client.read();
                while (!(packet instanceof Packet.Publish)) {
                    packet = client.read();
                }
                Properties received = ((Packet.Publish) packet).properties();
                assertThat(received.number(PAYLOAD_FORMAT)).hasValue(1);
                assertThat(values(received, CONTENT_TYPE)).containsExactly("\uFEFFtext/plain; \u00e9\ud83d\ude00");
                assertThat(values(received, RESPONSE_TOPIC)).containsExactly("reply/" + name);
                assertThat(values(received, CORRELATION_DATA)).containsExactly(new byte[] {0, 1, -1});
                assertThat(values(received, Properties.USER_PROPERTY))
                        .containsExactly(new Pair("b", "2"), new Pair("a", "1"), new Pair("b", "2"), new Pair("", ""));
                assertThat(received.entries()).hasSize(8);
            }
        }
        Wire.clean(5, name).close();
    }

    private static List<Object> values(Properties properties, int id) {
        return properties.entries().stream()
                .filter(entry -> entry.id() == id)
                .map(Entry::value)
                .toList();
    }

    /** A client without properties gets no property block at all; one of 5.0 always gets one. */
    @Test
    @Clause("MQTT5-2.2.2-1")
    void messagesWithoutPropertiesSaySo() throws Exception {
        String name = Wire.unique("no-properties");
        try (Wire v4 = Wire.clean(4, name + "4");
                Wire v5 = Wire.clean(5, name + "5")) {
            v4.subscribe(1, name, 0);
            v5.subscribe(1, name, 0);
            v4.send(Wire.message(0, 0, name, "\0payload"));
            v4.expectMessage("\0payload");
            assertThat(v5.expectMessage("\0payload").properties().entries()).isEmpty();
            v5.send(Wire.message(0, 0, false, name, "m", Properties.NONE.with(PAYLOAD_FORMAT, 0)));
            v4.expectMessage("m");
        }
    }

    @Test
    @Clause("MQTT5-3.3.2-12")
    void allAliasesOfTheOfferWork() throws Exception {
        String name = Wire.unique("aliases");
        try (Wire client = Wire.open(5)) {
            Packet.Connack connack = client.connect(new Packet.Connect(5, name, true, 0, Properties.NONE, null));
            int most = (int) connack.properties().number(0x22).orElseThrow();
            client.subscribe(1, name + "/+", 0);
            for (int alias = 1; alias <= most; alias++) {
                Properties properties = Properties.NONE.with(Properties.TOPIC_ALIAS, alias);
                client.send(
                        Wire.message(0, 0, false, name + "/" + alias, "set", properties),
                        Wire.message(0, 0, false, "", "used", properties));
                assertThat(client.expectMessage("set").topic()).isEqualTo(name + "/" + alias);
                assertThat(client.expectMessage("used").topic()).isEqualTo(name + "/" + alias);
            }
            Properties first = Properties.NONE.with(Properties.TOPIC_ALIAS, 1);
            client.send(
                    Wire.message(0, 0, false, name + "/changed", "set", first),
                    Wire.message(0, 0, false, "", "used", first));
            client.expectMessage("set");
            assertThat(client.expectMessage("used").topic()).isEqualTo(name + "/changed");
        }
    }
}
