package io.godwit.dist.peer;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.cluster.link.Lane;
import io.godwit.dist.client.Delivery;
import io.godwit.dist.client.DeliveryToken;
import io.godwit.dist.client.DistOutcome;
import io.godwit.plugin.message.Qos;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
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
 * One shared group whose live members come and go on three nodes, in a seeded order, while messages are published and
 * repeated, and links are held up or end. One session never leaves, so the group always has a member.
 */
class GroupsUnderFaultsTest {
    private static final int STEPS = 3_000;
    private static final int FULL_AT = 5;
    private static final List<String> NAMES = List.of("a", "b", "c");

    private record Publish(
            String id, Qos qos, @Nullable DeliveryToken token, TestNode at, CompletableFuture<DistOutcome> outcome) {}

    private final TestNode.Cluster cluster = new TestNode.Cluster();
    private final Map<String, TestNode> nodes = new HashMap<>();
    private final List<TestNode> all = new ArrayList<>();
    private final Set<String> members = new HashSet<>();
    private final List<Publish> published = new ArrayList<>();
    private boolean hasStayed = true;
    private long incarnations;
    /** Number of frames that a lane has room for. */
    private int window = Integer.MAX_VALUE;

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8})
    void whatIsAcknowledgedHasReachedAMemberAndUnderATokenOne(long seed) {
        run(seed);
    }

    static LongStream manySeeds() {
        return LongStream.range(9, 209);
    }

    @Tag("full")
    @ParameterizedTest
    @MethodSource("manySeeds")
    void promisesHoldInManyOrdersOfEvents(long seed) {
        run(seed);
    }

    private void run(long seed) {
        Random random = new Random(seed);
        String filter = List.of("$share/g/t", "$oshare/g/t", "$queue/t").get((int) (seed % 3));
        if (seed % 2 == 0) {
            window = FULL_AT;
        }
        NAMES.forEach(this::start);
        cluster.settle();
        nodes.get("a").subscribe(filter, "stays");
        cluster.settle();
        for (int step = 0; step < STEPS; step++) {
            step(random, filter);
        }
        nodes.values().forEach(node -> node.links.window(Integer.MAX_VALUE));
        for (String from : NAMES) {
            NAMES.forEach(to -> cluster.net.mend(from, to));
        }
        for (int i = 0; i < 50; i++) {
            cluster.settle();
            cluster.timers.advance(Duration.ofMillis(100));
        }
        check();
    }

    private void start(String name) {
        TestNode node = cluster.serving(name, ++incarnations);
        node.links.window(window);
        nodes.put(name, node);
        all.add(node);
    }

    private void step(Random random, String filter) {
        String name = NAMES.get(random.nextInt(3));
        TestNode node = nodes.get(name);
        int kind = random.nextInt(1_000);
        if (kind < 450) {
            Lane lane = random.nextBoolean() ? Lane.CONTROL : Lane.LIVE;
            cluster.net.deliverOne(name, NAMES.get(random.nextInt(3)), lane);
        } else if (kind < 750) {
            publish(random, node);
        } else if (kind < 850) {
            comeOrGo(node, filter, "s" + random.nextInt(2));
        } else if (kind < 930) {
            cluster.timers.advance(Duration.ofMillis(random.nextInt(200)));
        } else if (kind < 950) {
            cluster.net.cut(name, NAMES.get(random.nextInt(3)));
        } else if (kind < 990) {
            cluster.net.mend(name, NAMES.get(random.nextInt(3)));
        } else if (!isMember(node) || kind < 993 && !name.equals("a")) {
            restart(name);
            if (name.equals("a")) {
                hasStayed = false;
                nodes.get(name).subscribe(filter, "stays");
            }
        }
    }

    private void restart(String name) {
        members.removeIf(member -> member.startsWith(name));
        cluster.net.kill(name);
        for (String other : NAMES) {
            cluster.net.mend(name, other);
            cluster.net.mend(other, name);
        }
        start(name);
        cluster.settle(); // it learns before it serves
    }

    private void comeOrGo(TestNode node, String filter, String session) {
        String member = node.life.nodeId() + session;
        if (members.remove(member)) {
            node.unsubscribe(filter, session);
        } else {
            members.add(member);
            node.subscribe(filter, session);
        }
    }

    private void publish(Random random, TestNode node) {
        if (random.nextInt(5) == 0 && !published.isEmpty()) {
            Publish before = published.get(random.nextInt(published.size()));
            if (before.token != null && isMember(before.at)) {
                before.at.publish("t", before.qos, before.id, before.token);
            }
            return;
        }
        Qos qos = random.nextBoolean() ? Qos.AT_LEAST_ONCE : Qos.EXACTLY_ONCE;
        String id = String.valueOf(published.size());
        DeliveryToken token = qos == Qos.EXACTLY_ONCE ? new DeliveryToken("o", published.size(), 0) : null;
        published.add(new Publish(id, qos, token, node, node.publish("t", qos, id, token)));
    }

    private boolean isMember(TestNode node) {
        return nodes.containsValue(node) && cluster.view.has(node.life);
    }

    /** Checks how often each message was given to a member. */
    private void check() {
        Map<String, Integer> given = new HashMap<>();
        Map<String, Integer> givenByTheLiving = new HashMap<>();
        for (TestNode node : all) {
            for (Delivery delivery : node.live) {
                String id = new String(delivery.message().payload(), StandardCharsets.UTF_8);
                given.merge(id, delivery.matches().size(), Integer::sum);
                if (isMember(node)) {
                    givenByTheLiving.merge(id, delivery.matches().size(), Integer::sum);
                }
            }
        }
        int acknowledged = 0;
        for (Publish publish : published) {
            if (!isMember(publish.at)) {
                continue; // its client gets no answer
            }
            assertThat(publish.outcome).as("outcome of %s", publish).isCompleted();
            DistOutcome outcome = publish.outcome.getNow(DistOutcome.FAILED);
            if (hasStayed) {
                assertThat(outcome).as("with a member that stays: %s", publish).isNotEqualTo(DistOutcome.NO_MATCH);
            }
            if (outcome == DistOutcome.DELIVERED) {
                acknowledged++;
                assertThat(given.getOrDefault(publish.id, 0))
                        .as("reached: %s", publish)
                        .isPositive();
            }
            if (publish.token != null) {
                assertThat(givenByTheLiving.getOrDefault(publish.id, 0))
                        .as("copies of %s", publish)
                        .isLessThanOrEqualTo(1);
            }
        }
        assertThat(acknowledged).isPositive();
        nodes.values()
                .forEach(node -> assertThat(node.peers.waitingForGroups())
                        .as("waiting at %s", node.life)
                        .isZero());
    }
}
