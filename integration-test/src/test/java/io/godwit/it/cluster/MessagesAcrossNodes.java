package io.godwit.it.cluster;

import static io.godwit.it.cluster.NodeClients.PATIENCE;
import static io.godwit.it.cluster.NodeClients.assertAcknowledged;
import static io.godwit.it.cluster.NodeClients.assertNothingMore;
import static io.godwit.it.cluster.NodeClients.next;
import static io.godwit.it.cluster.NodeClients.publish;
import static io.godwit.it.cluster.NodeClients.retain;
import static io.godwit.it.cluster.NodeClients.text;
import static io.godwit.it.cluster.ThreeNodes.NODES;
import static io.godwit.it.cluster.ThreeNodes.inbox;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.it.client.TestClient;
import io.godwit.it.wire.Packet;
import io.godwit.it.wire.Properties;
import io.godwit.testing.Await;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Messages pass between clients of any nodes. Each node leads a third of the sessions, and the leaders stay where they
 * are: what happens when they move is tested elsewhere.
 */
@Timeout(60)
abstract class MessagesAcrossNodes extends ClusterClients {
    private static final int NO_LOCAL = 4;

    // --- connect

    @ParameterizedTest
    @ValueSource(ints = {4, 5})
    void everyNodeTakesCleanNamelessAndPersistentClients(int version) throws Exception {
        for (int node = 0; node < NODES; node++) {
            clients.clean(node, "", version);
            for (int home = 0; home < NODES; home++) {
                String stem = "connect-" + version + node;
                clients.clean(node, cluster.clientAt(home, inbox, stem + "-clean"), version);
                String id = cluster.clientAt(home, inbox, stem + "-kept");
                TestClient first = clients.unconnected(clients.config(node, id, version));
                assertThat(first.connect()).satisfies(reply -> {
                    assertThat(reply.code()).isZero();
                    assertThat(reply.sessionPresent()).isFalse();
                });
                first.disconnect();
                clients.resume(first, node);
            }
        }
    }

    // --- live subscribers

    @Test
    void aMessageOfEachQosReachesALiveSubscriberOfAnotherNode() throws Exception {
        for (int from = 0; from < NODES; from++) {
            for (int to = 0; to < NODES; to++) {
                if (from == to) {
                    continue;
                }
                String name = "live-" + from + to;
                int version = 4 + (from + to) % 2;
                TestClient subscriber = clients.clean(to, name + "-in", version);
                TestClient publisher = clients.clean(from, name + "-out", 9 - version);
                assertThat(subscriber.subscribe(name + "/+", 2)).isEqualTo(2);
                Map<String, Integer> expected = new HashMap<>();
                for (int qos = 0; qos <= 2; qos++) {
                    publish(publisher, name + "/" + qos, "x", qos);
                    expected.put(name + "/" + qos, qos);
                }
                Map<String, Integer> given = new HashMap<>();
                for (int i = 0; i < expected.size(); i++) {
                    Packet.Publish message = next(subscriber, "one of " + expected);
                    given.put(message.topic(), message.qos());
                }
                assertThat(given).isEqualTo(expected);
            }
        }
    }

    @Test
    void whatIsPublishedBehindASubackReachesTheSubscriptionFromWhicheverNode() throws Exception {
        List<TestClient> live = new ArrayList<>();
        List<TestClient> kept = new ArrayList<>();
        List<TestClient> publishers = new ArrayList<>();
        for (int node = 0; node < NODES; node++) {
            live.add(clients.clean(node, "suback-live-" + node, 5));
            kept.add(clients.persistent(node, "suback-kept-" + node, 5));
            publishers.add(clients.clean(node, "suback-out-" + node, 5));
        }
        for (int round = 0; round < 100; round++) {
            int on = round % NODES;
            int from = (on + 1 + round / NODES % 2) % NODES;
            TestClient subscriber = (round / 6 % 2 == 0 ? live : kept).get(on);
            String topic = "suback/" + round + "/x";
            String filter = round / 12 % 2 == 0 ? topic : "suback/" + round + "/#";
            assertThat(subscriber.subscribe(filter, 2)).isEqualTo(2);
            publish(publishers.get(from), topic, "x", 1 + round % 2);
            assertThat(next(subscriber, topic).topic()).isEqualTo(topic);
        }
    }

    // --- order

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 2})
    void twoThousandMessagesReachLiveAndPersistentSubscribersOfAnotherNodeInOrder(int qos) throws Exception {
        int count = 2_000;
        String topic = "order/" + qos;
        TestClient live = clients.clean(1, "order-live-" + qos, 5);
        TestClient kept = clients.persistent(1, cluster.clientAt(2, inbox, "order-kept-" + qos), 5);
        TestClient publisher = clients.clean(0, "order-out-" + qos, 4);
        assertThat(live.subscribe(topic, qos)).isEqualTo(qos);
        assertThat(kept.subscribe(topic, qos)).isEqualTo(qos);
        List<CompletableFuture<Packet.@Nullable Ack>> acks = new ArrayList<>();
        while (acks.size() < count) {
            Await.until("an open window", PATIENCE, publisher::canPublish);
            do {
                acks.add(publisher.publish(
                        topic, Integer.toString(acks.size()).getBytes(UTF_8), qos, false, Properties.NONE));
            } while (acks.size() < count && publisher.canPublish() && acks.size() % 100 > 0);
            publisher.flush();
        }
        for (CompletableFuture<Packet.@Nullable Ack> ack : acks) {
            assertAcknowledged(ack, topic);
        }
        for (TestClient subscriber : List.of(live, kept)) {
            List<Integer> numbers = numbers(subscriber, count, qos == 0 ? Duration.ofSeconds(2) : PATIENCE);
            if (qos == 0) {
                assertThat(numbers)
                        .as(subscriber.clientId())
                        .isNotEmpty()
                        .isSorted()
                        .doesNotHaveDuplicates();
            } else {
                assertThat(numbers)
                        .as(subscriber.clientId())
                        .isEqualTo(IntStream.range(0, count).boxed().toList());
            }
            assertNothingMore(subscriber);
        }
    }

    /** As many as come, but not more than {@code count}. */
    private static List<Integer> numbers(TestClient subscriber, int count, Duration patience) throws Exception {
        List<Integer> numbers = new ArrayList<>();
        Packet.Publish message;
        while (numbers.size() < count && (message = subscriber.next(patience)) != null) {
            numbers.add(Integer.valueOf(text(message)));
        }
        return numbers;
    }

    // --- retained messages and wills

    @Test
    void whatIsRetainedOverOneNodeIsReadOverAnother() throws Exception {
        List<TestClient> publishers = new ArrayList<>();
        for (int node = 0; node < NODES; node++) {
            publishers.add(clients.clean(node, "retain-out-" + node, 5));
        }
        for (int from = 0; from < NODES; from++) {
            String topic = "retained/" + from + "/x";
            retain(publishers.get(from), topic, "first");
            retain(publishers.get((from + 1) % NODES), topic, "second");
            for (int on = 0; on < NODES; on++) {
                for (String filter : List.of(topic, "retained/" + from + "/#")) {
                    TestClient reader = clients.clean(on, "retain-in-" + on, 4 + on % 2);
                    assertThat(reader.subscribe(filter, 1)).isEqualTo(1);
                    Packet.Publish message = next(reader, topic);
                    assertThat(message.topic()).isEqualTo(topic);
                    assertThat(text(message)).isEqualTo("second");
                    assertThat(message.retain()).isTrue();
                    assertThat(message.qos()).isEqualTo(1);
                    reader.disconnect();
                }
            }
            retain(publishers.get((from + 2) % NODES), topic, ""); // cleared
            for (int on = 0; on < NODES; on++) {
                TestClient reader = clients.clean(on, "retain-in-" + on, 5);
                assertThat(reader.subscribe("retained/" + from + "/#", 1)).isEqualTo(1);
                publish(publishers.get(from), "retained/" + from + "/live", "live", 1);
                assertThat(text(next(reader, "what comes first"))).isEqualTo("live");
                reader.disconnect();
            }
        }
    }

    @Test
    void aWillReachesSubscribersOfAllNodesOnceWhenItsConnectionBreaks() throws Exception {
        List<TestClient> watchers = new ArrayList<>();
        for (int node = 0; node < NODES; node++) {
            TestClient watcher = clients.clean(node, "will-in-" + node, 4 + node % 2);
            assertThat(watcher.subscribe("will/#", 2)).isEqualTo(2);
            watchers.add(watcher);
        }
        Set<String> expected = new TreeSet<>();
        for (int node = 0; node < NODES; node++) {
            for (int qos = 1; qos <= 2; qos++) {
                String topic = "will/" + node + qos;
                TestClient broken = clients.connected(clients.config(node, "will-" + node + qos, 3 + qos)
                        .withCleanSession()
                        .withWill(new Packet.Will(topic, new byte[] {1}, qos, false, Properties.NONE)));
                TestClient left = clients.connected(clients.config(node, "no-will-" + node + qos, 3 + qos)
                        .withCleanSession()
                        .withWill(new Packet.Will("will/never", new byte[] {1}, qos, false, Properties.NONE)));
                left.disconnect();
                broken.abort();
                expected.add(topic);
            }
        }
        for (TestClient watcher : watchers) {
            List<String> topics = new ArrayList<>();
            while (topics.size() < expected.size()) {
                topics.add(next(watcher, "more wills than " + topics).topic());
            }
            assertThat(topics).containsExactlyInAnyOrderElementsOf(expected);
            assertNothingMore(watcher);
        }
    }

    // --- subscriptions of several

    @ParameterizedTest
    @ValueSource(ints = {1, 2})
    void aGroupWithMembersOnAllNodesIsGivenEachMessageOnce(int qos) throws Exception {
        int each = 60;
        List<TestClient> members = new ArrayList<>();
        for (int i = 0; i < 2 * NODES; i++) {
            TestClient member = clients.clean(i % NODES, "member-" + qos + i, 4 + i % 2);
            assertThat(member.subscribe("$share/group/shared/" + qos, qos)).isEqualTo(qos);
            members.add(member);
        }
        TestClient outsider = clients.clean(1, "outsider-" + qos, 5);
        assertThat(outsider.subscribe("shared/" + qos, qos)).isEqualTo(qos);
        Set<String> expected = new HashSet<>();
        List<CompletableFuture<Packet.@Nullable Ack>> acks = new ArrayList<>();
        for (int node = 0; node < NODES; node++) {
            TestClient publisher = clients.clean(node, "shared-out-" + qos + node, 5);
            for (int i = 0; i < each; i++) {
                expected.add(node + "-" + i);
                acks.add(publisher.publish("shared/" + qos, node + "-" + i, qos));
            }
        }
        for (CompletableFuture<Packet.@Nullable Ack> ack : acks) {
            assertAcknowledged(ack, "shared/" + qos);
        }
        List<String> toGroup = new ArrayList<>();
        Await looks = Await.atMost(PATIENCE);
        while (toGroup.size() < expected.size()) {
            toGroup.addAll(waiting(members));
            looks.again(() -> toGroup.size() + " of " + expected.size());
        }
        List<String> toOutsider = new ArrayList<>();
        while (toOutsider.size() < expected.size()) {
            toOutsider.add(text(next(outsider, "all that the group is given")));
        }
        assertNothingMore(outsider);
        toGroup.addAll(waiting(members));
        assertThat(toGroup).containsExactlyInAnyOrderElementsOf(expected);
        assertThat(toOutsider).containsExactlyInAnyOrderElementsOf(expected);
    }

    /** What they have been given and nobody has looked at. */
    private static List<String> waiting(List<TestClient> members) throws InterruptedException {
        List<String> texts = new ArrayList<>();
        for (TestClient member : members) {
            Packet.Publish message;
            while ((message = member.next(Duration.ZERO)) != null) {
                texts.add(text(message));
            }
        }
        return texts;
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void whoWantsNothingOfItsOwnIsGivenWhatOthersPublishOnOtherNodes(boolean persistent) throws Exception {
        String id = cluster.clientAt(2, inbox, "own-" + persistent);
        String topic = "own/" + persistent;
        TestClient shy = persistent ? clients.persistent(0, id, 5) : clients.clean(0, id, 5);
        TestClient other = clients.clean(1, id + "-other", 5);
        assertThat(shy.subscribe(topic, NO_LOCAL | 1)).isEqualTo(1);
        assertThat(other.subscribe(topic, 1)).isEqualTo(1);
        publish(shy, topic, "of the shy one", 1);
        publish(other, topic, "of the other", 1);
        assertThat(text(next(other, "of the shy one"))).isEqualTo("of the shy one");
        assertThat(text(next(other, "its own"))).isEqualTo("of the other");
        assertThat(text(next(shy, "the other's"))).isEqualTo("of the other");
        assertNothingMore(shy);
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void overlappingSubscriptionsGiveOneCopyOfAMessageFromAnotherNode(boolean persistent) throws Exception {
        String id = cluster.clientAt(2, inbox, "overlap-" + persistent);
        TestClient subscriber = persistent ? clients.persistent(1, id, 5) : clients.clean(1, id, 5);
        subscriber.subscribe(List.of(new Packet.Request(id + "/+", 1)), identifier(11));
        subscriber.subscribe(List.of(new Packet.Request(id + "/#", 2)), identifier(22));
        TestClient publisher = clients.clean(0, id + "-out", 5);
        for (int qos = 0; qos <= 2; qos++) {
            publish(publisher, id + "/x", "qos " + qos, qos);
            Packet.Publish message = next(subscriber, "QoS " + qos);
            assertThat(text(message)).isEqualTo("qos " + qos);
            assertThat(message.qos()).isEqualTo(qos);
            assertThat(message.properties().entries())
                    .filteredOn(entry -> entry.id() == Properties.SUBSCRIPTION_ID)
                    .extracting(Properties.Entry::value)
                    .containsExactlyInAnyOrder(11L, 22L);
        }
        assertNothingMore(subscriber);
    }

    private static Properties identifier(int number) {
        return Properties.NONE.with(Properties.SUBSCRIPTION_ID, number);
    }

    // --- what a message carries

    @Test
    void sysTopicsTellOfTheNodeOnWhichTheyAreRead() throws Exception {
        int bytes = 500_000;
        TestClient here = clients.clean(0, "sys-0", 5);
        TestClient elsewhere = clients.clean(1, "sys-1", 5);
        String topic = "$SYS/broker/publish/bytes/received";
        for (TestClient watcher : List.of(here, elsewhere)) {
            assertThat(watcher.subscribe(topic, 0)).isZero();
        }
        long hereBefore = number(here);
        long elsewhereBefore = number(elsewhere);
        TestClient publisher = clients.clean(0, "sys-out", 5);
        for (int i = 0; i < 5; i++) {
            CompletableFuture<Packet.@Nullable Ack> ack =
                    publisher.publish("nobody/asked", new byte[bytes / 5], 1, false, Properties.NONE);
            publisher.flush();
            assertThat(ack).succeedsWithin(PATIENCE);
        }
        while (number(here) < hereBefore + bytes) {
            assertThat(here.isOpen()).isTrue();
        }
        // a value that has not changed is not published again: it is read anew
        TestClient later = clients.clean(1, "sys-2", 5);
        assertThat(later.subscribe(topic, 0)).isZero();
        assertThat(number(later)).isLessThan(elsewhereBefore + bytes / 2);
    }

    private static long number(TestClient watcher) throws InterruptedException {
        return Long.parseLong(text(next(watcher, "a number")));
    }

    @Test
    void aMessageOfAMegabyteCrossesNodes() throws Exception {
        byte[] payload = new byte[1 << 20];
        new Random(1).nextBytes(payload);
        TestClient live = clients.clean(1, "large-live", 5);
        TestClient kept = clients.persistent(2, cluster.clientAt(0, inbox, "large-kept"), 4);
        for (TestClient subscriber : List.of(live, kept)) {
            assertThat(subscriber.subscribe("large/+", 2)).isEqualTo(2);
        }
        TestClient publisher = clients.clean(0, "large-out", 5);
        for (int qos = 0; qos <= 2; qos++) {
            CompletableFuture<Packet.@Nullable Ack> ack =
                    publisher.publish("large/" + qos, payload, qos, false, Properties.NONE);
            publisher.flush();
            assertAcknowledged(ack, "large/" + qos);
            if (qos > 0) { // one of QoS 0 may be left out
                publish(publisher, "large/small", "x", qos);
            }
        }
        for (TestClient subscriber : List.of(live, kept)) {
            Set<String> topics = new HashSet<>();
            while (!topics.containsAll(Set.of("large/1", "large/2"))) {
                Packet.Publish message = next(subscriber, "more than " + topics);
                topics.add(message.topic());
                if (!message.topic().equals("large/small")) {
                    assertThat(message.payload()).as(message.topic()).isEqualTo(payload);
                }
            }
        }
    }

    @Test
    void aMessageKeepsItsPropertiesOverNodesAndExpiresThere() throws Exception {
        Properties properties = Properties.NONE
                .with(0x01, 1)
                .with(Properties.MESSAGE_EXPIRY, 100)
                .plus(new Properties.Entry(0x03, "text/plain"))
                .plus(new Properties.Entry(0x08, "reply/to"))
                .plus(new Properties.Entry(0x09, new byte[] {1, 2, 3}))
                .plus(new Properties.Entry(Properties.USER_PROPERTY, new Properties.Pair("b", "1")))
                .plus(new Properties.Entry(Properties.USER_PROPERTY, new Properties.Pair("a", "2")))
                .plus(new Properties.Entry(Properties.USER_PROPERTY, new Properties.Pair("b", "3")));
        TestClient live = clients.clean(1, "props-live", 5);
        TestClient kept = clients.persistent(1, cluster.clientAt(2, inbox, "props-kept"), 5);
        TestClient publisher = clients.clean(0, "props-out", 5);
        for (TestClient subscriber : List.of(live, kept)) {
            assertThat(subscriber.subscribe("props", 1)).isEqualTo(1);
        }
        CompletableFuture<Packet.@Nullable Ack> ack =
                publisher.publish("props", "x".getBytes(UTF_8), 1, false, properties);
        publisher.flush();
        assertAcknowledged(ack, "props");
        for (TestClient subscriber : List.of(live, kept)) {
            Properties given = next(subscriber, "it").properties();
            assertThat(given.number(Properties.MESSAGE_EXPIRY))
                    .as("the remaining expiry in seconds")
                    .isPresent();
            assertThat(given.number(Properties.MESSAGE_EXPIRY).getAsLong()).isBetween(60L, 100L);
            assertThat(others(given)).containsExactlyInAnyOrderElementsOf(others(properties));
            assertThat(userProperties(given)).isEqualTo(userProperties(properties));
        }

        kept.disconnect();
        ack = publisher.publish(
                "props", "short".getBytes(UTF_8), 1, false, Properties.NONE.with(Properties.MESSAGE_EXPIRY, 1));
        assertAcknowledged(publisher.publish("props", "long", 1), "props");
        assertAcknowledged(ack, "props");
        assertThat(text(next(live, "the short-lived one"))).isEqualTo("short");
        assertThat(text(next(live, "the other"))).isEqualTo("long");
        assertThat(live.next(Duration.ofMillis(2_100))).isNull(); // meanwhile it expires
        clients.resume(kept, 0);
        assertThat(text(next(kept, "what has not expired"))).isEqualTo("long");
        assertNothingMore(kept);
    }

    /** All but the expiry and what has an order. */
    private static List<String> others(Properties properties) {
        return properties.entries().stream()
                .filter(entry -> entry.id() != Properties.MESSAGE_EXPIRY && entry.id() != Properties.USER_PROPERTY)
                .map(entry -> entry.id() + "="
                        + (entry.value() instanceof byte[] bytes
                                ? HexFormat.of().formatHex(bytes)
                                : entry.value()))
                .toList();
    }

    private static List<Object> userProperties(Properties properties) {
        return properties.entries().stream()
                .filter(entry -> entry.id() == Properties.USER_PROPERTY)
                .map(Properties.Entry::value)
                .toList();
    }
}
