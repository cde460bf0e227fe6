package io.godwit.it.conformance;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.conformance.Clause;
import io.godwit.it.wire.Packet;
import io.godwit.it.wire.Packet.Ack;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** MQTT 3.1: level 3 under the name MQIsdp. Behind the CONNECT its packets are those of 3.1.1. */
@ExtendWith(SharedBroker.class)
class Mqtt31ConformanceTest {
    private static final int CLEAN = 0x02;

    /** @param rest of the payload behind the client identifier, hexadecimal */
    private static Wire connected(String clientId, int flags, String rest) throws Exception {
        Wire wire = Wire.open(4);
        wire.send(connect(clientId, flags, rest));
        assertThat(wire.expect(Packet.Connack.class).code()).isZero();
        return wire;
    }

    private static byte[] connect(String clientId, int flags, String rest) {
        return Wire.frame(
                String.format("10 0006'MQIsdp' 03 %02x 0000 %04x'%s' %s", flags, clientId.length(), clientId, rest));
    }

    @Test
    @Clause({"MQTT31-3.1-1", "MQTT31-3.1-2", "MQTT31-3.9-1", "MQTT31-3.12-1"})
    void clientsOfTheOldLevelAreServed() throws Exception {
        for (String clientId :
                new String[] {"a", "exactly-23-characters-x", "more than twenty-three characters, which harms nobody"
                }) {
            try (Wire client = connected(clientId, CLEAN, "")) {
                for (int qos = 0; qos <= 2; qos++) {
                    client.subscribe(1 + qos, "m31/" + qos, qos);
                }
                client.expectNothing(); // PINGREQ, PINGRESP
                assertThat(client.unsubscribe(9, "m31/0")).isEmpty();
            }
        }
        try (Wire client = Wire.open(4)) {
            client.send(connect("", CLEAN, ""));
            assertThat(client.expect(Packet.Connack.class).code()).isEqualTo(2);
            client.expectEnd();
        }
    }

    @Test
    @Clause({"MQTT31-3.3-1", "MQTT31-3.6-1"})
    void messagesOfAllQosLevelsTravel() throws Exception {
        String name = Wire.unique("m31");
        try (Wire client = connected(name, CLEAN, "")) {
            client.send(Wire.frame("8a 0001 0004'm31x' 02")); // SUBSCRIBE as a duplicate
            assertThat(client.expect(Packet.Suback.class).codes()).containsExactly(2);
            client.subscribe(1, name, 2);
            for (int qos = 0; qos <= 2; qos++) {
                try (Wire publisher = connected(name + "-p", CLEAN, "")) {
                    publisher.send(Wire.message(qos, qos, name, "m" + qos));
                    if (qos == 1) {
                        publisher.expectAck(Ack.Kind.PUBACK, 1);
                    } else if (qos == 2) {
                        publisher.expectAck(Ack.Kind.PUBREC, 2);
                        publisher.send(Wire.bytes("6a 02 0002")); // PUBREL as a duplicate
                        publisher.expectAck(Ack.Kind.PUBCOMP, 2);
                    }
                    assertThat(client.expectMessage("m" + qos).qos()).isEqualTo(qos);
                }
            }
        }
    }

    @Test
    @Clause("MQTT31-3.1-3")
    void namesThatAreAnnouncedMayBeMissing() throws Exception {
        connected(Wire.unique("m31"), CLEAN | 0xC0, "").close();
        connected(Wire.unique("m31"), CLEAN | 0xC0, "0001'u'").close();
        connected(Wire.unique("m31"), CLEAN | 0xC0, "0001'u' 0001'p'").close();
    }

    @Test
    @Clause("MQTT31-3.1-4")
    void aNewConnectionEndsTheOld() throws Exception {
        String name = Wire.unique("m31");
        try (Wire old = connected(name, CLEAN, "");
                Wire young = connected(name, CLEAN, "")) {
            old.expectEnd();
            young.expectNothing();
        }
    }

    @Test
    @Clause({"MQTT31-3.1-5", "MQTT31-3.2-1"})
    void aSessionIsKeptWithoutCleanSessionAndItsPresenceNotTold() throws Exception {
        String name = Wire.unique("m31");
        try (Wire client = connected(name, 0, "")) {
            client.subscribe(1, name, 1);
        }
        try (Wire publisher = Wire.clean(4, name + "-p")) {
            publisher.publish(Wire.message(1, 1, name, "waited"));
        }
        try (Wire client = Wire.open(4)) {
            client.send(connect(name, 0, ""));
            assertThat(client.expect(Packet.Connack.class)).satisfies(connack -> {
                assertThat(connack.code()).isZero();
                assertThat(connack.sessionPresent()).isFalse();
            });
            assertThat(client.take(1)).containsExactly("waited");
        }
        connected(name, CLEAN, "").close();
        try (Wire client = connected(name, 0, "");
                Wire publisher = Wire.clean(4, name + "-p")) {
            publisher.publish(Wire.message(1, 1, name, "not subscribed"));
            client.subscribe(1, name + "-end", 1);
            publisher.publish(Wire.message(1, 1, name + "-end", "end"));
            assertThat(client.take(1)).containsExactly("end");
        }
        connected(name, CLEAN, "").close();
    }

    @Test
    @Clause("MQTT31-3.1-6")
    void theWillIsPublishedUnlessTheClientDisconnects() throws Exception {
        String name = Wire.unique("m31");
        try (Wire watcher = Wire.clean(4, name + "-w")) {
            watcher.subscribe(1, name, 0);
            String will = String.format("%04x'%s' 0004'", name.length(), name);
            try (Wire client = connected(name, CLEAN | 4, will + "gone'")) {
                client.disconnect();
            }
            connected(name, CLEAN | 4, will + "lost'").close();
            watcher.expectMessage("lost");
        }
    }

    @Test
    @Clause("MQTT31-3.2-2")
    void anotherLevelUnderTheOldNameIsUnacceptable() throws Exception {
        for (String level : new String[] {"02", "04", "05"}) {
            try (Wire client = Wire.open(4)) {
                client.send(Wire.frame("10 0006'MQIsdp' " + level + " 02 003c 0001'a'"));
                assertThat(client.expect(Packet.Connack.class).code()).isEqualTo(1);
                client.expectEnd();
            }
        }
    }
}
