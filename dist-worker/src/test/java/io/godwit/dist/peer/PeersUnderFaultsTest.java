package io.godwit.dist.peer;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.cluster.link.Lane;
import io.godwit.cluster.link.Peer;
import io.godwit.dist.client.Delivery;
import io.godwit.dist.client.DeliveryToken;
import io.godwit.dist.client.DistOutcome;
import io.godwit.dist.client.LiveReceiver;
import io.godwit.dist.client.Match;
import io.godwit.dist.client.Publisher;
import io.godwit.dist.member.view.NodeLife;
import io.godwit.dist.peer.filter.RemoteFilters;
import io.godwit.plugin.client.ClientId;
import io.godwit.plugin.client.TenantId;
import io.godwit.plugin.message.Qos;
import io.godwit.plugin.topic.TopicFilter;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.stream.LongStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Three nodes on one thread, in a seeded order: sessions subscribe and unsubscribe, clients publish, links are cut,
 * mended and ended, nodes are killed and join again, and may or may not acknowledge. With some seeds messages are
 * large, and others overtake them.
 */
class PeersUnderFaultsTest {
    private static final int STEPS = 4_000;
    private static final int FULL_AT = 5;
    private static final String LARGE = "x".repeat(Peer.PASSABLE_BYTES);
    private static final List<String> NAMES = List.of("a", "b", "c");
    private static final List<String> FILTERS = List.of("x", "x/1", "x/+", "x/#", "+/1", "#", "y/2", "y/#");
    private static final List<String> TOPICS = List.of("x", "x/1", "x/2", "y/2", "y/1");

    /** A subscription, promised or not. */
    private static final class Subscription {
        final Session session;
        final TopicFilter filter;
        final CompletableFuture<Boolean> promise;

        Subscription(Session session, TopicFilter filter, CompletableFuture<Boolean> promise) {
            this.session = session;
            this.filter = filter;
            this.promise = promise;
        }
    }

    /** Compared by identity: a session of another incarnation of the node is another one. */
    private static final class Session implements LiveReceiver {
        private final ClientId clientId;
        private final Node node;

        Session(ClientId clientId, Node node) {
            this.clientId = clientId;
            this.node = node;
        }

        @Override
        public ClientId clientId() {
            return clientId;
        }

        @Override
        public String toString() {
            return clientId.value() + '@' + node.node.life;
        }
    }

    private static final class Client {
        final String name;
        final Publisher publisher;
        final Queue<Runnable> thread = new ArrayDeque<>();

        Client(String name, Node node) {
            this.name = name;
            this.publisher = node.node.client().publisher(TestNode.clientOf(name), null, thread::add);
        }
    }

    private static final class Node {
        final TestNode node;
        final List<Session> sessions = new ArrayList<>();
        final List<Client> clients = new ArrayList<>();
        boolean isKilled;
        int looked;

        Node(TestNode node) {
            this.node = node;
            for (int i = 0; i < 3; i++) {
                sessions.add(new Session(new ClientId("s" + i), this));
                clients.add(new Client("p" + i + '-' + node.life.nodeId() + node.life.incarnation(), this));
            }
        }
    }

    private record Publish(
            String id,
            String topic,
            Qos qos,
            @Nullable DeliveryToken token,
            CompletableFuture<DistOutcome> outcome,
            List<Subscription> promised,
            Node at) {}

    private final TestNode.Cluster cluster = new TestNode.Cluster();
    private final Map<String, Node> nodes = new HashMap<>();
    private final Set<String> cuts = new HashSet<>();
    private final List<Subscription> subscriptions = new ArrayList<>();
    private final List<Publish> open = new ArrayList<>();
    private final Map<Session, Set<String>> received = new HashMap<>();
    private final Map<String, Integer> lastOf = new HashMap<>();
    private final List<Publish> repeatable = new ArrayList<>();
    private final Set<String> repeated = new HashSet<>();
    private int published;
    private int acknowledged;
    private int checked;
    private long incarnations;
    /** Number of frames that a lane has room for. */
    private int window = Integer.MAX_VALUE;

    private boolean hasLarge;

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6})
    void nothingAcknowledgedMissesASubscriptionThatWasPromised(long seed) {
        run(seed);
    }

    static LongStream manySeeds() {
        return LongStream.range(7, 107);
    }

    @Tag("full")
    @ParameterizedTest
    @MethodSource("manySeeds")
    void promisesHoldInManyOrdersOfEvents(long seed) {
        run(seed);
    }

    private void run(long seed) {
        Random random = new Random(seed);
        if (seed % 2 == 0) {
            window = FULL_AT;
        }
        hasLarge = seed % 3 == 0;
        for (String name : NAMES) {
            start(name);
        }
        cluster.settle();
        nodes.values().forEach(node -> node.node.members.setFresh(true));
        for (int step = 0; step < STEPS; step++) {
            step(random);
            look();
        }
        cluster.net.holdLarge(false);
        List.copyOf(cuts).forEach(this::mend);
        nodes.values().forEach(node -> node.node.links.window(Integer.MAX_VALUE));
        nodes.values().forEach(node -> node.node.members.setFresh(true));
        for (int i = 0; i < 170; i++) { // until exclusions that cannot be agreed on are given up
            cluster.settle();
            runThreads();
            cluster.timers.advance(Duration.ofMillis(100));
        }
        nodes.values().forEach(node -> node.node.members.refuse());
        runThreads();
        look();
        assertThat(open).as("publishes that were never answered").isEmpty();
        assertThat(acknowledged).isPositive();
        assertThat(checked).isPositive();
        vanish();
    }

    /** Ends all nodes but one; no filter of another node may remain. */
    private void vanish() {
        Node last = nodes.values().stream()
                .filter(node -> cluster.view.has(node.node.life))
                .findFirst()
                .orElseThrow();
        for (Node node : nodes.values()) {
            if (node != last) {
                cluster.net.kill(node.node.life.nodeId());
            }
        }
        cluster.timers.advance(Duration.ofSeconds(3));
        last.sessions.forEach(session -> FILTERS.forEach(
                filter -> last.node.client().unsubscribe(TenantId.DEFAULT, TestNode.filter(filter), session)));
        for (String topic : TOPICS) {
            assertThat(last.node.publish(topic, Qos.AT_LEAST_ONCE, "last")).isCompletedWithValue(DistOutcome.NO_MATCH);
        }
    }

    private void start(String name) {
        TestNode made = new TestNode(cluster, name, ++incarnations, () -> {
            throw new IllegalStateException("no store");
        });
        Node node = new Node(made);
        nodes.put(name, node);
        made.links.window(window);
        made.join();
    }

    private void step(Random random) {
        Node node = nodes.get(NAMES.get(random.nextInt(NAMES.size())));
        int kind = random.nextInt(1_000);
        if (kind < 450) {
            deliver(random, node);
        } else if (kind < 700) {
            publish(random, node);
        } else if (kind < 800) {
            subscribe(random, node);
        } else if (kind < 850) {
            unsubscribe(random);
        } else if (kind < 910) {
            cluster.timers.advance(Duration.ofMillis(random.nextInt(100)));
        } else if (kind < 930) {
            String link = node.node.life.nodeId() + '>' + NAMES.get(random.nextInt(NAMES.size()));
            if (cuts.contains(link)) {
                mend(link);
            } else if (random.nextInt(3) == 0) {
                cuts.add(link);
                cluster.net.cut(link.substring(0, 1), link.substring(2));
            }
        } else if (kind < 960) {
            node.node.members.setFresh(random.nextInt(3) > 0 && isJoined(node));
        } else if (kind < 963) {
            node.node.members.refuse();
        } else if (kind < 966) {
            String other = NAMES.get(random.nextInt(NAMES.size()));
            if (!other.equals(node.node.life.nodeId())) {
                cluster.net.end(node.node.life.nodeId(), other, "ended by the test");
            }
        } else if (kind < 972) {
            restart(node);
        } else if (hasLarge && kind < 985) {
            cluster.net.holdLarge(random.nextInt(3) > 0);
        } else {
            runThreads();
        }
    }

    private final Map<NodeLife, List<CompletableFuture<Void>>> learning = new HashMap<>();

    private boolean isJoined(Node node) {
        List<CompletableFuture<Void>> learned = learning.getOrDefault(node.node.life, List.of());
        return learned.stream().allMatch(CompletableFuture::isDone);
    }

    private void restart(Node node) {
        String name = node.node.life.nodeId();
        node.isKilled = true;
        cluster.net.kill(name);
        cuts.removeIf(link -> link.startsWith(name) || link.endsWith(name));
        for (String other : NAMES) {
            cluster.net.mend(name, other);
            cluster.net.mend(other, name);
        }
        start(name);
        Node started = nodes.get(name);
        List<CompletableFuture<Void>> learned = new ArrayList<>();
        started.node.links.peers().forEach(peer -> {
            if (cluster.view.has(RemoteFilters.lifeOf(peer))) {
                learned.add(started.node.peers.learnAllOf(RemoteFilters.lifeOf(peer)));
            }
        });
        learning.put(started.node.life, learned);
    }

    private void mend(String link) {
        cuts.remove(link);
        cluster.net.mend(link.substring(0, 1), link.substring(2));
    }

    private void deliver(Random random, Node node) {
        String other = NAMES.get(random.nextInt(NAMES.size()));
        Lane lane = random.nextBoolean() ? Lane.CONTROL : Lane.LIVE;
        for (int i = random.nextInt(4); i >= 0; i--) {
            cluster.net.deliverOne(node.node.life.nodeId(), other, lane);
        }
    }

    private void subscribe(Random random, Node node) {
        Session session = node.sessions.get(random.nextInt(node.sessions.size()));
        TopicFilter filter = TestNode.filter(FILTERS.get(random.nextInt(FILTERS.size())));
        if (subscriptions.stream()
                .anyMatch(known -> known.session == session && known.filter.equals(filter) && isThere(known))) {
            return;
        }
        subscriptions.add(new Subscription(
                session, filter, node.node.client().subscribe(TenantId.DEFAULT, filter, session, TestNode.OPTIONS)));
    }

    private static boolean isThere(Subscription subscription) {
        return !subscription.promise.isCompletedExceptionally();
    }

    private void unsubscribe(Random random) {
        if (!subscriptions.isEmpty()) {
            Subscription gone = subscriptions.remove(random.nextInt(subscriptions.size()));
            open.forEach(publish -> publish.promised.remove(gone));
            if (isThere(gone)) { // else its session may have subscribed again
                gone.session.node.node.client().unsubscribe(TenantId.DEFAULT, gone.filter, gone.session);
            }
        }
    }

    private void publish(Random random, Node node) {
        Client client = node.clients.get(random.nextInt(node.clients.size()));
        if (!repeatable.isEmpty() && random.nextInt(20) == 0) {
            Publish before = repeatable.get(random.nextInt(repeatable.size()));
            repeated.add(before.id);
            client.publisher.publish(TestNode.message(before.topic, before.qos, before.id), before.token);
            return;
        }
        String topic = TOPICS.get(random.nextInt(TOPICS.size()));
        Qos qos = Qos.of(random.nextInt(3));
        String id = client.name + ' ' + topic + ' ' + qos.value() + ' ' + ++published;
        DeliveryToken token = qos == Qos.EXACTLY_ONCE ? new DeliveryToken(client.name, published, 0) : null;
        List<Subscription> promised = new ArrayList<>();
        for (Subscription subscription : subscriptions) {
            if (subscription.promise.isDone() && isThere(subscription) && subscription.filter.matches(topic)) {
                promised.add(subscription);
            }
        }
        String payload = hasLarge && random.nextInt(10) == 0 ? id + ' ' + LARGE : id;
        CompletableFuture<DistOutcome> outcome = client.publisher.publish(TestNode.message(topic, qos, payload), token);
        Publish made = new Publish(id, topic, qos, token, outcome, promised, node);
        if (qos == Qos.AT_MOST_ONCE) {
            assertThat(outcome).isCompleted();
        } else {
            open.add(made);
        }
        if (token != null) {
            repeatable.add(made);
        }
        if (repeatable.size() > 20) {
            repeatable.remove(0);
        }
    }

    private void runThreads() {
        for (Node node : nodes.values()) {
            for (Client client : node.clients) {
                for (Runnable task = client.thread.poll(); task != null; task = client.thread.poll()) {
                    task.run();
                }
            }
        }
    }

    private void look() {
        nodes.values().forEach(this::lookAtDeliveries);
        open.removeIf(publish -> {
            if (publish.at.isKilled) {
                return true; // its client gets no answer
            }
            if (!publish.outcome.isDone()) {
                return false;
            }
            DistOutcome outcome = publish.outcome.getNow(DistOutcome.FAILED);
            if (outcome == DistOutcome.DELIVERED || outcome == DistOutcome.NO_MATCH) {
                acknowledged++;
                publish.promised.forEach(subscription -> check(publish, subscription));
            }
            return true;
        });
    }

    /** A session ends with its node when that is excluded. */
    private void check(Publish publish, Subscription promised) {
        if (promised.session.node.isKilled || !cluster.view.has(promised.session.node.node.life)) {
            return;
        }
        checked++;
        assertThat(received.getOrDefault(promised.session, Set.of()))
                .as("%s got %s by %s", promised.session, publish, promised.filter)
                .contains(publish.id);
    }

    private void lookAtDeliveries(Node node) {
        for (; node.looked < node.node.live.size(); node.looked++) {
            Delivery delivery = node.node.live.get(node.looked);
            String payload = new String(delivery.message().payload(), StandardCharsets.UTF_8);
            String[] parts = payload.split(" ", -1);
            String id = String.join(" ", List.of(parts).subList(0, 4));
            int number = Integer.parseInt(parts[3]);
            for (Match match : delivery.matches()) {
                Session session = (Session) match.receiver();
                assertThat(received.computeIfAbsent(session, none -> new HashSet<>())
                                .add(id))
                        .as("%s gets %s once", session, id)
                        .isTrue();
                String flow = session + " " + parts[0] + ' ' + parts[1] + ' ' + parts[2];
                if (!repeated.contains(id)) { // a new subscriber may get a late repeat
                    Integer before = lastOf.put(flow, number);
                    assertThat(before == null ? 0 : before)
                            .as("order of %s", flow)
                            .isLessThan(number);
                }
            }
        }
    }
}
