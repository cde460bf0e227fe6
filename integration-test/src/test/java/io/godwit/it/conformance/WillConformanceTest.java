package io.godwit.it.conformance;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.conformance.Clause;
import io.godwit.it.wire.Packet;
import io.godwit.it.wire.Properties;
import io.godwit.it.wire.Properties.Entry;
import io.godwit.it.wire.Properties.Pair;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Wills that are published at once, or not at all; those with a delay are in {@link TimedConformanceTest}. */
@OverEachTransport
class WillConformanceTest {
    private static final int RETAIN_AS_PUBLISHED = 8;
    private static final int DO_NOT_SEND_RETAINED = 32;

    private static Packet.Connect connect(int version, String clientId, boolean kept, Packet.Will will) {
        Properties properties =
                version == 5 && kept ? Properties.NONE.with(Properties.SESSION_EXPIRY, 3600) : Properties.NONE;
        return new Packet.Connect(version, clientId, !kept, 0, properties, will);
    }

    private static Packet.Will will(String topic, String payload, int qos, boolean retain) {
        return new Packet.Will(topic, payload.getBytes(StandardCharsets.UTF_8), qos, retain, Properties.NONE);
    }

    @ParameterizedTest
    @CsvSource({
        "3, true, 0, false",
        "3, false, 1, true",
        "3, true, 2, true",
        "4, false, 0, false",
        "4, true, 1, false",
        "4, false, 2, true",
        "5, false, 0, true",
        "5, true, 1, true",
        "5, false, 2, false"
    })
    @Clause({
        "MQTT5-3.1.2-7",
        "MQTT5-3.1.2-8",
        "MQTT5-3.1.2-9",
        "MQTT5-3.1.2-10",
        "MQTT5-3.1.2-14",
        "MQTT5-3.1.2-15",
        "MQTT311-3.1.2-8",
        "MQTT311-3.1.2-9",
        "MQTT311-3.1.2-10",
        "MQTT311-3.1.2-16",
        "MQTT311-3.1.2-17",
        "MQTT31-3.1-6",
        "MQTT31-3.1-11"
    })
    void aWillIsPublishedOnceAsItWasGiven(int version, boolean kept, int qos, boolean retain) throws Exception {
        String name = Wire.unique("will");
        try (Wire watcher = Wire.clean(5, name + "-w")) {
            watcher.subscribe(1, name, 2 | RETAIN_AS_PUBLISHED | DO_NOT_SEND_RETAINED);
            Wire.connected(connect(version, name, kept, will(name, "last words", qos, retain)))
                    .close();
            Packet.Publish publish = watcher.expectMessage("last words");
            assertThat(publish.qos()).isEqualTo(qos);
            assertThat(publish.retain()).isEqualTo(retain);
            if (qos > 0) {
                watcher.acknowledge(publish);
            }
            // the next connection has no will, so there is none of it, nor the old one again
            Wire.connected(new Packet.Connect(version, name, !kept, 0, Properties.NONE, null))
                    .close();
            try (Wire marker = Wire.clean(version, name)) {
                marker.publish(Wire.message(1, 1, name, "marker"));
            }
            watcher.expectMessage("marker");
        }
        try (Wire late = Wire.clean(4, name + "-late")) {
            late.subscribe(1, name, 0);
            if (retain) {
                late.expectMessage("last words");
            } else {
                late.expectNothing();
            }
            late.unsubscribe(2, name);
            late.publish(Wire.message(1, 1, true, name, ""));
        }
    }

    @ParameterizedTest
    @CsvSource({"3, false", "3, true", "4, false", "4, true", "5, false", "5, true"})
    @Clause({
        "MQTT5-3.1.2-10",
        "MQTT5-3.14.4-3",
        "MQTT311-3.1.2-10",
        "MQTT311-3.1.2-12",
        "MQTT311-3.14.4-3",
        "MQTT31-3.1-6",
        "MQTT31-3.14-1"
    })
    void disconnectDiscardsTheWill(int version, boolean kept) throws Exception {
        String name = Wire.unique("goodbye");
        try (Wire watcher = Wire.clean(4, name + "-w")) {
            watcher.subscribe(1, name, 0);
            try (Wire client = Wire.connected(connect(version, name, kept, will(name, "unsaid", 1, false)))) {
                client.disconnect();
            }
            Wire.clean(version, name).close(); // ends the session, which would send the will at the latest
            try (Wire marker = Wire.clean(version, name)) {
                marker.publish(Wire.message(1, 1, name, "marker"));
            }
            watcher.expectMessage("marker");
        }
    }

    @Test
    @Clause("MQTT5-3.1.2-8")
    void anyOtherReasonToDisconnectSendsTheWill() throws Exception {
        for (int code : new int[] {0x04, 0x80, 0x98}) {
            String name = Wire.unique("reason");
            try (Wire watcher = Wire.clean(4, name + "-w");
                    Wire client = Wire.connected(connect(5, name, false, will(name, "said", 1, false)))) {
                watcher.subscribe(1, name, 0);
                client.disconnect(code, Properties.NONE);
                watcher.expectMessage("said");
            }
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {3, 4, 5})
    @Clause({"MQTT5-3.1.2-8", "MQTT311-3.1.2-8", "MQTT31-3.1-6"})
    void whoIsThrownOutLeavesItsWill(int version) throws Exception {
        String name = Wire.unique("thrown");
        try (Wire watcher = Wire.clean(4, name + "-w")) {
            watcher.subscribe(1, name, 0);
            try (Wire client =
                    Wire.connected(connect(version, name, false, will(name, "broke the protocol", 1, false)))) {
                client.send(Wire.bytes("82 00"));
                client.expectDisconnect(0x81);
            }
            watcher.expectMessage("broke the protocol");
            try (Wire old = Wire.connected(connect(version, name, false, will(name, "taken over", 1, false)));
                    Wire young = Wire.clean(version, name)) {
                old.expectDisconnect(0x8E);
                watcher.expectMessage("taken over");
                young.expectNothing();
            }
        }
    }

    @Test
    @Clause({"MQTT5-3.1.3-10", "MQTT5-3.1.2-9"})
    void propertiesOfAWillAreThoseOfItsMessage() throws Exception {
        String name = Wire.unique("will-properties");
        Properties properties = new Properties(List.of(
                new Entry(0x01, 1L),
                new Entry(0x03, "type"),
                new Entry(0x08, "reply"),
                new Entry(Properties.USER_PROPERTY, new Pair("b", "1")),
                new Entry(Properties.USER_PROPERTY, new Pair("a", "2")),
                new Entry(Properties.USER_PROPERTY, new Pair("b", "0"))));
        try (Wire watcher = Wire.clean(5, name + "-w")) {
            watcher.subscribe(1, name, 0);
            Packet.Will will = new Packet.Will(name, new byte[0], 0, false, properties);
            Wire.connected(connect(5, name, false, will)).close();
            assertThat(watcher.expectMessage("").properties().entries())
                    .containsExactlyInAnyOrderElementsOf(properties.entries())
                    .containsSubsequence(properties.entries().subList(3, 6));
        }
    }
}
