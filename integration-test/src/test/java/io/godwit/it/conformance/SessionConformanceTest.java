package io.godwit.it.conformance;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.conformance.Clause;
import io.godwit.it.wire.Packet;
import io.godwit.it.wire.Packet.Ack;
import io.godwit.it.wire.Properties;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * What a session keeps over its connections, and what is sent again when it is resumed. CONNACK of MQTT 3.1 does not
 * tell that there is one.
 */
@OverEachTransport
class SessionConformanceTest {
    private static Packet.Connack reconnect(Wire wire, int version, String clientId) throws Exception {
        return wire.connect(Wire.keeping(version, clientId));
    }

    private static void publish(String topic, int qos, String... payloads) throws Exception {
        try (Wire publisher = Wire.clean(4, Wire.unique("p"))) {
            for (String payload : payloads) {
                publisher.publish(Wire.message(1, qos, topic, payload));
            }
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {3, 4, 5})
    @Clause({
        "MQTT5-3.1.2-5",
        "MQTT5-3.1.2-6",
        "MQTT5-3.1.2-23",
        "MQTT5-3.1.3-2",
        "MQTT5-3.2.2-3",
        "MQTT5-4.5.0-1",
        "MQTT311-3.1.2-4",
        "MQTT311-3.1.2-5",
        "MQTT311-3.1.3-2",
        "MQTT311-3.2.2-2",
        "MQTT311-3.2.2-3",
        "MQTT311-4.1.0-1",
        "MQTT311-4.5.0-1",
        "MQTT31-3.1-5",
        "MQTT31-3.2-1"
    })
    void aSessionWithoutCleanStartGoesOn(int version) throws Exception {
        String clientId = Wire.unique("kept");
        try (Wire client = Wire.open(version);
                Wire other = Wire.kept(version, clientId + "-other")) {
            assertThat(reconnect(client, version, clientId).sessionPresent()).isFalse();
            client.subscribe(1, clientId, 2);
            client.disconnect();
            other.disconnect();
        }
        publish(clientId, 1, "one");
        publish(clientId, 2, "two");
        try (Wire client = Wire.open(version);
                Wire other = Wire.open(version)) {
            assertThat(reconnect(client, version, clientId).sessionPresent()).isEqualTo(version > 3);
            assertThat(client.take(2)).containsExactly("one", "two");
            publish(clientId, 1, "live");
            assertThat(client.take(1)).containsExactly("live");
            assertThat(reconnect(other, version, clientId + "-other").sessionPresent())
                    .isEqualTo(version > 3);
            other.expectNothing();
        }
        Wire.clean(version, clientId).close();
        Wire.clean(version, clientId + "-other").close();
    }

    @ParameterizedTest
    @ValueSource(ints = {3, 4, 5})
    @Clause({
        "MQTT5-3.1.2-4",
        "MQTT5-3.1.4-4",
        "MQTT5-3.2.2-2",
        "MQTT311-3.1.2-6",
        "MQTT311-3.1.4-3",
        "MQTT311-3.2.2-1",
        "MQTT31-3.1-5"
    })
    void cleanStartThrowsTheSessionAway(int version) throws Exception {
        String clientId = Wire.unique("cleaned");
        try (Wire client = Wire.kept(version, clientId)) {
            client.subscribe(1, clientId, 1);
            client.disconnect();
        }
        publish(clientId, 1, "lost");
        try (Wire client = Wire.open(version)) {
            Packet.Connect clean = new Packet.Connect(version, clientId, true, 0, Properties.NONE, null);
            assertThat(client.connect(clean).sessionPresent()).isFalse();
            publish(clientId, 1, "not subscribed");
            client.subscribe(1, clientId + "/own", 1);
            publish(clientId + "/own", 1, "marker");
            assertThat(client.take(1)).containsExactly("marker");
            client.disconnect();
        }
        try (Wire client = Wire.open(version)) {
            assertThat(reconnect(client, version, clientId).sessionPresent()).isFalse();
        }
        Wire.clean(version, clientId).close();
    }

    @Test
    void cleanStartWithAnExpiryBeginsASessionThatIsKept() throws Exception {
        String clientId = Wire.unique("fresh");
        Properties hour = Properties.NONE.with(Properties.SESSION_EXPIRY, 3600);
        try (Wire client = Wire.kept(5, clientId)) {
            client.subscribe(1, clientId, 1);
        }
        try (Wire client = Wire.open(5)) {
            assertThat(client.connect(new Packet.Connect(5, clientId, true, 0, hour, null))
                            .sessionPresent())
                    .isFalse();
            client.subscribe(1, clientId + "/new", 1);
        }
        publish(clientId, 1, "not for it");
        publish(clientId + "/new", 1, "for it");
        try (Wire client = Wire.kept(5, clientId)) {
            assertThat(client.take(1)).containsExactly("for it");
            client.disconnect(0, Properties.NONE.with(Properties.SESSION_EXPIRY, 0));
        }
        try (Wire client = Wire.open(5)) { // DISCONNECT has ended it
            assertThat(reconnect(client, 5, clientId).sessionPresent()).isFalse();
        }
        Wire.clean(5, clientId).close();
    }

    /** A session of one version is one of the others. */
    @ParameterizedTest
    @CsvSource({"3, 4", "4, 5", "5, 4", "5, 3"})
    void aSessionMayBeResumedInAnotherVersion(int before, int after) throws Exception {
        String clientId = Wire.unique("changes");
        try (Wire client = Wire.kept(before, clientId)) {
            client.subscribe(1, clientId, 1);
        }
        publish(clientId, 1, "m");
        try (Wire client = Wire.open(after)) {
            assertThat(reconnect(client, after, clientId).sessionPresent()).isEqualTo(after > 3);
            assertThat(client.take(1)).containsExactly("m");
        }
        Wire.clean(after, clientId).close();
    }

    @Test
    @Clause({"MQTT5-4.1.0-1", "MQTT311-4.1.0-2"})
    void aSessionOfNoExpiryLastsAsLongAsItsConnection() throws Exception {
        for (int version = 3; version <= 5; version++) {
            String clientId = Wire.unique("connected");
            try (Wire client = Wire.clean(version, clientId)) {
                client.subscribe(1, clientId, 1);
                publish(clientId, 1, "first");
                Packet.Publish first = client.expectMessage("first");
                publish(clientId, 1, "second");
                assertThat(client.expectMessage("second").packetId()).isNotEqualTo(first.packetId());
                client.acknowledge(first);
                client.expectNothing();
            }
        }
    }

    /** Everything under way at once, at each step of its flow. */
    @ParameterizedTest
    @ValueSource(ints = {3, 4, 5})
    @Clause({
        "MQTT5-4.4.0-1",
        "MQTT5-4.6.0-1",
        "MQTT5-3.3.1-1",
        "MQTT5-4.3.2-3",
        "MQTT5-4.3.3-3",
        "MQTT5-4.3.3-5",
        "MQTT5-4.3.3-6",
        "MQTT311-4.4.0-1",
        "MQTT311-4.6.0-1",
        "MQTT311-3.3.1-1",
        "MQTT311-4.3.2-1",
        "MQTT311-4.3.3-1",
        "MQTT31-2.1-1",
        "MQTT31-4.2-1",
        "MQTT31-4.3-1"
    })
    void whatIsUnacknowledgedComesAgainInOrderUnderItsPacketIds(int version) throws Exception {
        String clientId = Wire.unique("resumed");
        List<Packet.Publish> sent = new ArrayList<>();
        try (Wire client = Wire.kept(version, clientId)) {
            client.subscribe(1, clientId, 2);
            publish(clientId, 1, "acknowledged", "one", "two");
            publish(clientId, 2, "completed", "recorded", "three");
            publish(clientId, 1, "four");
            for (int i = 0; i < 7; i++) {
                sent.add(client.expectMessage());
                assertThat(sent.get(i).dup()).isFalse();
            }
            client.acknowledge(byPayload(sent, "acknowledged"));
            client.acknowledge(byPayload(sent, "completed"));
            client.send(new Ack(Ack.Kind.PUBREC, byPayload(sent, "recorded").packetId(), 0));
            client.expectAck(Ack.Kind.PUBREL, byPayload(sent, "recorded").packetId());
            client.expectNothing();
        }
        try (Wire client = Wire.open(version)) {
            assertThat(reconnect(client, version, clientId).sessionPresent()).isEqualTo(version > 3);
            List<String> again = new ArrayList<>();
            List<Packet.Publish> unacknowledged = new ArrayList<>();
            Packet.Publish recorded = byPayload(sent, "recorded");
            for (int i = 0; i < 5; i++) {
                Packet packet = client.read();
                if (packet instanceof Packet.Publish publish) {
                    again.add(Wire.payload(publish));
                    assertThat(publish.dup()).isTrue();
                    assertThat(publish.packetId())
                            .isEqualTo(byPayload(sent, Wire.payload(publish)).packetId());
                    unacknowledged.add(publish);
                } else {
                    assertThat(packet).isEqualTo(new Ack(Ack.Kind.PUBREL, recorded.packetId(), 0));
                    client.send(new Ack(Ack.Kind.PUBCOMP, recorded.packetId(), 0));
                }
            }
            client.expectNothing();
            for (Packet.Publish publish : unacknowledged) {
                client.acknowledge(publish);
            }
            assertThat(again).containsExactly("one", "two", "three", "four");
            client.expectNothing();
        }
        nothingIsOwedAnyMore(version, clientId);
        Wire.clean(version, clientId).close();
    }

    /** What is left to be sent again would come before what is new. */
    private static void nothingIsOwedAnyMore(int version, String clientId) throws Exception {
        try (Wire client = Wire.open(version)) {
            assertThat(reconnect(client, version, clientId).sessionPresent()).isEqualTo(version > 3);
            publish(clientId, 2, "new");
            assertThat(client.take(1)).containsExactly("new");
        }
    }

    private static Packet.Publish byPayload(List<Packet.Publish> messages, String payload) {
        return messages.stream()
                .filter(m -> Wire.payload(m).equals(payload))
                .findFirst()
                .orElseThrow();
    }

    @Test
    @Clause("MQTT5-4.4.0-2")
    void aMessageAnsweredByAnErrorDoesNotComeAgain() throws Exception {
        String clientId = Wire.unique("declined");
        try (Wire client = Wire.kept(5, clientId)) {
            client.subscribe(1, clientId, 2);
            publish(clientId, 1, "one");
            publish(clientId, 2, "two");
            client.send(new Ack(Ack.Kind.PUBACK, client.expectMessage("one").packetId(), 0x80));
            client.send(new Ack(Ack.Kind.PUBREC, client.expectMessage("two").packetId(), 0x97));
            client.expectNothing(); // no PUBREL
        }
        nothingIsOwedAnyMore(5, clientId);
        Wire.clean(5, clientId).close();
    }

    @ParameterizedTest
    @ValueSource(ints = {3, 4, 5})
    @Clause({"MQTT5-4.3.3-10", "MQTT311-4.3.3-2", "MQTT31-4.1-3"})
    void aRepeatOverConnectionsIsDeliveredOnce(int version) throws Exception {
        String clientId = Wire.unique("repeats");
        Packet.Publish publish = Wire.message(5, 2, clientId, "once");
        Packet.Publish repeat = new Packet.Publish(clientId, publish.payload(), 2, true, false, 5, Properties.NONE);
        try (Wire watcher = Wire.clean(4, Wire.unique("w"))) {
            watcher.subscribe(1, clientId, 0);
            try (Wire client = Wire.kept(version, clientId)) {
                client.send(publish);
                client.expectAck(Ack.Kind.PUBREC, 5);
                client.send(repeat);
                client.expectAck(Ack.Kind.PUBREC, 5);
            }
            try (Wire client = Wire.kept(version, clientId)) {
                client.send(repeat);
                client.expectAck(Ack.Kind.PUBREC, 5);
                client.send(new Ack(Ack.Kind.PUBREL, 5, 0));
                assertThat(client.expectAck(Ack.Kind.PUBCOMP, 5).code()).isZero();
                client.publish(Wire.message(5, 2, clientId, "the next of this id"));
            }
            watcher.expectMessage("once");
            watcher.expectMessage("the next of this id");
        }
        Wire.clean(version, clientId).close();
    }

    @Test
    @Clause("MQTT5-3.1.2-25")
    void aMessageTooLargeForTheClientIsOver() throws Exception {
        String clientId = Wire.unique("narrow");
        Properties narrow =
                Properties.NONE.with(Properties.SESSION_EXPIRY, 3600).with(Properties.MAXIMUM_PACKET_SIZE, 100);
        try (Wire client = Wire.connected(new Packet.Connect(5, clientId, false, 0, narrow, null))) {
            client.subscribe(1, clientId, 2);
            publish(clientId, 1, "x".repeat(100), "small");
            publish(clientId, 2, "y".repeat(100), "small too");
            assertThat(client.take(2)).containsExactly("small", "small too");
        }
        nothingIsOwedAnyMore(5, clientId); // not with room for it, either
        Wire.clean(5, clientId).close();
    }

    @ParameterizedTest
    @ValueSource(longs = {0, 3600})
    @Clause({"MQTT5-3.3.4-9", "MQTT5-3.3.4-10", "MQTT5-4.9.0-1", "MQTT5-4.9.0-2", "MQTT5-4.9.0-3"})
    void onlyPublishWaitsForTheWindow(long expirySeconds) throws Exception {
        String clientId = Wire.unique("window");
        Properties two =
                Properties.NONE.with(Properties.SESSION_EXPIRY, expirySeconds).with(Properties.RECEIVE_MAXIMUM, 2);
        try (Wire client = Wire.connected(new Packet.Connect(5, clientId, true, 0, two, null))) {
            client.subscribe(1, clientId, 2);
            publish(clientId, 2, "a", "b", "c", "d");
            Packet.Publish a = client.expectMessage("a");
            client.expectMessage("b");
            client.expectNothing();
            client.subscribe(2, clientId + "/more", 0);
            client.publish(Wire.message(1, 1, clientId + "/nobody", "acknowledged"));
            client.publish(Wire.message(1, 2, clientId + "/nobody", "acknowledged"));
            client.unsubscribe(3, clientId + "/more");
            client.send(new Ack(Ack.Kind.PUBREC, a.packetId(), 0));
            client.expectAck(Ack.Kind.PUBREL, a.packetId());
            client.expectNothing(); // PUBREC alone gives nothing back
            client.send(new Ack(Ack.Kind.PUBCOMP, a.packetId(), 0));
            Packet.Publish c = client.expectMessage("c");
            client.expectNothing();
            client.send(new Ack(Ack.Kind.PUBREC, c.packetId(), 0x80));
            client.expectMessage("d");
        }
        Wire.clean(5, clientId).close();
    }

    @Test
    @Clause("MQTT5-3.3.2-7")
    void aliasesEndWithTheirConnection() throws Exception {
        String clientId = Wire.unique("alias");
        Properties alias = Properties.NONE.with(Properties.TOPIC_ALIAS, 1);
        Properties asks = Properties.NONE.with(Properties.SESSION_EXPIRY, 3600).with(0x22, 5);
        Packet.Connect connect = new Packet.Connect(5, clientId, false, 0, asks, null);
        try (Wire client = Wire.connected(connect)) {
            client.subscribe(1, clientId, 0);
            client.send(Wire.message(0, 0, false, clientId, "a", alias), Wire.message(0, 0, false, "", "b", alias));
            assertThat(client.expectMessage("a").topic()).isEqualTo(clientId);
            client.expectMessage("b");
        }
        try (Wire client = Wire.connected(connect)) {
            publish(clientId, 0, "c");
            assertThat(client.expectMessage("c").topic()).isEqualTo(clientId);
            client.send(Wire.message(0, 0, false, "", "d", alias));
            client.expectDisconnect(0x82);
        }
        Wire.clean(5, clientId).close();
    }
}
