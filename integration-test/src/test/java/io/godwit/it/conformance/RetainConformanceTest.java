package io.godwit.it.conformance;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.conformance.Clause;
import io.godwit.it.wire.Packet;
import io.godwit.it.wire.Packet.Request;
import io.godwit.it.wire.Properties;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Retained messages: what is kept, who is sent it, and with which flag. */
@OverEachTransport
class RetainConformanceTest {
    private static final int AS_PUBLISHED = 8;
    private static final int SEND_IF_NEW = 16;
    private static final int DO_NOT_SEND = 32;

    private static Wire connected(int version, boolean kept, String clientId) throws Exception {
        return kept ? Wire.kept(version, clientId) : Wire.clean(version, clientId);
    }

    /** Subscribes and is sent nothing retained: what it would be sent comes before what a filter behind it brings. */
    private static void subscribeToNothingRetained(Wire client, int packetId, Request request) throws Exception {
        String marker = Wire.unique("behind");
        retain(marker, 1, "behind");
        assertThat(client.subscribe(packetId, request, new Request(marker, 1)))
                .containsExactly(request.options() & 3, 1);
        Packet.Publish publish = client.expectMessage("behind");
        assertThat(publish.retain()).isTrue();
        client.acknowledge(publish);
        client.unsubscribe(packetId, marker);
        retain(marker, 1, "");
    }

    private static void retain(String topic, int qos, String payload) throws Exception {
        publish(topic, qos, true, payload);
    }

    private static void publish(String topic, int qos, boolean retain, String payload) throws Exception {
        try (Wire publisher = Wire.clean(4, Wire.unique("p"))) {
            publisher.publish(Wire.message(1, qos, retain, topic, payload));
            publisher.publish(
                    Wire.message(2, 1, topic + "-behind", "")); // answered after the one before, at QoS 0, too
        }
    }

    @ParameterizedTest
    @CsvSource({"3, false", "3, true", "4, false", "4, true", "5, false", "5, true"})
    @Clause({
        "MQTT5-3.3.1-5",
        "MQTT5-3.3.1-8",
        "MQTT5-3.3.1-9",
        "MQTT311-3.3.1-5",
        "MQTT311-3.3.1-6",
        "MQTT311-3.3.1-7",
        "MQTT311-3.3.1-8",
        "MQTT311-3.3.1-12",
        "MQTT311-3.1.2-7",
        "MQTT31-2.1-2",
        "MQTT31-2.1-3"
    })
    void aNewSubscriptionIsSentTheLastRetainedMessageOfEachTopic(int version, boolean kept) throws Exception {
        String name = Wire.unique("retained");
        retain(name + "/a", 2, "old");
        retain(name + "/a", 1, "new");
        publish(name + "/a", 2, false, "not retained");
        publish(name + "/a", 1, false, "");
        retain(name + "/b", 2, "two");
        retain(name + "/c", 2, "replaced by QoS 0");
        retain(name + "/c", 0, "zero");
        try (Wire client = connected(version, kept, name)) {
            client.subscribe(1, name + "/#", 2);
            List<Packet.Publish> received =
                    List.of(client.expectMessage(), client.expectMessage(), client.expectMessage());
            for (Packet.Publish publish : received) {
                assertThat(publish.retain()).isTrue();
                assertThat(publish.dup()).isFalse();
                int qos = switch (Wire.payload(publish)) {
                    case "new" -> 1;
                    case "two" -> 2;
                    case "zero" -> 0;
                    default -> -1;
                };
                assertThat(publish.qos()).as(Wire.payload(publish)).isEqualTo(qos);
                if (qos > 0) {
                    client.acknowledge(publish);
                }
            }
            client.subscribe(2, name + "/a", 0);
            Packet.Publish publish = client.expectMessage("new");
            assertThat(publish.qos()).isZero();
            assertThat(publish.retain()).isTrue();
            client.expectNothing();
        }
        Wire.clean(version, name).close();
        for (String level : new String[] {"/a", "/b", "/c"}) {
            retain(name + level, 1, "");
        }
    }

    @ParameterizedTest
    @CsvSource({"3, false", "3, true", "4, false", "4, true", "5, false", "5, true"})
    @Clause({
        "MQTT5-3.3.1-6",
        "MQTT5-3.3.1-7",
        "MQTT311-3.3.1-9",
        "MQTT311-3.3.1-10",
        "MQTT311-3.3.1-11",
        "MQTT5-3.3.1-12",
        "MQTT31-2.1-2",
        "MQTT31-2.1-4",
        "MQTT31-2.1-5"
    })
    void anEmptyRetainedMessageIsDeliveredAndNothingIsRetainedAnyMore(int version, boolean kept) throws Exception {
        String name = Wire.unique("emptied");
        try (Wire early = connected(version, kept, name + "-early");
                Wire late = connected(version, kept, name + "-late")) {
            // what is retained behind SUBACK may come as retained, too, as long as the replay goes on
            subscribeToNothingRetained(early, 1, new Request(name, 1));
            retain(name, 1, "kept");
            Packet.Publish publish = early.expectMessage("kept");
            assertThat(publish.retain()).isFalse();
            early.acknowledge(publish);
            retain(name, 1, "");
            publish = early.expectMessage("");
            assertThat(publish.retain()).isFalse();
            early.acknowledge(publish);
            subscribeToNothingRetained(late, 1, new Request(name, 1));
            publish(name, 1, false, "marker");
            assertThat(late.take(1)).containsExactly("marker");
        }
        Wire.clean(version, name + "-early").close();
        Wire.clean(version, name + "-late").close();
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    @Clause({"MQTT5-3.3.1-9", "MQTT5-3.3.1-10", "MQTT5-3.3.1-11"})
    void retainHandlingSaysWhenRetainedMessagesAreSent(boolean kept) throws Exception {
        String name = Wire.unique("handling");
        retain(name, 1, "retained");
        try (Wire client = connected(5, kept, name)) {
            subscribeToNothingRetained(client, 1, new Request(name, 1 | DO_NOT_SEND));
            subscribeToNothingRetained(client, 2, new Request(name, 1 | SEND_IF_NEW));
            client.subscribe(3, new Request(name, 1));
            assertThat(client.take(1)).containsExactly("retained");
            client.unsubscribe(4, name);
            client.subscribe(5, new Request(name, 1 | SEND_IF_NEW));
            assertThat(client.take(1)).containsExactly("retained");
            client.expectNothing();
        }
        retain(name, 1, "");
        Wire.clean(5, name).close();
    }

    /** A resumed session has its subscriptions: they are not new. */
    @Test
    @Clause("MQTT5-3.3.1-10")
    void aSubscriptionOfAResumedSessionIsNotNew() throws Exception {
        String name = Wire.unique("resumed");
        retain(name, 1, "retained");
        try (Wire client = Wire.kept(5, name)) {
            client.subscribe(1, new Request(name, 1 | SEND_IF_NEW));
            assertThat(client.take(1)).containsExactly("retained");
        }
        try (Wire client = Wire.kept(5, name)) {
            client.expectNothing();
            subscribeToNothingRetained(client, 1, new Request(name, 1 | SEND_IF_NEW));
        }
        retain(name, 1, "");
        Wire.clean(5, name).close();
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    @Clause({"MQTT5-3.3.1-12", "MQTT5-3.3.1-13"})
    void retainAsPublishedKeepsTheFlag(boolean kept) throws Exception {
        String name = Wire.unique("as-published");
        try (Wire plain = connected(5, kept, name + "-plain");
                Wire exact = connected(5, kept, name + "-exact")) {
            plain.subscribe(1, new Request(name, 1 | DO_NOT_SEND));
            exact.subscribe(1, new Request(name, 1 | DO_NOT_SEND | AS_PUBLISHED));
            for (boolean retain : new boolean[] {true, false}) {
                publish(name, 1, retain, "m");
                Packet.Publish toPlain = plain.expectMessage("m");
                Packet.Publish toExact = exact.expectMessage("m");
                assertThat(toPlain.retain()).isFalse();
                assertThat(toExact.retain()).isEqualTo(retain);
                plain.acknowledge(toPlain);
                exact.acknowledge(toExact);
            }
        }
        retain(name, 1, "");
        Wire.clean(5, name + "-plain").close();
        Wire.clean(5, name + "-exact").close();
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void retainedMessagesDoNotGoToSharedSubscriptions(boolean kept) throws Exception {
        String name = Wire.unique("not-shared");
        retain(name, 1, "retained");
        try (Wire client = connected(5, kept, name)) {
            subscribeToNothingRetained(client, 1, new Request("$share/g/" + name, 1));
            publish(name, 1, false, "live");
            assertThat(client.take(1)).containsExactly("live");
        }
        retain(name, 1, "");
        Wire.clean(5, name).close();
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    @Clause("MQTT5-3.3.4-3")
    void aRetainedMessageHasTheIdentifierOfTheSubscriptionItIsSentFor(boolean kept) throws Exception {
        String name = Wire.unique("retained-id");
        retain(name, 1, "retained");
        try (Wire client = connected(5, kept, name)) {
            client.subscribe(1, Properties.NONE.with(Properties.SUBSCRIPTION_ID, 9), new Request(name, 1));
            assertThat(client.expectMessage("retained").properties().number(Properties.SUBSCRIPTION_ID))
                    .hasValue(9);
        }
        retain(name, 1, "");
        Wire.clean(5, name).close();
    }
}
