package io.godwit.it.conformance;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.conformance.Clause;
import io.godwit.it.wire.Packet;
import io.godwit.it.wire.Packet.Ack;
import io.godwit.it.wire.Properties;
import org.junit.jupiter.api.Test;

/**
 * What MQTT 3.1 alone has: level 3 under the name MQIsdp. Where its packets behind the CONNECT are those of 3.1.1, the
 * other tests of this package go through it, too.
 */
@OverEachTransport
class Mqtt31ConformanceTest {
    @Test
    @Clause({"MQTT31-3.1-1", "MQTT31-3.1-2", "MQTT31-3.9-1"})
    void clientsOfTheOldLevelAreServed() throws Exception {
        for (String clientId :
                new String[] {"a", "exactly-23-characters-x", "more than twenty-three characters, which harms nobody"
                }) {
            try (Wire client = Wire.clean(3, clientId)) {
                for (int qos = 0; qos <= 2; qos++) {
                    client.subscribe(1 + qos, "m31/" + qos, qos);
                }
                client.expectNothing();
                assertThat(client.unsubscribe(9, "m31/0")).isEmpty();
            }
        }
        for (boolean clean : new boolean[] {true, false}) {
            try (Wire client = Wire.open(3)) {
                assertThat(client.connect(new Packet.Connect(3, "", clean, 0, Properties.NONE, null))
                                .code())
                        .isEqualTo(2);
                client.expectEnd();
            }
        }
    }

    @Test
    @Clause({"MQTT31-3.3-1", "MQTT31-3.6-1"})
    void messagesOfAllQosLevelsTravel() throws Exception {
        String name = Wire.unique("m31");
        try (Wire client = Wire.clean(3, name)) {
            client.send(Wire.frame("8a 0001 0004'm31x' 02")); // SUBSCRIBE as a duplicate
            assertThat(client.expect(Packet.Suback.class).codes()).containsExactly(2);
            client.subscribe(1, name, 2);
            for (int qos = 0; qos <= 2; qos++) {
                try (Wire publisher = Wire.clean(3, name + "-p")) {
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
            client.send(Wire.frame("aa 0003 0004'm31x'")); // UNSUBSCRIBE as a duplicate
            assertThat(client.expect(Packet.Unsuback.class).packetId()).isEqualTo(3);
        }
    }

    @Test
    @Clause("MQTT31-3.1-3")
    void namesThatAreAnnouncedMayBeMissing() throws Exception {
        for (String names : new String[] {"", "0001'u'", "0001'u' 0001'p'"}) {
            String clientId = Wire.unique("m31");
            try (Wire client = Wire.open(3)) {
                client.send(Wire.frame(
                        String.format("10 0006'MQIsdp' 03 c2 0000 %04x'%s' %s", clientId.length(), clientId, names)));
                assertThat(client.expect(Packet.Connack.class).code()).isZero();
                client.expectNothing();
            }
        }
    }

    @Test
    @Clause("MQTT31-3.2-2")
    void anotherLevelUnderTheOldNameIsUnacceptable() throws Exception {
        for (String level : new String[] {"02", "04", "05"}) {
            try (Wire client = Wire.open(3)) {
                client.send(Wire.frame("10 0006'MQIsdp' " + level + " 02 003c 0001'a'"));
                assertThat(client.expect(Packet.Connack.class).code()).isEqualTo(1);
                client.expectEnd();
            }
        }
    }
}
