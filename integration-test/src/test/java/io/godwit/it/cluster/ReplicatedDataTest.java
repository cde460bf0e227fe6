package io.godwit.it.cluster;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonObject;
import io.godwit.it.broker.BrokerProcess;
import io.godwit.it.client.ClientConfig;
import io.godwit.it.client.TestClient;
import io.godwit.it.cluster.BrokerCluster.RangeLine;
import io.godwit.it.cluster.BrokerCluster.Way;
import io.godwit.it.wire.Packet;
import io.godwit.it.wire.Properties;
import io.godwit.testing.Await;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Sessions, routes and retained messages of three packaged brokers, each range with three voters, through a split of
 * each store and the death of a node that leads half of each: all that was acknowledged is read at the others, and what
 * is published anew finds the routes there were. Only the test moves leaders, or a session would be served elsewhere in
 * the midst.
 */
class ReplicatedDataTest {
    private static final Logger LOG = LoggerFactory.getLogger(ReplicatedDataTest.class);
    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final List<String> STORES = List.of("dist", "retain", "inbox");
    private static final String ONLY_REPLICAS =
            "{balancers: [replica-count], balanceSettings: replica-count.settleSeconds=1}";

    private static final int SESSIONS = 8;
    private static final int RETAINED = 40;
    private static final int ROUNDS_AFTER = 5;
    private static final int VICTIM = 2;

    @TempDir
    private Path directory;

    /** A stored session, and what was acknowledged for it, in order. */
    private record Keeper(String clientId, String topic, List<String> acknowledged) {}

    private final List<Keeper> keepers = new ArrayList<>();
    /** The last text acknowledged, by topic. */
    private final Map<String, String> retained = new TreeMap<>();

    @Test
    @Tag("full")
    void whatThreeBrokersAcknowledgedOutlivesSplitsAndOneOfThem() throws Exception {
        try (BrokerCluster cluster = new BrokerCluster(directory, 3)) {
            for (BrokerProcess node : cluster.nodes()) {
                node.property("inbox_store_replica_voter_count", 3)
                        .setting(
                                "storeConfig",
                                "{dist: " + ONLY_REPLICAS + ", inbox: " + ONLY_REPLICAS + ", retain: " + ONLY_REPLICAS
                                        + "}");
            }
            cluster.start();
            LOG.info("three nodes");
            for (String store : STORES) {
                cluster.awaitVoters(0, store, 1, 3);
            }
            LOG.info("three voters each");
            leaveSessions(cluster);
            splitRoutesAndRetainedUnderLoad(cluster);
            splitSessions(cluster);
            LOG.info("all are cut");
            shareLeaders(cluster);
            List<RangeLine> halves = cluster.awaitRanges(
                    0,
                    "inbox",
                    "both have the leaders they should have",
                    all -> all.get(0).leader().equals(cluster.id(0))
                            && all.get(1).leader().equals(cluster.id(VICTIM)));
            LOG.info("each is led by two nodes");
            try (Publishers publishers = new Publishers(cluster, halves)) {
                Set<Integer> homes = new HashSet<>();
                for (Keeper keeper : keepers) {
                    homes.add(publishers.publish(keeper, "before the end of a node"));
                }
                assertThat(homes).as("nodes that serve the sessions").contains(0, VICTIM);
                retain(publishers, 0, "r/late");
                retain(publishers, VICTIM, "a/later");

                cluster.node(VICTIM).kill();
                long killed = System.nanoTime();
                for (Keeper keeper : keepers) {
                    publishers.publish(keeper, "after it");
                }
                retainAtLast(publishers, 0, "r/after");
                LOG.info(
                        "all acknowledged {} ms after the kill",
                        TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - killed));
            }
            List<RangeLine> inbox = cluster.ranges(0, "inbox");
            for (Keeper keeper : keepers) {
                take(cluster, inbox, keeper);
            }
            LOG.info("sessions are read");
            assertThat(retainedAt(cluster, inbox, cluster.homeOf(inbox, "keeper-0")))
                    .isEqualTo(retained);
            for (String store : List.of("dist", "retain")) {
                assertThat(cluster.ranges(1, store))
                        .allSatisfy(range -> assertThat(range.leader()).isIn(cluster.id(0), cluster.id(1)));
            }
        }
    }

    /** Has clients subscribe, each to a topic of its own, and leave; and messages retained. */
    private void leaveSessions(BrokerCluster cluster) throws Exception {
        List<RangeLine> inbox = cluster.ranges(0, "inbox");
        for (int i = 0; i < SESSIONS; i++) {
            String id = "keeper-" + i;
            try (TestClient client = connected(cluster, cluster.homeOf(inbox, id), id)) {
                assertThat(client.subscribe("s/" + i + "/#", 1)).isEqualTo(1);
                client.disconnect();
            }
            keepers.add(new Keeper(id, "s/" + i + "/x", new ArrayList<>()));
        }
        try (Publishers publishers = new Publishers(cluster, inbox)) {
            int home = cluster.homeOf(inbox, "keeper-0");
            for (int i = 0; i < RETAINED; i++) {
                retain(publishers, home, "r/" + i);
            }
        }
    }

    private static TestClient connected(BrokerCluster cluster, int node, String clientId) throws IOException {
        TestClient client = new TestClient(ClientConfig.of(cluster.node(node).address(), clientId, 5));
        int code = client.connect().code();
        if (code != 0) {
            client.close();
            throw new IOException(clientId + " is refused by node " + node + " with " + code);
        }
        return client;
    }

    private void retain(Publishers publishers, int node, String topic) throws Exception {
        String text = "of " + topic;
        assertThat(publishers.attempt(node, topic, text, true)).as(topic).isEmpty();
        retained.put(topic, text);
    }

    /** The same while the range of the topic may be without a leader. */
    private void retainAtLast(Publishers publishers, int node, String topic) throws Exception {
        String text = "of " + topic;
        long giveUp = System.nanoTime() + PATIENCE.toNanos();
        String outcome = publishers.attempt(node, topic, text, true);
        while (!outcome.isEmpty()) {
            assertThat(System.nanoTime() - giveUp).as("%s: %s", topic, outcome).isNegative();
            publishers.hangUp(node);
            outcome = publishers.attempt(node, topic, text, true);
        }
        retained.put(topic, text);
    }

    // --- splits under load

    /** All of it is acknowledged at the first attempt: no leader changes its node. */
    private void splitRoutesAndRetainedUnderLoad(BrokerCluster cluster) throws Exception {
        List<RangeLine> inbox = cluster.ranges(0, "inbox");
        int home = cluster.homeOf(inbox, "keeper-0");
        ExecutorService thread = Executors.newSingleThreadExecutor();
        AtomicInteger done = new AtomicInteger();
        AtomicInteger enough = new AtomicInteger(Integer.MAX_VALUE);
        try (TestClient client = connected(cluster, home, cluster.clientAt(home, inbox, "load"))) {
            Future<?> load = thread.submit((Callable<?>) () -> {
                while (done.get() < enough.get()) {
                    load(client, done.get());
                    done.incrementAndGet();
                }
                return done;
            });
            Await.until(() -> done + " rounds before the splits", PATIENCE, () -> done.get() > ROUNDS_AFTER);
            for (String store : List.of("dist", "retain")) {
                assertThat(outcome(cluster.atLast(Way.RPC, 0, "split", store, "1")))
                        .isEqualTo("DONE");
            }
            enough.set(done.get() + ROUNDS_AFTER);
            load.get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
            LOG.info("{} rounds of load", done);
            assertThat(done.get()).isGreaterThan(2 * ROUNDS_AFTER);
        } finally {
            enough.set(0);
            thread.shutdownNow();
        }
    }

    private static String outcome(JsonObject result) {
        return result.get("outcome").getAsString();
    }

    /** A new subscription and a message to it, one to each stored session, and a retained one. */
    private void load(TestClient client, int round) throws Exception {
        String text = "round " + round;
        String own = "own/" + round % 100 + "/" + round;
        assertThat(client.subscribe(own, 1)).as(own).isEqualTo(1);
        List<CompletableFuture<Packet.@Nullable Ack>> acks = new ArrayList<>();
        acks.add(client.publish(own, text, 1));
        for (Keeper keeper : keepers) {
            acks.add(client.publish(keeper.topic(), text, 1));
        }
        String topic = "r/" + round % RETAINED;
        CompletableFuture<Packet.@Nullable Ack> ack =
                client.publish(topic, text.getBytes(UTF_8), 1, true, Properties.NONE);
        client.flush();
        for (CompletableFuture<Packet.@Nullable Ack> each : acks) {
            assertThat(codeOf(each)).as(text).isZero();
        }
        assertThat(codeOf(ack)).as(topic).isLessThan(0x80);
        keepers.forEach(keeper -> keeper.acknowledged().add(text));
        retained.put(topic, text);
        Packet.Publish message = client.next(Duration.ofSeconds(10));
        assertThat(message).as("what was published to %s", own).isNotNull();
        assertThat(message.topic()).isEqualTo(own);
    }

    private static int codeOf(CompletableFuture<Packet.@Nullable Ack> ack) throws Exception {
        return Objects.requireNonNull(ack.get(10, TimeUnit.SECONDS), "QoS 1 has an answer")
                .code();
    }

    /** So that half of the sessions are on either side. */
    private void splitSessions(BrokerCluster cluster) throws IOException {
        String middle = keepers.stream()
                .map(keeper -> BrokerCluster.keyOf(keeper.clientId()))
                .sorted()
                .toList()
                .get(SESSIONS / 2);
        assertThat(outcome(cluster.atLast(Way.DATA, 1, "split", "inbox", "1", "--at", middle)))
                .isEqualTo("DONE");
    }

    /** The left half of each store is the first node's, the right one the node's that will die. */
    private static void shareLeaders(BrokerCluster cluster) throws IOException {
        for (String store : STORES) {
            List<RangeLine> halves = cluster.awaitVoters(0, store, 2, 3);
            cluster.lead(store, halves.get(0), 0);
            cluster.lead(store, halves.get(1), VICTIM);
        }
    }

    // --- one after the other

    /** A client on each node that is published over. */
    private static final class Publishers implements AutoCloseable {
        private final BrokerCluster cluster;
        private final Map<Integer, TestClient> clients = new HashMap<>();
        private List<RangeLine> inbox;

        Publishers(BrokerCluster cluster, List<RangeLine> inbox) {
            this.cluster = cluster;
            this.inbox = inbox;
        }

        /** Publishes to a session until it is acknowledged, over whichever node serves it then; returns that node. */
        int publish(Keeper keeper, String text) throws Exception {
            long giveUp = System.nanoTime() + PATIENCE.toNanos();
            while (true) {
                int home = cluster.homeOf(inbox, keeper.clientId());
                String outcome = home < 0 ? "nobody leads it" : attempt(home, keeper.topic(), text, false);
                if (outcome.isEmpty()) {
                    keeper.acknowledged().add(text);
                    return home;
                }
                LOG.info("again to {}: {}", keeper.clientId(), outcome);
                assertThat(System.nanoTime() - giveUp)
                        .as("time until %s is acknowledged for %s: %s", text, keeper.clientId(), outcome)
                        .isNegative();
                hangUp(home);
                inbox = cluster.ranges(0, "inbox");
            }
        }

        /** The next attempt over the node is another connection's. */
        void hangUp(int node) {
            TestClient lost = clients.remove(node);
            if (lost != null) {
                lost.close();
            }
        }

        /** Returns why it is not acknowledged; empty when it is. */
        String attempt(int node, String topic, String text, boolean retain) throws Exception {
            try {
                TestClient client = clients.get(node);
                if (client == null) {
                    client = connected(cluster, node, cluster.clientAt(node, inbox, "publisher"));
                    clients.put(node, client);
                }
                CompletableFuture<Packet.@Nullable Ack> ack =
                        client.publish(topic, text.getBytes(UTF_8), 1, retain, Properties.NONE);
                client.flush();
                int code = codeOf(ack);
                // nobody subscribes to what is only retained
                return code == 0 || retain && code < 0x80 ? "" : "code " + code;
            } catch (IOException | ExecutionException | TimeoutException e) {
                return e.toString();
            }
        }

        @Override
        public void close() {
            clients.values().forEach(TestClient::close);
        }
    }

    // --- what is read afterwards

    private static void take(BrokerCluster cluster, List<RangeLine> inbox, Keeper keeper) throws Exception {
        try (TestClient client = new TestClient(ClientConfig.of(
                cluster.node(cluster.homeOf(inbox, keeper.clientId())).address(), keeper.clientId(), 5))) {
            Packet.Connack reply = client.connect();
            assertThat(reply.code()).isZero();
            assertThat(reply.sessionPresent()).as(keeper.clientId()).isTrue();
            Set<String> texts = new LinkedHashSet<>();
            Packet.Publish message;
            while (texts.size() < keeper.acknowledged().size()
                    && (message = client.next(Duration.ofSeconds(15))) != null) {
                texts.add(new String(message.payload(), UTF_8)); // a repeat stands where it came first
            }
            assertThat(List.copyOf(texts)).as(keeper.clientId()).isEqualTo(keeper.acknowledged());
        }
    }

    /** What a fresh subscriber is given. */
    private Map<String, String> retainedAt(BrokerCluster cluster, List<RangeLine> inbox, int node) throws Exception {
        Map<String, String> texts = new TreeMap<>();
        try (TestClient client = connected(cluster, node, cluster.clientAt(node, inbox, "fresh"))) {
            assertThat(client.subscribe("#", 1)).isEqualTo(1);
            Packet.Publish message;
            while (texts.size() < retained.size() && (message = client.next(Duration.ofSeconds(15))) != null) {
                assertThat(message.retain()).as(message.topic()).isTrue();
                texts.put(message.topic(), new String(message.payload(), UTF_8));
            }
        }
        return texts;
    }
}
