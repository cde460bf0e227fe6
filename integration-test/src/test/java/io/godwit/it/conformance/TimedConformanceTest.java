package io.godwit.it.conformance;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.conformance.Clause;
import io.godwit.it.wire.Packet;
import io.godwit.it.wire.Packet.Ack;
import io.godwit.it.wire.Properties;
import io.godwit.testing.Pace;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What the protocol measures in seconds. The tests wait for real time to pass and do so side by side. */
@OverEachTransport(isTimed = true)
@Execution(ExecutionMode.CONCURRENT)
class TimedConformanceTest {
    /** Lets time pass: what the broker must do meanwhile, or must not, is the point. */
    private static void pass(long millis) {
        Pace.passMillis(millis);
    }

    private static void publish(String topic, int qos, long expirySeconds, String payload) throws Exception {
        try (Wire publisher = Wire.clean(5, Wire.unique("p"))) {
            publisher.publish(Wire.message(1, qos, false, topic, payload, expiry(expirySeconds)));
        }
    }

    private static Properties expiry(long seconds) {
        return seconds < 0 ? Properties.NONE : Properties.NONE.with(Properties.MESSAGE_EXPIRY, seconds);
    }

    @ParameterizedTest
    @ValueSource(ints = {3, 4, 5})
    @Clause({"MQTT5-3.1.2-22", "MQTT5-3.2.2-22", "MQTT311-3.1.2-24", "MQTT31-3.1-6", "MQTT31-3.1-10"})
    void aSilentClientIsDisconnectedAndLeavesItsWill(int version) throws Exception {
        String name = Wire.unique("silent");
        byte[] payload = "silence".getBytes(StandardCharsets.UTF_8);
        Packet.Will will = new Packet.Will(name, payload, 0, false, Properties.NONE);
        try (Wire watcher = Wire.clean(4, name + "-w")) {
            watcher.subscribe(1, name, 0);
            long begin = System.nanoTime();
            try (Wire client = Wire.connected(new Packet.Connect(version, name, true, 1, Properties.NONE, will))) {
                client.expectDisconnect(0x8D);
                assertThat(System.nanoTime() - begin)
                        .isBetween(TimeUnit.MILLISECONDS.toNanos(1500), TimeUnit.SECONDS.toNanos(8));
            }
            watcher.expectMessage("silence");
        }
    }

    @Test
    @Clause({"MQTT5-3.2.2-22", "MQTT311-3.1.2-24", "MQTT31-3.1-10", "MQTT31-3.1-12"})
    void aClientThatSendsSomethingOrNamedNoKeepAliveStays() throws Exception {
        List<Wire> lively = new ArrayList<>();
        List<Wire> unbound = new ArrayList<>();
        try {
            for (int version = 3; version <= 5; version++) {
                lively.add(connected(version, 2));
                unbound.add(connected(version, 0));
            }
            for (int i = 0; i < 5; i++) {
                pass(1000);
                for (Wire client : lively) {
                    client.expectNothing();
                }
            }
            for (Wire client : unbound) { // silent until now
                client.expectNothing();
            }
        } finally {
            for (Wire client : lively) {
                client.close();
            }
            for (Wire client : unbound) {
                client.close();
            }
        }
    }

    private static Wire connected(int version, int keepAliveSeconds) throws Exception {
        return Wire.connected(
                new Packet.Connect(version, Wire.unique("lively"), true, keepAliveSeconds, Properties.NONE, null));
    }

    @Test
    @Clause({"MQTT5-3.3.2-5", "MQTT5-3.3.2-6"})
    void aMessageExpiresOrCountsDownWhileItsReceiverIsAway() throws Exception {
        String name = Wire.unique("expires");
        try (Wire client = Wire.kept(5, name)) {
            client.subscribe(1, name, 2);
        }
        for (int qos = 1; qos <= 2; qos++) {
            publish(name, qos, 1, "gone");
            publish(name, qos, 60, "counted");
            publish(name, qos, -1, "without");
        }
        pass(2_500);
        try (Wire client = Wire.kept(5, name)) {
            for (int qos = 1; qos <= 2; qos++) {
                Packet.Publish counted = client.expectMessage("counted");
                assertThat(counted.properties()
                                .number(Properties.MESSAGE_EXPIRY)
                                .orElseThrow())
                        .isBetween(40L, 58L);
                assertThat(client.expectMessage("without").properties().number(Properties.MESSAGE_EXPIRY))
                        .isEmpty();
            }
        }
        Wire.clean(5, name).close();
    }

    @Test
    @Clause({"MQTT5-3.3.2-5", "MQTT5-3.3.2-6"})
    void aRetainedMessageExpiresAndCountsDown() throws Exception {
        String name = Wire.unique("retained-expires");
        try (Wire publisher = Wire.clean(5, name + "-p")) {
            publisher.publish(Wire.message(1, 1, true, name + "/gone", "gone", expiry(1)));
            publisher.publish(Wire.message(1, 1, true, name + "/stays", "stays", expiry(60)));
            pass(2_500);
            publisher.subscribe(1, name + "/+", 0);
            assertThat(publisher
                            .expectMessage("stays")
                            .properties()
                            .number(Properties.MESSAGE_EXPIRY)
                            .orElseThrow())
                    .isBetween(40L, 58L);
            publisher.expectNothing();
            publisher.publish(Wire.message(2, 0, true, name + "/stays", ""));
        }
    }

    /** The PUBLISH was sent in time; what follows is no delivery any more but the end of one. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    @Clause({"MQTT5-4.3.3-7", "MQTT5-4.4.0-1"})
    void expiryDoesNotEndAFlowThatHasBegun(boolean recorded) throws Exception {
        String name = Wire.unique("begun");
        int packetId;
        try (Wire client = Wire.kept(5, name)) {
            client.subscribe(1, name, 2);
            publish(name, 2, 2, "m");
            packetId = client.expectMessage("m").packetId();
            if (recorded) {
                client.send(new Ack(Ack.Kind.PUBREC, packetId, 0));
                client.expectAck(Ack.Kind.PUBREL, packetId);
            }
        }
        pass(3_500);
        try (Wire client = Wire.kept(5, name)) {
            if (recorded) {
                client.expectAck(Ack.Kind.PUBREL, packetId);
                client.send(new Ack(Ack.Kind.PUBCOMP, packetId, 0));
            } else {
                Packet.Publish again = client.expectMessage("m");
                assertThat(again.packetId()).isEqualTo(packetId);
                assertThat(again.dup()).isTrue();
                client.acknowledge(again);
            }
            client.expectNothing();
        }
        Wire.clean(5, name).close();
    }

    @Test
    @Clause("MQTT5-4.3.3-13")
    void thePublishersFlowIsFinishedWhenItsMessageHasExpired() throws Exception {
        String name = Wire.unique("expired-in");
        Packet.Publish publish = Wire.message(3, 2, false, name, "m", expiry(1));
        try (Wire live = Wire.clean(5, name);
                Wire kept = Wire.kept(5, name + "-kept")) {
            for (Wire client : List.of(live, kept)) {
                client.send(publish);
                assertThat(client.expectAck(Ack.Kind.PUBREC, 3).code()).isLessThan(0x80);
            }
            pass(2_500);
            for (Wire client : List.of(live, kept)) {
                client.send(publish);
                assertThat(client.expectAck(Ack.Kind.PUBREC, 3).code()).isLessThan(0x80);
                client.send(new Ack(Ack.Kind.PUBREL, 3, 0));
                assertThat(client.expectAck(Ack.Kind.PUBCOMP, 3).code()).isZero();
            }
        }
        Wire.clean(5, name + "-kept").close();
    }

    @Test
    @Clause({"MQTT5-4.4.0-1", "MQTT311-4.4.0-1", "MQTT31-4.2-2"})
    void nothingIsSentAgainOnAStandingConnection() throws Exception {
        String name = Wire.unique("patient");
        try (Wire kept3 = Wire.kept(3, name + "-kept3");
                Wire live4 = Wire.clean(4, name + "-4");
                Wire live5 = Wire.clean(5, name + "-5");
                Wire kept4 = Wire.kept(4, name + "-kept4");
                Wire kept5 = Wire.kept(5, name + "-kept5")) {
            List<Wire> clients = List.of(kept3, live4, live5, kept4, kept5);
            for (Wire client : clients) {
                client.subscribe(1, name, 2);
            }
            publish(name, 1, -1, "one");
            publish(name, 2, -1, "two");
            publish(name, 2, -1, "released");
            for (Wire client : clients) {
                client.expectMessage("one");
                client.expectMessage("two");
                int packetId = client.expectMessage("released").packetId();
                client.send(new Ack(Ack.Kind.PUBREC, packetId, 0));
                client.expectAck(Ack.Kind.PUBREL, packetId);
            }
            pass(5_000);
            for (Wire client : clients) {
                client.expectNothing();
            }
        }
        Wire.clean(3, name + "-kept3").close();
        Wire.clean(4, name + "-kept4").close();
        Wire.clean(5, name + "-kept5").close();
    }

    @Test
    @Clause({"MQTT5-4.1.0-2", "MQTT5-3.1.2-23"})
    void aSessionEndsWithItsExpiryInterval() throws Exception {
        String name = Wire.unique("interval");
        Packet.Connect brief =
                new Packet.Connect(5, name, false, 0, Properties.NONE.with(Properties.SESSION_EXPIRY, 2), null);
        try (Wire client = Wire.connected(brief)) {
            pass(3_000); // connected, it does not count
            client.subscribe(1, name, 1);
        }
        try (Wire client = Wire.open(5)) {
            assertThat(client.connect(brief).sessionPresent()).isTrue();
        }
        pass(4_500);
        try (Wire client = Wire.open(5)) {
            assertThat(client.connect(brief).sessionPresent()).isFalse();
        }
        Wire.clean(5, name).close();
    }

    /** A session of 3.1.1 has no end of its own, and one of 5.0 may say so at DISCONNECT. */
    @Test
    @Clause("MQTT311-3.1.2-4")
    void otherSessionsStay() throws Exception {
        String old = Wire.unique("stays4");
        String young = Wire.unique("stays5");
        Wire.kept(4, old).close();
        Packet.Connect second =
                new Packet.Connect(5, young, false, 0, Properties.NONE.with(Properties.SESSION_EXPIRY, 1), null);
        try (Wire client = Wire.connected(second)) {
            client.disconnect(0, Properties.NONE.with(Properties.SESSION_EXPIRY, 3600));
        }
        pass(3_500);
        try (Wire client = Wire.open(4)) {
            assertThat(client.connect(Wire.keeping(4, old)).sessionPresent()).isTrue();
        }
        try (Wire client = Wire.open(5)) {
            assertThat(client.connect(Wire.keeping(5, young)).sessionPresent()).isTrue();
        }
        Wire.clean(4, old).close();
        Wire.clean(5, young).close();
    }

    // ---- wills with a delay

    private static Packet.Connect delayed(String clientId, long sessionSeconds, long delaySeconds) {
        Packet.Will will = new Packet.Will(
                clientId,
                "will".getBytes(StandardCharsets.UTF_8),
                1,
                false,
                Properties.NONE.with(Properties.WILL_DELAY, delaySeconds));
        return new Packet.Connect(
                5, clientId, false, 0, Properties.NONE.with(Properties.SESSION_EXPIRY, sessionSeconds), will);
    }

    /** At the delay or at the end of the session, whichever comes first; never before. */
    @ParameterizedTest
    @CsvSource({"3600, 2", "2, 3600"})
    @Clause("MQTT5-3.1.2-8")
    void aDelayedWillComesAtItsTimeOrWithTheEndOfTheSession(long sessionSeconds, long delaySeconds) throws Exception {
        String name = Wire.unique("delayed");
        try (Wire watcher = Wire.clean(5, name + "-w")) {
            watcher.subscribe(1, name, 0);
            long begin = System.nanoTime();
            Wire.connected(delayed(name, sessionSeconds, delaySeconds)).close();
            watcher.expectMessage("will");
            assertThat(System.nanoTime() - begin)
                    .isBetween(TimeUnit.MILLISECONDS.toNanos(1_900), TimeUnit.SECONDS.toNanos(8));
        }
        Wire.clean(5, name).close();
    }

    @Test
    @Clause({"MQTT5-3.1.3-9", "MQTT5-3.1.2-8"})
    void aConnectionInTimeKeepsTheWillBack() throws Exception {
        String name = Wire.unique("in-time");
        try (Wire watcher = Wire.clean(5, name + "-w")) {
            watcher.subscribe(1, name, 0);
            Wire.connected(delayed(name, 3600, 3)).close();
            try (Wire client = Wire.kept(5, name)) {
                pass(5_000);
                client.publish(Wire.message(1, 1, name, "marker"));
                watcher.expectMessage("marker");
            }
        }
        Wire.clean(5, name).close();
    }

    /** A clean start ends the session, and with it the time that the will could wait. */
    @Test
    @Clause("MQTT5-3.1.2-8")
    void aCleanStartEndsTheDelay() throws Exception {
        String name = Wire.unique("ended");
        try (Wire watcher = Wire.clean(5, name + "-w")) {
            watcher.subscribe(1, name, 0);
            Wire.connected(delayed(name, 3600, 3600)).close();
            try (Wire client = Wire.clean(5, name)) {
                watcher.expectMessage("will");
                client.expectNothing();
            }
        }
    }
}
