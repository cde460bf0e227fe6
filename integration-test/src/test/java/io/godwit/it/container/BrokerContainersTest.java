package io.godwit.it.container;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import io.godwit.it.client.ClientConfig;
import io.godwit.it.client.TestClient;
import io.godwit.it.wire.Packet;
import io.godwit.testing.Await;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Objects;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Three packaged brokers in containers are a cluster, and what they acknowledged for sessions that are away outlives
 * one of them. A connection is served by the node that leads its session, so every node is given the lead of some, and
 * clients look for it, publishers too.
 */
@Tag("long")
class BrokerContainersTest {
    private static final Logger LOG = LoggerFactory.getLogger(BrokerContainersTest.class);
    private static final Duration PATIENCE = Duration.ofSeconds(90);
    private static final List<String> NAMES = List.of("n1", "n2", "n3");
    private static final List<String> STORES = List.of("inbox", "dist", "retain");
    /** Client ids tried at a time, a third of which should do. */
    private static final int ATTEMPTS = 24;

    private static final int BEFORE = 100;
    private static final int AFTER = 50;

    @BeforeEach
    void anEngineAnswers() {
        Engine.need();
    }

    /** A persistent session, away but when it takes its messages. */
    private record Session(String clientId, String topic) {}

    @Test
    void messagesOfSessionsThatAreAwayOutliveAKilledNode() throws Exception {
        List<BrokerContainer> brokers = new ArrayList<>();
        try (ContainerNetwork network = ContainerNetwork.make()) {
            try {
                for (int number = 1; number <= NAMES.size(); number++) {
                    brokers.add(new BrokerContainer(
                            network,
                            number,
                            NAMES,
                            List.of("inbox_store_replica_voter_count=3", "inbox_store_initial_ranges=3")));
                }
                check(brokers);
            } finally {
                for (BrokerContainer broker : brokers) {
                    broker.close();
                }
            }
        }
    }

    private static void check(List<BrokerContainer> brokers) throws Exception {
        for (BrokerContainer broker : brokers) {
            broker.start();
        }
        for (BrokerContainer broker : brokers) {
            broker.awaitReady(PATIENCE);
        }
        BrokerContainer first = brokers.get(0);
        assertThat(first.admin("members").getAsJsonArray("nodes")).hasSize(3);
        for (String store : STORES) {
            awaitVoters(first, store);
        }
        spreadLeaders(first);

        List<Session> sessions = new ArrayList<>();
        for (BrokerContainer broker : brokers) {
            sessions.add(sessionLedBy(broker));
        }
        LOG.info("sessions {}", sessions);
        for (int i = 0; i < brokers.size(); i++) {
            publish(brokers, i, sessions.get(i), 0, BEFORE);
        }
        BrokerContainer victim = brokers.get(2);
        victim.kill();
        long killed = System.nanoTime();
        List<BrokerContainer> left = brokers.subList(0, 2);
        for (int i = 0; i < brokers.size(); i++) {
            publish(left, i % left.size(), sessions.get(i), BEFORE, BEFORE + AFTER);
        }
        LOG.info("all acknowledged {} ms after the kill", TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - killed));
        for (Session session : sessions) {
            take(left, session, BEFORE + AFTER);
        }

        victim.start();
        victim.awaitReady(PATIENCE);
        assertThat(victim.admin("members").getAsJsonArray("nodes")).hasSize(3);
    }

    private static void awaitVoters(BrokerContainer node, String store) throws IOException {
        Await looks = Await.atMost(PATIENCE);
        while (!node.admin("ranges", store).getAsJsonArray("ranges").asList().stream()
                .allMatch(range ->
                        range.getAsJsonObject().getAsJsonArray("voters").size() == 3)) {
            looks.again(() -> "all ranges of " + store + " have three voters" + node.said());
        }
    }

    /**
     * Has each node lead a range of the inbox store; the balancers, which may be at it already, leave that as it is.
     */
    private static void spreadLeaders(BrokerContainer node) throws IOException {
        long giveUp = System.nanoTime() + PATIENCE.toNanos();
        while (true) {
            List<String> idle = new ArrayList<>();
            for (JsonElement each : node.admin("members").getAsJsonArray("nodes")) {
                idle.add(each.getAsJsonObject().get("storeId").getAsString());
            }
            Set<String> leaders = new LinkedHashSet<>();
            List<String> spare = new ArrayList<>();
            for (JsonElement each : node.admin("ranges", "inbox").getAsJsonArray("ranges")) {
                JsonObject range = each.getAsJsonObject();
                if (!leaders.add(range.get("leader").getAsString())) {
                    spare.add(range.get("id").getAsString());
                }
            }
            idle.removeAll(leaders);
            if (idle.isEmpty()) {
                return;
            }
            assertThat(System.nanoTime() - giveUp)
                    .as("time until each node leads a range; without: %s", idle)
                    .isNegative();
            try {
                node.order(new String[] {"transfer", "inbox", spare.get(0), "--to", idle.get(0)});
            } catch (IOException e) {
                LOG.info("not moved, looking again: {}", e.getMessage());
            }
        }
    }

    /** Has a client at home there subscribe, and leave. */
    private static Session sessionLedBy(BrokerContainer broker) throws Exception {
        String topic = "to/" + broker.name();
        try (TestClient client = connected(broker, "keeper", true)) {
            assertThat(client.subscribe(topic, 1)).isEqualTo(1);
            client.disconnect();
            return new Session(client.clientId(), topic);
        }
    }

    /** Tries client ids, many at a time since a refusal takes its seconds, until one is at home there. */
    private static TestClient connected(BrokerContainer broker, String stem, boolean persistent) throws Exception {
        ExecutorService threads = Executors.newFixedThreadPool(ATTEMPTS);
        Queue<TestClient> clients = new ConcurrentLinkedQueue<>();
        TestClient found = null;
        try {
            List<Callable<TestClient>> attempts = new ArrayList<>();
            for (int attempt = 0; attempt < ATTEMPTS; attempt++) {
                ClientConfig config = ClientConfig.of(broker.address(), stem + '-' + broker.name() + '-' + attempt, 5);
                attempts.add(() -> {
                    TestClient client = new TestClient(persistent ? config : config.withCleanSession());
                    clients.add(client);
                    int code = client.connect().code();
                    if (code != 0) {
                        throw new IOException(config.clientId() + " is refused with " + code);
                    }
                    return client;
                });
            }
            found = threads.invokeAny(attempts);
            return found;
        } catch (ExecutionException e) {
            throw new IOException("no client id is at home on " + broker.name() + broker.said(), e);
        } finally {
            threads.shutdownNow();
            assertThat(threads.awaitTermination(20, TimeUnit.SECONDS)).isTrue();
            for (TestClient client : clients) {
                if (client != found) {
                    client.close();
                }
            }
        }
    }

    /**
     * Publishes messages of these numbers to a session over the node that serves it, and comes back when all are
     * acknowledged: each again, over the next node, until then. The one before may have arrived.
     *
     * @param likely the node that serves it, most likely
     */
    private static void publish(List<BrokerContainer> brokers, int likely, Session session, int from, int to)
            throws Exception {
        int node = likely;
        TestClient client = connected(brokers.get(node), "publisher", false);
        try {
            long giveUp = System.nanoTime() + PATIENCE.toNanos();
            int message = from;
            while (message < to) {
                String outcome = publish(client, session.topic(), Integer.toString(message));
                if (outcome.isEmpty()) {
                    message++;
                    continue;
                }
                LOG.info("message {} of {} again after {}", message, session, outcome);
                assertThat(System.nanoTime() - giveUp)
                        .as("time until message %d of %s is acknowledged, after %s", message, session, outcome)
                        .isNegative();
                client.close();
                node = (node + 1) % brokers.size();
                client = connected(brokers.get(node), "publisher", false);
            }
        } finally {
            client.close();
        }
    }

    /** Returns why it is not acknowledged as one for the session; empty when it is. */
    private static String publish(TestClient client, String topic, String text) throws Exception {
        try {
            Packet.Ack ack = client.publish(topic, text, 1).get(10, TimeUnit.SECONDS);
            int code = Objects.requireNonNull(ack, "QoS 1 has an answer").code();
            return code == 0 ? "" : "code " + code;
        } catch (IOException | ExecutionException | TimeoutException e) {
            return e.toString();
        }
    }

    /** Comes back to whichever node leads the session now, and is given all that was acknowledged, in its order. */
    private static void take(List<BrokerContainer> brokers, Session session, int messages) throws Exception {
        Await looks = Await.atMost(PATIENCE);
        String refusals = "";
        int attempt = 0;
        do {
            BrokerContainer broker = brokers.get(attempt++ % brokers.size());
            try (TestClient client = new TestClient(ClientConfig.of(broker.address(), session.clientId(), 5))) {
                Packet.Connack reply = client.connect();
                if (reply.code() == 0) {
                    assertThat(reply.sessionPresent()).as(session.toString()).isTrue();
                    Set<String> texts = new LinkedHashSet<>();
                    Packet.Publish message;
                    while (texts.size() < messages && (message = client.next(Duration.ofSeconds(20))) != null) {
                        texts.add(new String(message.payload(), UTF_8)); // a repeat stands where it came first
                    }
                    List<String> expected = new ArrayList<>();
                    for (int i = 0; i < messages; i++) {
                        expected.add(Integer.toString(i));
                    }
                    assertThat(List.copyOf(texts)).as(session.toString()).isEqualTo(expected);
                    LOG.info("{} has its {} messages from {}", session.clientId(), messages, broker.name());
                    return;
                }
                refusals = broker.name() + " refuses with " + reply.code();
            } catch (IOException e) {
                refusals = broker.name() + ": " + e;
            }
        } while (looks.again());
        throw new AssertionError(session + " is served by no node: " + refusals);
    }
}
