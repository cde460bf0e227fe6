package io.godwit.it.conformance;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.conformance.Clause;
import io.godwit.it.wire.Packet;
import io.godwit.it.wire.Packet.Ack;
import io.godwit.it.wire.Packet.Request;
import io.godwit.it.wire.Properties;
import io.godwit.testing.Await;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Shared subscriptions. */
@OverEachTransport
class SharedConformanceTest {
    private static void publish(String topic, int qos, String payload) throws Exception {
        try (Wire publisher = Wire.clean(4, Wire.unique("p"))) {
            publisher.publish(Wire.message(1, qos, topic, payload));
        }
    }

    @ParameterizedTest
    @CsvSource({"4, false", "4, true", "5, false", "5, true"})
    @Clause({"MQTT5-4.8.2-1", "MQTT5-4.8.2-2", "MQTT5-4.8.2-3"})
    void eachMessageGoesToOneMemberOfEachGroupAtItsGrantedQos(int version, boolean kept) throws Exception {
        String name = Wire.unique("shared");
        List<Wire> members = new ArrayList<>();
        try {
            for (int i = 0; i < 3; i++) {
                Wire member = kept ? Wire.kept(version, name + i) : Wire.clean(version, name + i);
                member.subscribe(1, "$share/one/" + name + "/+", i);
                member.subscribe(2, name + "-end", 0);
                members.add(member);
            }
            Wire other = Wire.clean(version, name + "-other");
            other.subscribe(1, "$share/another/" + name + "/#", 2);
            other.subscribe(2, name + "-end", 0);
            members.add(other);
            int messages = 30;
            for (int i = 0; i < messages; i++) {
                publish(name + "/a", 2, "m" + i);
            }
            publish(name + "-end", 1, "end");

            List<String> ofGroup = new ArrayList<>();
            List<String> ofOther = new ArrayList<>();
            for (int i = 0; i < members.size(); i++) {
                for (Packet.Publish publish = members.get(i).expectMessage();
                        !publish.topic().equals(name + "-end");
                        publish = members.get(i).expectMessage()) {
                    assertThat(publish.topic()).isEqualTo(name + "/a");
                    assertThat(publish.qos()).isEqualTo(Math.min(i, 2));
                    (i < 3 ? ofGroup : ofOther).add(Wire.payload(publish));
                }
            }
            assertThat(ofGroup).hasSize(messages).doesNotHaveDuplicates();
            assertThat(ofOther).hasSize(messages).doesNotHaveDuplicates();
        } finally {
            for (Wire member : members) {
                member.close();
            }
            for (int i = 0; i < 3; i++) {
                Wire.clean(version, name + i).close();
            }
        }
    }

    /**
     * A member that is sent one message at a time. The next one waits on its way, and those behind that in the store.
     */
    private static Wire narrow(String clientId) throws Exception {
        Properties one = Properties.NONE.with(Properties.SESSION_EXPIRY, 3600).with(Properties.RECEIVE_MAXIMUM, 1);
        return Wire.connected(new Packet.Connect(5, clientId, false, 0, one, null));
    }

    /** What a member leaves is given to others in its order: what is given by mistake comes before what has waited. */
    private static List<String> givenUntilWaiting(Wire member) throws Exception {
        List<String> payloads = new ArrayList<>();
        while (!payloads.contains("waits")) {
            payloads.add(Wire.payload(member.expectMessage()));
        }
        return payloads;
    }

    /**
     * The member that was sent a QoS 2 message keeps it: it is finished with this one, whether it comes back or ends.
     */
    @ParameterizedTest
    @CsvSource({"true", "false"})
    @Clause({"MQTT5-4.8.2-4", "MQTT5-4.8.2-5"})
    void aMessageUnderWayStaysWithItsMember(boolean comesBack) throws Exception {
        String name = Wire.unique("member");
        Wire first = narrow(name + 1);
        first.subscribe(1, "$share/g/" + name, 2);
        publish(name, 2, "m");
        publish(name, 2, "next");
        publish(name, 2, "waits");
        int packetId = first.expectMessage("m").packetId();
        try (Wire second = Wire.kept(5, name + 2)) {
            second.subscribe(1, "$share/g/" + name, 2);
            if (comesBack) {
                first.close();
                try (Wire again = narrow(name + 1)) {
                    Packet.Publish publish = again.expectMessage("m");
                    assertThat(publish.packetId()).isEqualTo(packetId);
                    assertThat(publish.dup()).isTrue();
                    again.acknowledge(publish);
                    assertThat(again.take(2)).containsExactly("next", "waits");
                }
            } else {
                first.disconnect(0, Properties.NONE.with(Properties.SESSION_EXPIRY, 0));
                assertThat(givenUntilWaiting(second)).doesNotContain("m");
            }
        }
        Wire.clean(5, name + 1).close();
        Wire.clean(5, name + 2).close();
    }

    /** The protocol leaves the choice to the server. Nodes tell each other within 200 ms who is connected. */
    @Test
    void aMemberThatIsConnectedIsPreferredToOneThatIsAway() throws Exception {
        String name = Wire.unique("preferred");
        try (Wire away = Wire.kept(5, name + 1);
                Wire there = Wire.kept(5, name + 2)) {
            away.subscribe(1, "$share/g/" + name, 2);
            there.subscribe(1, "$share/g/" + name, 2);
            away.disconnect();
            publishUntilAllCome(there, name);
            for (int i = 0; i < 10; i++) {
                publish(name, 2, "m" + i);
                assertThat(there.take(1)).containsExactly("m" + i);
            }
        }
        Wire.clean(5, name + 1).close();
        Wire.clean(5, name + 2).close();
    }

    /** Publishes to the group of the topic until ten messages in a row have come to this member. */
    private static void publishUntilAllCome(Wire member, String topic) throws Exception {
        member.subscribe(2, topic + "-end", 1);
        Await looks = Await.atMost(Await.PATIENCE);
        int inARow = 0;
        while (inARow < 10) {
            publish(topic, 1, "probe");
            publish(topic + "-end", 1, "end");
            if (member.take(1).contains("probe")) {
                inARow++;
                assertThat(member.take(1)).containsExactly("end");
            } else {
                inARow = 0;
                looks.again(() -> "messages of " + topic + " go to others");
            }
        }
    }

    @ParameterizedTest
    @CsvSource({"1", "2"})
    @Clause("MQTT5-4.8.2-6")
    void aMessageThatItsMemberDeclinesGoesToNobodyElse(int qos) throws Exception {
        String name = Wire.unique("declines");
        try (Wire first = narrow(name + 1);
                Wire second = Wire.kept(5, name + 2)) {
            first.subscribe(1, "$share/g/" + name, qos);
            publish(name, qos, "m");
            publish(name, qos, "begun");
            publish(name, qos, "next");
            publish(name, qos, "waits");
            Packet.Publish publish = first.expectMessage("m");
            second.subscribe(1, "$share/g/" + name, qos);
            first.send(new Ack(qos == 1 ? Ack.Kind.PUBACK : Ack.Kind.PUBREC, publish.packetId(), 0x83));
            first.expectMessage("begun");
            first.disconnect(0, Properties.NONE.with(Properties.SESSION_EXPIRY, 0));
            assertThat(givenUntilWaiting(second)).doesNotContain("m");
        }
        Wire.clean(5, name + 2).close();
    }

    @Test
    @Clause({"MQTT5-4.8.2-1", "MQTT5-4.8.2-2"})
    void whatIsNoSharedFilterIsRefused() throws Exception {
        for (String filter :
                new String[] {"$share//a", "$share/g", "$share/+/a", "$share/g#/a", "$share/g/", "$share/"}) {
            for (int version = 4; version <= 5; version++) {
                try (Wire client = Wire.clean(version, Wire.unique("malformed"))) {
                    client.send(new Packet.Subscribe(1, List.of(new Request(filter, 0)), Properties.NONE));
                    client.expectDisconnect(0x8F);
                }
            }
        }
    }
}
