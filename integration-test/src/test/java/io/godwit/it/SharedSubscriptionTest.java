package io.godwit.it;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.it.broker.BrokerProcess;
import io.godwit.it.broker.Ports;
import io.godwit.it.client.AckPolicy;
import io.godwit.it.client.ClientConfig;
import io.godwit.it.client.TestClient;
import io.godwit.it.wire.Packet;
import io.godwit.it.wire.Properties;
import io.godwit.testing.Await;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Shared subscriptions (MQTT 5.0, 4.8.2) on the packaged broker: the strategies, and members that are away, full or
 * lost.
 */
class SharedSubscriptionTest {
    private static final int MAX_QUEUED = 20;
    private static final AckPolicy NEVER = acknowledge -> {};

    @TempDir
    private static Path directory;

    private static BrokerProcess broker;
    /** Listeners with strategies of their own. */
    private static InetSocketAddress inTurns;

    private static InetSocketAddress toOne;

    private final List<TestClient> clients = new ArrayList<>();
    private final Map<String, TestClient> byName = new LinkedHashMap<>();
    /** Who the broker knows to be gone, by their wills. */
    private final Set<String> gone = ConcurrentHashMap.newKeySet();

    /** What one member received, in order: publisher and topic, and its number there. */
    private record Received(String key, int number) {}

    private static final class Member {
        final String name;
        final Collection<Received> received = new ConcurrentLinkedQueue<>();

        Member(String name) {
            this.name = name;
        }
    }

    @BeforeAll
    static void startBroker() throws Exception {
        inTurns = Ports.free();
        toOne = Ports.free();
        broker = new BrokerProcess(directory)
                .listener("{port: " + inTurns.getPort() + ", sharedSubscriptionStrategy: round-robin}")
                .listener("{port: " + toOne.getPort() + ", sharedSubscriptionStrategy: sticky}")
                .setting(
                        "sessionConfig",
                        "{maxQueuedMessages: " + MAX_QUEUED + ", sharedGroupStrategies: \"turns=round-robin,one=sticky,"
                                + "client=hash-by-client,topic=hash-by-topic,local=local-first,$queue=round-robin\"}");
        broker.start();
    }

    @AfterAll
    static void stopBroker() throws Exception {
        broker.close();
    }

    @BeforeEach
    void observe() throws IOException {
        TestClient observer = new TestClient(
                ClientConfig.of(broker.address(), "observer", 5).withCleanSession(),
                publish -> gone.add(publish.topic().substring("gone/".length())));
        clients.add(observer);
        observer.connect();
        observer.subscribe("gone/+", 1);
    }

    @AfterEach
    void closeClients() {
        clients.forEach(TestClient::close);
    }

    @Test
    void roundRobinGivesEachAsMany() throws Exception {
        List<Member> members = members("$share/turns/rr/+", 3);
        publish("rr/a", "p1", 60);
        await(members, 60);
        assertThat(members).allSatisfy(member -> assertThat(member.received).hasSize(20));
    }

    @Test
    void stickyGivesAllToOne() throws Exception {
        List<Member> members = members("$share/one/st/+", 3);
        publish("st/a", "p1", 20);
        publish("st/b", "p2", 20);
        await(members, 40);
        assertThat(members.stream().filter(member -> !member.received.isEmpty()))
                .hasSize(1);
    }

    @Test
    void hashByClientAndByTopicKeepTheirKeysTogether() throws Exception {
        List<Member> byClient = members("$share/client/h/+", 3);
        List<Member> byTopic = members("$share/topic/h/+", 3);
        for (int i = 0; i < 12; i++) {
            publish("h/" + i % 4, "hp" + i / 4, 5);
        }
        await(byClient, 60);
        await(byTopic, 60);
        assertThat(owners(byClient, key -> key.substring(0, key.indexOf(' '))))
                .allSatisfy((client, owners) -> assertThat(owners).hasSize(1));
        assertThat(owners(byTopic, key -> key.substring(key.indexOf(' '))))
                .allSatisfy((topic, owners) -> assertThat(owners).hasSize(1));
    }

    @Test
    void localFirstPrefersTheSessionInMemory() throws Exception {
        Member stored = member("lf-stored", "$share/local/lf", true, AckPolicy.AT_ONCE);
        publish("lf", "p1", 5);
        await(List.of(stored), 5);
        Member live = member("lf-live", "$share/local/lf", false, AckPolicy.AT_ONCE);
        publish("lf", "p1", 10);
        await(List.of(live), 10);
        assertThat(stored.received).hasSize(5);
    }

    /** The members of the group are connected to both listeners; what counts is where a message came in. */
    @Test
    void aListenersStrategyIsForWhatComesThroughItUnlessTheGroupHasItsOwn() throws Exception {
        List<Member> members = new ArrayList<>();
        for (InetSocketAddress listener : List.of(inTurns, toOne, broker.address())) {
            Member member = new Member("li-" + members.size());
            client(member, false, AckPolicy.AT_ONCE, listener).subscribe("$share/li/li/+", 1);
            members.add(member);
        }
        client(new Member("li-turns"), false, AckPolicy.AT_ONCE, inTurns);
        client(new Member("li-one"), false, AckPolicy.AT_ONCE, toOne);

        publish("li/a", "li-turns", 30);
        await(members, 30);
        assertThat(members).allSatisfy(member -> assertThat(member.received).hasSize(10));

        publish("li/a", "li-one", 20);
        publish("li/b", "li-one", 10);
        await(members, 60);
        assertThat(members.stream().map(member -> member.received.size())).containsExactlyInAnyOrder(10, 10, 40);

        List<Member> own = members("$share/turns/lo/+", 3);
        publish("lo/a", "li-one", 30);
        await(own, 30);
        assertThat(own).allSatisfy(member -> assertThat(member.received).hasSize(10));
    }

    @Test
    void aQueueIsOneGroupWithoutAName() throws Exception {
        List<Member> members = members("$queue/q/+", 3);
        Member beside = member("q-beside", "$share/turns/q/+", false, AckPolicy.AT_ONCE);
        publish("q/a", "p1", 30);
        await(members, 30);
        await(List.of(beside), 30);
        assertThat(members).allSatisfy(member -> assertThat(member.received).hasSize(10));
    }

    /**
     * Members come and go while messages flow: each publisher's topic stays with one as long as it is there, and in
     * order.
     */
    @Test
    void anOrderedGroupKeepsEachPublishersTopicsInOrder() throws Exception {
        List<Member> members = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            members.add(member("o-" + i, "$oshare/g/o/+", false, AckPolicy.AT_ONCE));
        }
        int rounds = 6;
        for (int round = 0; round < rounds; round++) {
            for (int topic = 0; topic < 5; topic++) {
                publish("o/" + topic, "op" + topic % 2, 10, round * 10);
            }
            members.add(member("o-late" + round, "$oshare/g/o/+", false, AckPolicy.AT_ONCE));
        }
        await(members, rounds * 5 * 10);
        assertThat(owners(members, key -> key))
                .hasSize(5)
                .allSatisfy((key, owners) -> assertThat(owners).hasSize(1));
        for (Member member : members) {
            Map<String, List<Integer>> numbers = member.received.stream()
                    .collect(Collectors.groupingBy(
                            Received::key, Collectors.mapping(Received::number, Collectors.toList())));
            assertThat(numbers.values())
                    .allSatisfy(of -> assertThat(of).isSorted().hasSize(rounds * 10));
        }

        Member leaving = members.stream()
                .filter(member -> !member.received.isEmpty())
                .findFirst()
                .orElseThrow();
        Set<String> orphaned = leaving.received.stream().map(Received::key).collect(Collectors.toSet());
        Map<String, Set<String>> before = owners(members, key -> key);
        close(leaving.name);
        for (int topic = 0; topic < 5; topic++) {
            publish("o/" + topic, "op" + topic % 2, 1, rounds * 10);
        }
        await(members, rounds * 5 * 10 + 5);
        owners(members, key -> key)
                .forEach((key, owners) -> assertThat(owners)
                        .hasSize(orphaned.contains(key) ? 2 : 1)
                        .containsAll(before.get(key)));
    }

    @Test
    void aMemberThatIsAwayGetsNothingWhileAnotherIsThere() throws Exception {
        Member away = member("aw-away", "$share/g/aw", true, AckPolicy.AT_ONCE);
        Member there = member("aw-there", "$share/g/aw", true, AckPolicy.AT_ONCE);
        close("aw-away");
        publish("aw", "p1", 10);
        await(List.of(there), 10);
        assertThat(away.received).isEmpty();

        close("aw-there");
        // both are away: it is queued for one of them
        publish("aw", "p1", 1);
        reconnect(away);
        reconnect(there);
        await(List.of(away, there), 11);
    }

    @Test
    void whatAFullQueueCannotTakeGoesToAnother() throws Exception {
        List<Member> members = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            members.add(member("full-" + i, "$share/turns/full", true, AckPolicy.AT_ONCE));
        }
        for (Member member : members) {
            close(member.name);
        }
        // the first is full before the others begin
        Member first = members.get(0);
        reconnectTo(first, "full-own");
        close(first.name);
        publish("full-own", "p1", MAX_QUEUED);
        publish("full", "p1", 2 * MAX_QUEUED);
        for (Member member : members) {
            reconnect(member);
        }
        await(members, 3 * MAX_QUEUED);
        assertThat(members).allSatisfy(member -> assertThat(member.received).hasSize(MAX_QUEUED));
    }

    /** [MQTT5-4.8.2-5]: what was under way at QoS 2 goes to nobody else. */
    @Test
    void whatALostMemberHasNotAcknowledgedGoesToAnother() throws Exception {
        Member silent = member("lost", "$share/one/lo/+", false, NEVER);
        publish("lo/1", "p1", 5);
        publish("lo/2", "p1", 3, 0, 2);
        await(List.of(silent), 8);
        Member heir = member("heir", "$share/one/lo/+", false, AckPolicy.AT_ONCE);
        close("lost");
        await(List.of(heir), 5);
        publish("lo/3", "p1", 1);
        await(List.of(heir), 6);
        assertThat(heir.received)
                .extracting(Received::key)
                .containsExactly("p1 lo/1", "p1 lo/1", "p1 lo/1", "p1 lo/1", "p1 lo/1", "p1 lo/3");
        assertThat(heir.received).extracting(Received::number).containsExactly(0, 1, 2, 3, 4, 0);
    }

    @Test
    void whatAStoredMemberHasWhenItsSessionEndsGoesToAnother() throws Exception {
        Member silent = member("ended", "$share/one/en/+", true, NEVER);
        publish("en/1", "p1", 5);
        publish("en/2", "p1", 3, 0, 2);
        await(List.of(silent), 8);
        close("ended");
        publish("en/3", "p1", 4, 0, 2);
        Member heir = member("stored-heir", "$share/one/en/+", true, AckPolicy.AT_ONCE);
        client(new Member("ended"), false, AckPolicy.AT_ONCE); // begins anew
        await(List.of(heir), 9);
        publish("en/4", "p1", 1);
        await(List.of(heir), 10);
        assertThat(heir.received.stream()
                        .map(each -> each.key() + " " + each.number())
                        .toList())
                .containsExactly(
                        "p1 en/1 0",
                        "p1 en/1 1",
                        "p1 en/1 2",
                        "p1 en/1 3",
                        "p1 en/1 4",
                        "p1 en/3 0",
                        "p1 en/3 1",
                        "p1 en/3 2",
                        "p1 en/3 3",
                        "p1 en/4 0");
    }

    // ---- members and publishers

    private List<Member> members(String filter, int count) throws IOException {
        List<Member> members = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            members.add(member(filter.replaceAll("[^a-z]", "") + i, filter, i == 0, AckPolicy.AT_ONCE));
        }
        return members;
    }

    private Member member(String name, String filter, boolean persistent, AckPolicy acks) throws IOException {
        Member member = new Member(name);
        TestClient client = client(member, persistent, acks);
        client.subscribe(filter, 2);
        return member;
    }

    private TestClient client(Member member, boolean persistent, AckPolicy acks) throws IOException {
        return client(member, persistent, acks, broker.address());
    }

    private TestClient client(Member member, boolean persistent, AckPolicy acks, InetSocketAddress listener)
            throws IOException {
        ClientConfig config = ClientConfig.of(listener, member.name, 5)
                .withAcks(acks)
                .withWill(new Packet.Will("gone/" + member.name, new byte[0], 1, false, Properties.NONE));
        TestClient client = new TestClient(
                persistent ? config : config.withCleanSession(), publish -> member.received.add(received(publish)));
        clients.add(client);
        byName.put(member.name, client);
        client.connect();
        return client;
    }

    private void reconnect(Member member) throws IOException {
        client(member, true, AckPolicy.AT_ONCE);
    }

    private void reconnectTo(Member member, String filter) throws IOException {
        reconnect(member);
        byName.get(member.name).subscribe(filter, 1);
    }

    /** Cuts the connection and waits until the broker has noticed. */
    private void close(String name) throws IOException {
        gone.remove(name);
        byName.get(name).abort();
        await(() -> gone.contains(name), () -> name + " is there still");
    }

    private static Received received(Packet.Publish publish) {
        String[] parts = new String(publish.payload(), StandardCharsets.UTF_8).split(" ", -1);
        return new Received(parts[0] + " " + publish.topic(), Integer.parseInt(parts[1]));
    }

    private void publish(String topic, String publisher, int count) throws Exception {
        publish(topic, publisher, count, 0);
    }

    private void publish(String topic, String publisher, int count, int from) throws Exception {
        publish(topic, publisher, count, from, 1);
    }

    private void publish(String topic, String publisher, int count, int from, int qos) throws Exception {
        TestClient client = byName.get(publisher);
        if (client == null || !client.isOpen()) {
            client = client(new Member(publisher), false, AckPolicy.AT_ONCE);
        }
        List<CompletableFuture<Packet.@Nullable Ack>> acks = new ArrayList<>();
        for (int i = from; i < from + count; i++) {
            acks.add(client.publish(topic, publisher + " " + i, qos));
        }
        for (CompletableFuture<Packet.@Nullable Ack> ack : acks) {
            ack.get(10, TimeUnit.SECONDS);
        }
    }

    private static void await(List<Member> members, int count) {
        await(() -> received(members) >= count, () -> "received " + received(members) + " of " + count);
        assertThat(received(members)).isEqualTo(count);
    }

    private static void await(BooleanSupplier condition, Supplier<String> problem) {
        Await.until(problem, Duration.ofSeconds(20), condition::getAsBoolean);
    }

    private static int received(List<Member> members) {
        return members.stream().mapToInt(member -> member.received.size()).sum();
    }

    private interface KeyPart {
        String of(String key);
    }

    /** Who received something of each key. */
    private static Map<String, Set<String>> owners(List<Member> members, KeyPart part) {
        Map<String, Set<String>> owners = new LinkedHashMap<>();
        for (Member member : members) {
            for (Received each : member.received) {
                owners.computeIfAbsent(part.of(each.key), key -> new HashSet<>())
                        .add(member.name);
            }
        }
        return owners;
    }
}
