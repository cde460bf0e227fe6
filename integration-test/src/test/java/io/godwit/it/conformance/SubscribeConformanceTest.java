package io.godwit.it.conformance;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.conformance.Clause;
import io.godwit.it.wire.Packet;
import io.godwit.it.wire.Packet.Ack;
import io.godwit.it.wire.Packet.Request;
import io.godwit.it.wire.Properties;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** SUBSCRIBE and UNSUBSCRIBE, their answers, and what subscriptions bring: over live sessions and stored ones. */
@OverEachTransport
class SubscribeConformanceTest {
    private static final int NO_LOCAL = 4;
    private static final int RETAIN_HANDLING_2 = 32;

    private static Wire connected(int version, boolean kept, String clientId) throws Exception {
        return kept ? Wire.kept(version, clientId) : Wire.clean(version, clientId);
    }

    private static void publish(String topic, int qos, String... payloads) throws Exception {
        try (Wire publisher = Wire.clean(4, Wire.unique("p"))) {
            for (String payload : payloads) {
                publisher.publish(Wire.message(1, qos, topic, payload));
            }
        }
    }

    private static List<Long> subscriptionIds(Packet.Publish publish) {
        return publish.properties().entries().stream()
                .filter(entry -> entry.id() == Properties.SUBSCRIPTION_ID)
                .map(entry -> (Long) entry.value())
                .toList();
    }

    @ParameterizedTest
    @CsvSource({"3, false", "3, true", "4, false", "4, true", "5, false", "5, true"})
    @Clause({
        "MQTT5-2.2.1-6",
        "MQTT5-3.8.4-1",
        "MQTT5-3.8.4-2",
        "MQTT5-3.8.4-5",
        "MQTT5-3.8.4-6",
        "MQTT5-3.9.3-1",
        "MQTT311-2.3.1-7",
        "MQTT311-3.8.3-2",
        "MQTT311-3.8.4-1",
        "MQTT311-3.8.4-2",
        "MQTT311-3.8.4-4",
        "MQTT311-3.9.3-1",
        "MQTT31-3.8-3",
        "MQTT31-3.9-2"
    })
    void everyFilterIsAnsweredInOrderAndEachWorks(int version, boolean kept) throws Exception {
        String name = Wire.unique("many");
        try (Wire client = connected(version, kept, name)) {
            assertThat(client.subscribe(
                            65_535,
                            new Request(name + "/a", 2),
                            new Request(name + "/b/+", 0),
                            new Request(name + "/c/#", 1),
                            new Request(name + "/d", 2)))
                    .containsExactly(2, 0, 1, 2);
            for (String topic : List.of("a", "b/x", "c/y/z", "d")) {
                publish(name + "/" + topic, 1, topic);
                assertThat(client.take(1)).containsExactly(topic);
            }
        }
        Wire.clean(version, name).close();
    }

    @ParameterizedTest
    @CsvSource({"3, false", "3, true", "4, false", "4, true", "5, false", "5, true"})
    @Clause({"MQTT5-3.8.4-8", "MQTT311-3.8.4-6", "MQTT31-3.8-4"})
    void aMessageComesAtTheLowerOfBothQosLevels(int version, boolean kept) throws Exception {
        String name = Wire.unique("lower");
        try (Wire client = connected(version, kept, name)) {
            for (int granted = 0; granted <= 2; granted++) {
                client.subscribe(1, name + granted, granted);
                for (int published = 0; published <= 2; published++) {
                    publish(name + granted, published, "m");
                    Packet.Publish publish = client.expectMessage("m");
                    assertThat(publish.qos()).isEqualTo(Math.min(granted, published));
                    if (publish.qos() > 0) {
                        client.acknowledge(publish);
                    }
                }
            }
        }
        Wire.clean(version, name).close();
    }

    @ParameterizedTest
    @CsvSource({"3, false", "3, true", "4, false", "4, true", "5, false", "5, true"})
    @Clause({"MQTT5-3.8.4-3", "MQTT5-3.8.4-4", "MQTT311-3.8.4-3", "MQTT31-2.1-3"})
    void aFilterSubscribedToAgainReplacesTheSubscription(int version, boolean kept) throws Exception {
        String name = Wire.unique("again");
        publishRetained(name, "retained");
        try (Wire client = connected(version, kept, name)) {
            client.subscribe(1, name, 2);
            assertThat(client.take(1)).containsExactly("retained");
            client.subscribe(2, name, 0);
            assertThat(client.take(1)).containsExactly("retained");
            publish(name, 2, "once");
            assertThat(client.expectMessage("once").qos()).isZero();
            client.expectNothing();
            client.unsubscribe(3, name);
            publish(name, 2, "not subscribed");
            client.subscribe(4, name + "/marker", 0);
            publish(name + "/marker", 1, "marker");
            client.expectMessage("marker");
        }
        publishRetained(name, "");
        Wire.clean(version, name).close();
    }

    private static void publishRetained(String topic, String payload) throws Exception {
        try (Wire publisher = Wire.clean(4, Wire.unique("p"))) {
            publisher.publish(Wire.message(1, 1, true, topic, payload));
        }
    }

    /** While the subscription is replaced again and again, every message comes through. */
    @ParameterizedTest
    @CsvSource({"3, false", "3, true", "4, false", "4, true", "5, false", "5, true"})
    @Clause({"MQTT5-3.8.4-4", "MQTT311-3.8.4-3"})
    void nothingIsLostWhileASubscriptionIsReplaced(int version, boolean kept) throws Exception {
        String name = Wire.unique("replaced");
        int messages = 50;
        try (Wire client = connected(version, kept, name);
                Wire publisher = Wire.clean(4, Wire.unique("p"))) {
            client.subscribe(1, name, 1);
            for (int i = 0; i < messages; i++) {
                client.send(new Packet.Subscribe(2 + i, List.of(new Request(name, 1)), Properties.NONE));
                publisher.send(Wire.message(1 + i, 1, name, "m" + i));
            }
            int next = 0;
            for (int i = 0; i < 2 * messages; i++) {
                if (client.read() instanceof Packet.Publish publish) {
                    assertThat(Wire.payload(publish)).isEqualTo("m" + next++);
                    client.send(new Ack(Ack.Kind.PUBACK, publish.packetId(), 0));
                }
            }
            assertThat(next).isEqualTo(messages);
        }
        Wire.clean(version, name).close();
    }

    @ParameterizedTest
    @CsvSource({"3, false", "3, true", "4, false", "4, true", "5, false", "5, true"})
    @Clause({
        "MQTT5-2.2.1-6",
        "MQTT5-3.10.4-1",
        "MQTT5-3.10.4-2",
        "MQTT5-3.10.4-4",
        "MQTT5-3.10.4-5",
        "MQTT5-3.10.4-6",
        "MQTT5-3.11.3-1",
        "MQTT5-3.11.3-2",
        "MQTT311-2.3.1-7",
        "MQTT311-3.10.4-1",
        "MQTT311-3.10.4-2",
        "MQTT311-3.10.4-4",
        "MQTT311-3.10.4-5",
        "MQTT311-3.10.4-6",
        "MQTT31-3.10-1",
        "MQTT31-3.11-1"
    })
    void unsubscribeRemovesTheVeryFiltersItNames(int version, boolean kept) throws Exception {
        String name = Wire.unique("removed");
        try (Wire client = connected(version, kept, name)) {
            client.subscribe(1, new Request(name + "/a", 1), new Request(name + "/+", 1), new Request(name + "/#", 1));
            List<Integer> codes = client.unsubscribe(2, name + "/b", name + "/+", name + "/+/", name + "/#");
            assertThat(codes).isEqualTo(version == 5 ? List.of(0x11, 0, 0x11, 0) : List.of());
            publish(name + "/b", 1, "no longer");
            publish(name + "/a", 1, "still");
            assertThat(client.take(1)).containsExactly("still");
            assertThat(client.unsubscribe(3, name + "/none")).isEqualTo(version == 5 ? List.of(0x11) : List.of());
        }
        Wire.clean(version, name).close();
    }

    @ParameterizedTest
    @CsvSource({"3, false", "3, true", "4, false", "4, true", "5, false", "5, true"})
    @Clause({"MQTT5-3.10.4-3", "MQTT311-3.10.4-3"})
    void whatHasBegunIsFinishedAfterUnsubscribe(int version, boolean kept) throws Exception {
        String name = Wire.unique("begun");
        try (Wire client = connected(version, kept, name)) {
            client.subscribe(1, name, 2);
            publish(name, 1, "one");
            publish(name, 2, "two");
            Packet.Publish one = client.expectMessage("one");
            Packet.Publish two = client.expectMessage("two");
            client.unsubscribe(2, name);
            client.acknowledge(one);
            client.acknowledge(two); // expects the PUBREL
            client.expectNothing();
        }
        Wire.clean(version, name).close();
    }

    @ParameterizedTest
    @CsvSource({"3, false", "3, true", "4, false", "4, true", "5, false", "5, true"})
    @Clause({
        "MQTT5-3.3.4-2",
        "MQTT5-3.3.4-3",
        "MQTT5-3.3.4-4",
        "MQTT5-3.3.4-5",
        "MQTT5-3.3.2-3",
        "MQTT311-3.3.5-1",
        "MQTT311-3.3.2-3"
    })
    void overlappingSubscriptionsGiveOneCopyAtTheHighestQosWithAllIdentifiers(int version, boolean kept)
            throws Exception {
        String name = Wire.unique("overlap");
        try (Wire client = connected(version, kept, name)) {
            subscribe(client, version, 1, new Request(name + "/a", 0), 11);
            subscribe(client, version, 2, new Request(name + "/+", 2), 268_435_455);
            subscribe(client, version, 3, new Request(name + "/#", 1), 0);
            subscribe(client, version, 4, new Request("+/a", 1), 128);
            for (int qos = 0; qos <= 2; qos++) {
                publish(name + "/a", qos, "m" + qos);
                Packet.Publish publish = client.expectMessage("m" + qos);
                assertThat(publish.topic()).isEqualTo(name + "/a");
                assertThat(publish.qos()).isEqualTo(qos);
                if (version == 5) {
                    assertThat(subscriptionIds(publish)).containsExactlyInAnyOrder(11L, 268_435_455L, 128L);
                }
                if (qos > 0) {
                    client.acknowledge(publish);
                }
            }
            publish(name + "/b", 2, "one filter less");
            Packet.Publish publish = client.expectMessage("one filter less");
            assertThat(publish.qos()).isEqualTo(2);
            if (version == 5) {
                assertThat(subscriptionIds(publish)).containsExactly(268_435_455L);
            }
            client.acknowledge(publish);
            client.expectNothing();
        }
        Wire.clean(version, name).close();
    }

    private static void subscribe(Wire client, int version, int packetId, Request request, long identifier)
            throws Exception {
        Properties properties = version == 5 && identifier > 0
                ? Properties.NONE.with(Properties.SUBSCRIPTION_ID, identifier)
                : Properties.NONE;
        client.subscribe(packetId, properties, request);
    }

    /** A replaced subscription has its new identifier, or none. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    @Clause("MQTT5-3.8.4-3")
    void theIdentifierIsReplacedWithTheSubscription(boolean kept) throws Exception {
        String name = Wire.unique("identifier");
        try (Wire client = connected(5, kept, name)) {
            subscribe(client, 5, 1, new Request(name, 0), 5);
            subscribe(client, 5, 2, new Request(name, 0), 6);
            publish(name, 0, "six");
            assertThat(subscriptionIds(client.expectMessage("six"))).containsExactly(6L);
            subscribe(client, 5, 3, new Request(name, 0), 0);
            publish(name, 0, "none");
            assertThat(subscriptionIds(client.expectMessage("none"))).isEmpty();
        }
        Wire.clean(5, name).close();
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    @Clause("MQTT5-3.8.3-3")
    void noLocalKeepsAClientsOwnMessagesFromIt(boolean kept) throws Exception {
        String name = Wire.unique("local");
        try (Wire client = connected(5, kept, name)) {
            client.subscribe(1, new Request(name, 2 | NO_LOCAL));
            for (int qos = 0; qos <= 2; qos++) {
                client.publish(Wire.message(1 + qos, qos, name, "own"));
            }
            publish(name, 1, "another's");
            assertThat(client.take(1)).containsExactly("another's");
            client.subscribe(2, new Request(name, 2 | RETAIN_HANDLING_2)); // and without it again
            client.send(Wire.message(0, 0, name, "own"));
            client.expectMessage("own");
        }
        Wire.clean(5, name).close();
    }

    /** The client id counts, not the connection. */
    @Test
    @Clause("MQTT5-3.8.3-3")
    void noLocalHoldsForTheNextConnectionToo() throws Exception {
        String name = Wire.unique("local-id");
        try (Wire client = Wire.kept(5, name)) {
            client.subscribe(1, new Request(name, 1 | NO_LOCAL));
        }
        try (Wire client = Wire.kept(5, name)) {
            client.publish(Wire.message(1, 1, name, "own"));
            publish(name, 1, "another's");
            assertThat(client.take(1)).containsExactly("another's");
        }
        Wire.clean(5, name).close();
    }
}
