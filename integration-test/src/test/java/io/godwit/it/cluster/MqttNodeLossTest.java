package io.godwit.it.cluster;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.it.broker.BrokerProcess;
import io.godwit.it.client.ClientConfig;
import io.godwit.it.client.TestClient;
import io.godwit.it.cluster.BrokerCluster.RangeLine;
import io.godwit.it.kv.fault.Signals;
import io.godwit.it.wire.Packet;
import io.godwit.it.wire.Properties;
import io.godwit.testing.Await;
import io.godwit.testing.Pace;
import java.io.IOException;
import java.net.ConnectException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One of three packaged brokers is lost under load, the one that leads the routes and what is retained: its clients
 * find all that was acknowledged at the others, whose clients notice a pause. The longest pause of each operation is
 * logged. Run by hand: it takes minutes.
 */
@Tag("long")
@Timeout(300)
class MqttNodeLossTest {
    private static final Logger LOG = LoggerFactory.getLogger(MqttNodeLossTest.class);
    private static final int NODES = 3;
    private static final int VICTIM = 2;
    private static final int SURVIVOR = 0;
    private static final Duration PATIENCE = Duration.ofSeconds(90);
    private static final String ONLY_REPLICAS =
            "{balancers: [replica-count], balanceSettings: replica-count.settleSeconds=1}";

    private static final long PROMISED_MILLIS = 3_000;
    /** The promise is 3 s; this one must also hold where other tests have the processors. */
    private static final long AFTER_KILL_MILLIS = 10_000;
    /** The promise about a node that is silent. */
    private static final long AFTER_SILENCE_MILLIS = 12_000;

    private static final long SILENCE_SECONDS = 20;

    @TempDir
    private Path directory;

    @Test
    void aKilledNodeTakesNothingAcknowledgedWithIt() throws Exception {
        try (BrokerCluster cluster = new BrokerCluster(directory, NODES)) {
            List<RangeLine> inbox = started(cluster);
            try (LossLoad load = new LossLoad(cluster, inbox, VICTIM)) {
                List<TestClient> watchers = willWatchers(load);
                Set<String> wills = willsOf(load);
                load.start();

                long killed = System.nanoTime();
                cluster.node(VICTIM).kill();
                load.resumeElsewhere();
                load.awaitSuccessesSince(System.nanoTime());
                Map<String, Long> gaps = load.gaps(killed, System.nanoTime());
                LOG.info("longest gaps after kill -9, ms: {}", gaps);
                assertGivenOnce(watchers, wills);

                long launched = System.nanoTime();
                cluster.node(VICTIM).launch();
                servesAllAsSoonAsItListens(cluster, load, inbox);
                cluster.node(VICTIM).awaitReady(PATIENCE);
                load.awaitSuccessesSince(System.nanoTime());
                Map<String, Long> gapsOfReturn = load.gaps(launched, System.nanoTime());
                LOG.info("longest gaps while it returns, ms: {}; attempts failed: {}", gapsOfReturn, load.failures());
                assertNoMore(watchers);

                assertThat(load.finish()).isEmpty();
                assertThat(load.lostConnections())
                        .as("connections of survivors lost")
                        .isEmpty();
                assertThat(load.refusals()).as("publishes refused by survivors").isEmpty();
                assertThat(load.failures())
                        .as("operations refused by survivors")
                        .isEmpty();
                assertThat(gaps)
                        .allSatisfy(
                                (what, millis) -> assertThat(millis).as(what).isLessThan(AFTER_KILL_MILLIS));
                assertThat(gapsOfReturn)
                        .allSatisfy(
                                (what, millis) -> assertThat(millis).as(what).isLessThan(AFTER_KILL_MILLIS));
            }
        }
    }

    /** {@code -Dkills=50} on a quiet machine; each has a cluster of its own. */
    @Test
    @Timeout(3_600)
    void killsAreShortPauses() throws Exception {
        int kills = Integer.getInteger("kills", 5);
        Map<String, List<Long>> all = new TreeMap<>();
        for (int i = 0; i < kills; i++) {
            Map<String, Long> gaps = gapsOfAKill(directory.resolve("k" + i));
            LOG.info("kill {} of {}: longest gaps, ms: {}", i + 1, kills, gaps);
            gaps.forEach((what, millis) ->
                    all.computeIfAbsent(what, first -> new ArrayList<>()).add(millis));
        }
        all.values().forEach(Collections::sort);
        all.forEach((what, millis) -> LOG.info(
                "{}: median {} ms, longest {} ms of {} kills",
                what,
                millis.get(millis.size() / 2),
                millis.get(millis.size() - 1),
                kills));
        assertThat(all)
                .allSatisfy((what, millis) ->
                        assertThat(millis.get(millis.size() - 1)).as(what).isLessThan(PROMISED_MILLIS));
    }

    private static Map<String, Long> gapsOfAKill(Path directory) throws Exception {
        Files.createDirectory(directory);
        try (BrokerCluster cluster = new BrokerCluster(directory, NODES)) {
            List<RangeLine> inbox = started(cluster);
            try (LossLoad load = new LossLoad(cluster, inbox, VICTIM)) {
                load.start();
                long killed = System.nanoTime();
                cluster.node(VICTIM).kill();
                load.resumeElsewhere();
                load.awaitSuccessesSince(System.nanoTime());
                Map<String, Long> gaps = load.gaps(killed, System.nanoTime());
                assertThat(load.finish()).isEmpty();
                assertThat(load.lostConnections())
                        .as("connections of survivors lost")
                        .isEmpty();
                assertThat(load.refusals()).as("publishes refused by survivors").isEmpty();
                return gaps;
            }
        }
    }

    @Test
    void aNodeThatStoodStillAcknowledgesNothingThatItCannotPromise() throws Exception {
        try (BrokerCluster cluster = new BrokerCluster(directory, NODES)) {
            List<RangeLine> inbox = started(cluster);
            try (LossLoad load = new LossLoad(cluster, inbox, VICTIM)) {
                TestClient stuck =
                        load.connected(config(cluster, VICTIM, "stuck").withCleanSession());
                TestClient late =
                        load.connected(config(cluster, SURVIVOR, "late").withCleanSession());
                load.start();

                ProcessHandle process =
                        Objects.requireNonNull(cluster.node(VICTIM).handle(), "it runs");
                List<CompletableFuture<Packet.@Nullable Ack>> acks = new ArrayList<>();
                long stopped = System.nanoTime();
                Signals.stop(process);
                try {
                    load.awaitSurvivorsSince(System.nanoTime());
                    // the node that stands still does not know of this, and must not promise otherwise
                    assertThat(late.subscribe("late", 2)).isEqualTo(2);
                    for (int i = 0; i < 20; i++) {
                        acks.add(stuck.publish("late", Integer.toString(i), 1 + i % 2));
                    }
                    Pace.until(stopped + TimeUnit.SECONDS.toNanos(SILENCE_SECONDS));
                } finally {
                    Signals.goOn(process);
                }
                Map<String, Long> gaps = load.gaps(stopped, System.nanoTime());
                LOG.info(
                        "longest gaps beside a node that stood still, ms: {}; attempts failed: {}",
                        gaps,
                        load.failures());
                load.resumeElsewhere();
                load.awaitSuccessesSince(System.nanoTime());

                Set<String> promised = promised(acks, stuck);
                LOG.info("{} of {} publishes that reached the node in its sleep acknowledged", promised, acks.size());
                Set<String> given = new TreeSet<>();
                Packet.Publish message;
                while (!given.containsAll(promised) && (message = late.next(NodeClients.PATIENCE)) != null) {
                    given.add(NodeClients.text(message));
                }
                assertThat(given).as("acknowledged behind the SUBACK").containsAll(promised);
                assertThat(load.finish()).isEmpty();
                assertThat(load.lostConnections())
                        .as("connections of survivors lost")
                        .isEmpty();
                assertThat(load.refusals()).as("publishes refused by survivors").isEmpty();
                assertThat(gaps)
                        .allSatisfy(
                                (what, millis) -> assertThat(millis).as(what).isLessThan(AFTER_SILENCE_MILLIS + 2_000));
                awaitServing(cluster);
            }
        }
    }

    private static ClientConfig config(BrokerCluster cluster, int node, String id) {
        return ClientConfig.of(cluster.node(node).address(), id, 5);
    }

    /** With a third of the sessions at each node, and routes and retained messages at the victim. */
    private static List<RangeLine> started(BrokerCluster cluster) throws Exception {
        for (BrokerProcess node : cluster.nodes()) {
            node.property("inbox_store_replica_voter_count", NODES)
                    .property("inbox_store_initial_ranges", NODES)
                    .setting(
                            "storeConfig",
                            "{dist: " + ONLY_REPLICAS + ", inbox: " + ONLY_REPLICAS + ", retain: " + ONLY_REPLICAS
                                    + "}");
        }
        cluster.start();
        List<RangeLine> inbox = cluster.awaitVoters(0, "inbox", NODES, NODES);
        for (int i = 0; i < NODES; i++) {
            cluster.lead("inbox", inbox.get(i), i);
        }
        for (String store : List.of("dist", "retain")) {
            cluster.lead(store, cluster.awaitVoters(0, store, 1, NODES).get(0), VICTIM);
        }
        return cluster.awaitRanges(
                0,
                "inbox",
                "the last is the victim's",
                all -> all.get(VICTIM).leader().equals(cluster.id(VICTIM)));
    }

    // --- wills

    /** On both survivors. */
    private static List<TestClient> willWatchers(LossLoad load) throws Exception {
        List<TestClient> watchers = new ArrayList<>();
        for (int node = 0; node < NODES; node++) {
            if (node != VICTIM) {
                TestClient watcher =
                        load.connected(load.config(node, "watcher-" + node, 5).withCleanSession());
                assertThat(watcher.subscribe("wills/#", 2)).isEqualTo(2);
                watchers.add(watcher);
            }
        }
        return watchers;
    }

    /** Clients with wills on all nodes; returns the topics of those that will die with the victim. */
    private static Set<String> willsOf(LossLoad load) throws Exception {
        Set<String> dying = new HashSet<>();
        for (int node = 0; node < NODES; node++) {
            for (int i = 0; i < 6; i++) {
                String topic = "wills/" + node + "/" + i;
                Packet.Will will = new Packet.Will(topic, topic.getBytes(UTF_8), 1 + i % 2, false, Properties.NONE);
                ClientConfig config = load.config(node, "with-will-" + node + i, 4 + i / 2 % 2)
                        .withWill(will);
                load.connected(i < 3 ? config : config.withCleanSession());
                if (node == VICTIM) {
                    dying.add(topic);
                }
            }
        }
        return dying;
    }

    private static void assertGivenOnce(List<TestClient> watchers, Set<String> wills) throws Exception {
        for (TestClient watcher : watchers) {
            List<String> topics = new ArrayList<>();
            while (topics.size() < wills.size()) {
                // some are due clusterConfig.waits.connectionSeconds later
                Packet.Publish will =
                        Objects.requireNonNull(watcher.next(PATIENCE), () -> "no more wills than " + topics);
                topics.add(will.topic());
            }
            assertThat(topics).as(watcher.clientId()).containsExactlyInAnyOrderElementsOf(wills);
        }
    }

    private static void assertNoMore(List<TestClient> watchers) throws Exception {
        for (TestClient watcher : watchers) {
            NodeClients.assertNothingMore(watcher);
        }
    }

    // --- the node returns

    /** The first connection that it takes has all that a client may ask for. */
    private static void servesAllAsSoonAsItListens(BrokerCluster cluster, LossLoad load, List<RangeLine> inbox)
            throws Exception {
        TestClient elsewhere =
                load.connected(load.config(SURVIVOR, "elsewhere", 5).withCleanSession());
        assertThat(elsewhere.subscribe("to/elsewhere", 1)).isEqualTo(1);
        try (TestClient first = firstConnected(cluster)) {
            CompletableFuture<Packet.@Nullable Ack> ack = first.publish("to/elsewhere", "x", 1);
            assertThat(first.subscribe("to/first", 1)).isEqualTo(1);
            NodeClients.publish(elsewhere, "to/first", "x", 1);
            NodeClients.next(first, "what is published elsewhere");
            NodeClients.assertAcknowledged(ack, "to/elsewhere");
            NodeClients.next(elsewhere, "what is published over the node that is back");
            for (int home = 0; home < NODES; home++) {
                load.connected(config(cluster, VICTIM, cluster.clientAt(home, inbox, "returned")));
            }
        }
    }

    private static TestClient firstConnected(BrokerCluster cluster) throws Exception {
        Await looks = Await.atMost(PATIENCE);
        while (true) {
            TestClient client = new TestClient(config(cluster, VICTIM, "first").withCleanSession());
            try {
                assertThat(client.connect().code())
                        .as("CONNACK of a listener that has just been opened")
                        .isZero();
                return client;
            } catch (ConnectException e) {
                client.close();
                looks.again(() -> "a listener: " + e);
            }
        }
    }

    // --- the node stood still

    /** What was acknowledged to it; the rest never will be, since its connection is over or it was refused. */
    private static Set<String> promised(List<CompletableFuture<Packet.@Nullable Ack>> acks, TestClient stuck) {
        Await.until(
                "each to be answered, or the connection to be ended",
                PATIENCE,
                () -> !stuck.isOpen() || acks.stream().allMatch(CompletableFuture::isDone));
        Set<String> promised = new TreeSet<>();
        for (int i = 0; i < acks.size(); i++) {
            CompletableFuture<Packet.@Nullable Ack> ack = acks.get(i);
            if (ack.isDone() && !ack.isCompletedExceptionally()) {
                Packet.Ack answer = ack.join();
                if (answer != null && answer.code() < 0x80) {
                    promised.add(Integer.toString(i));
                }
            }
        }
        return promised;
    }

    private static void awaitServing(BrokerCluster cluster) throws Exception {
        Await.until("the node to serve again", PATIENCE, () -> {
            try (TestClient client =
                    new TestClient(config(cluster, VICTIM, "again").withCleanSession())) {
                return client.connect().code() == 0 && client.subscribe("again", 1) == 1;
            } catch (IOException e) {
                return false;
            }
        });
    }
}
