package io.godwit.it.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.it.client.ClientConfig;
import io.godwit.it.client.Tap;
import io.godwit.it.client.TestClient;
import io.godwit.it.cluster.BrokerCluster.RangeLine;
import io.godwit.it.wire.Packet;
import io.godwit.it.wire.Properties;
import io.godwit.testing.Await;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentSkipListSet;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Load on all three nodes of a cluster, one of which will be lost: on each publishers of QoS 1 and 2 to live and to
 * persistent subscribers, one of either, and on a survivor one operation of each kind after the other. What was
 * acknowledged is compared with what was delivered. Used by the test's thread.
 */
final class LossLoad implements AutoCloseable {
    private static final Duration PATIENCE = Duration.ofSeconds(90);

    private static final Logger LOG = LoggerFactory.getLogger(LossLoad.class);

    private final int victim;
    private final int survivor;
    private final List<InetSocketAddress> addresses = new ArrayList<>();
    private final List<NumberedPublisher> publishers = new ArrayList<>();
    private final List<OperationProbe> probes = new ArrayList<>();
    private final List<TestClient> clients = new ArrayList<>();
    private final List<Subscriber> live = new ArrayList<>();
    private final List<Subscriber> kept = new ArrayList<>();
    private final List<Thread> threads = new ArrayList<>();
    /** Clients of survivors whose connections the broker has ended. */
    private final Set<String> lost = new ConcurrentSkipListSet<>();

    /** @param node where it subscribed */
    private record Subscriber(int node, TestClient client, Numbers numbers) {}

    /** @param inbox its ranges, so that sessions of each node's clients are led by the others */
    LossLoad(BrokerCluster cluster, List<RangeLine> inbox, int victim) throws IOException {
        this.victim = victim;
        this.survivor = (victim + 1) % 3;
        cluster.nodes().forEach(node -> addresses.add(node.address()));
        for (int node = 0; node < 3; node++) {
            live.add(subscriber(node, config(node, "live-" + node, 4 + node % 2).withCleanSession(), "loss/live/#"));
            String id = cluster.clientAt((node + 1) % 3, inbox, "kept-" + node);
            kept.add(subscriber(node, config(node, id, 5 - node % 2), "loss/kept/#"));
            for (int qos = 1; qos <= 2; qos++) {
                for (String kind : List.of("live", "kept")) {
                    String name = cluster.clientAt((node + 2) % 3, inbox, "out-" + kind + qos + node);
                    NumberedPublisher publisher = new NumberedPublisher(
                            config(node, name, 4 + (node + qos) % 2),
                            "loss/" + kind + '/' + node + '-' + qos,
                            qos,
                            List.of(addresses.get(node), addresses.get((node + 1) % 3), addresses.get((node + 2) % 3)));
                    publisher.connect();
                    publishers.add(publisher);
                }
            }
        }
        probes();
    }

    private Subscriber subscriber(int node, ClientConfig config, String filter) throws IOException {
        Numbers numbers = new Numbers();
        TestClient client = new TestClient(
                config,
                message -> numbers.add(
                        message.topic(), Integer.parseInt(new String(message.payload(), StandardCharsets.UTF_8))));
        clients.add(client);
        assertThat(client.connect().code())
                .as("CONNACK of %s", config.clientId())
                .isZero();
        assertThat(client.subscribe(filter, 2)).isEqualTo(2);
        return new Subscriber(node, client, numbers);
    }

    /** One whose loss is noticed, when it is a survivor's. */
    ClientConfig config(int node, String id, int version) {
        ClientConfig config = ClientConfig.of(addresses.get(node), id, version);
        return node == victim
                ? config
                : config.withTap(new Tap() {
                    @Override
                    public void out(int connection, Packet packet) {}

                    @Override
                    public void in(int connection, Packet packet) {
                        if (packet instanceof Packet.Disconnect) {
                            LOG.info("{} is told to go: {}", id, packet);
                        }
                    }

                    @Override
                    public void lost(int connection) {
                        lost.add(id);
                    }

                    @Override
                    public void aborted(int connection) {}
                });
    }

    private void probes() throws IOException {
        InetSocketAddress address = addresses.get(survivor);
        probes.add(new OperationProbe(
                "connect clean",
                number -> connectOnce(
                        config(survivor, "probe-clean-" + number % 50, 5).withCleanSession())));
        probes.add(new OperationProbe(
                "connect persistent", number -> connectOnce(ClientConfig.of(address, "probe-kept-" + number % 50, 5))));
        TestClient liveClient =
                connected(config(survivor, "probe-live-filters", 5).withCleanSession());
        probes.add(new OperationProbe("subscribe live", number -> subscribe(liveClient, number)));
        TestClient keptClient = connected(config(survivor, "probe-kept-filters", 5));
        probes.add(new OperationProbe("subscribe persistent", number -> subscribe(keptClient, number)));
        TestClient retaining = connected(config(survivor, "probe-retained", 5).withCleanSession());
        probes.add(new OperationProbe("retain", number -> {
            var ack = retaining.publish("probe/retained/" + number % 20, new byte[] {1}, 1, true, Properties.NONE);
            retaining.flush();
            int code = Objects.requireNonNull(ack.get(30, TimeUnit.SECONDS), "QoS 1 has an answer")
                    .code();
            assertThat(code).isLessThan(0x80);
        }));
    }

    /** Connected for as long as the load lasts. */
    TestClient connected(ClientConfig config) throws IOException {
        TestClient client = new TestClient(config);
        clients.add(client);
        assertThat(client.connect().code())
                .as("CONNACK of %s", config.clientId())
                .isZero();
        return client;
    }

    private static void connectOnce(ClientConfig config) throws IOException {
        try (TestClient client = new TestClient(config)) {
            assertThat(client.connect().code()).isZero();
            client.disconnect();
        }
    }

    private static void subscribe(TestClient client, int number) throws IOException {
        assertThat(client.subscribe("probe/" + number + "/x", 1)).isEqualTo(1);
    }

    /** Returns when all of it has succeeded a few times. */
    void start() {
        for (NumberedPublisher publisher : publishers) {
            start(publisher, "publisher");
        }
        for (OperationProbe probe : probes) {
            start(probe, probe.name());
        }
        awaitSuccessesSince(System.nanoTime());
    }

    private void start(Runnable work, String name) {
        Thread thread = new Thread(work, name);
        thread.setDaemon(true);
        thread.start();
        threads.add(thread);
    }

    /** Waits until every publisher, also those that had to go to another node, and every probe has succeeded again. */
    void awaitSuccessesSince(long nanos) {
        for (NumberedPublisher publisher : publishers) {
            Await.until(
                    () -> publisher.topic() + " to be acknowledged again; " + publisher.refusals(),
                    PATIENCE,
                    () -> publisher.successes().countSince(nanos) >= 5);
        }
        awaitSurvivorsSince(nanos);
    }

    /** The same for those on survivors alone. */
    void awaitSurvivorsSince(long nanos) {
        for (NumberedPublisher publisher : survivors()) {
            Await.until(
                    () -> publisher.topic() + " to be acknowledged again; " + publisher.refusals(),
                    PATIENCE,
                    () -> publisher.successes().countSince(nanos) >= 5);
        }
        for (OperationProbe probe : probes) {
            Await.until(
                    () -> probe.name() + " to succeed again; " + probe.failures(),
                    PATIENCE,
                    () -> probe.successes().countSince(nanos) >= 5);
        }
    }

    /** They were begun on a survivor, and so have no reason to leave it. */
    private List<NumberedPublisher> survivors() {
        return publishers.stream()
                .filter(publisher -> !publisher.topic().contains("/" + victim + "-"))
                .toList();
    }

    /** By operation: the longest time in which no client of a survivor succeeded with it, in milliseconds. */
    Map<String, Long> gaps(long from, long until) {
        Map<String, Long> gaps = new TreeMap<>();
        for (NumberedPublisher publisher : survivors()) {
            String name = (publisher.topic().contains("/live/") ? "publish to live" : "publish to persistent") + " QoS "
                    + publisher.qos();
            gaps.merge(name, publisher.successes().longestGapMillis(from, until), Math::max);
        }
        for (OperationProbe probe : probes) {
            gaps.put(probe.name(), probe.successes().longestGapMillis(from, until));
        }
        return gaps;
    }

    /** Clients of survivors whose connection the broker has ended. */
    Set<String> lostConnections() {
        return lost;
    }

    /** By topic: codes with which publishers of survivors were refused. */
    Map<String, Set<String>> refusals() {
        Map<String, Set<String>> refusals = new TreeMap<>();
        for (NumberedPublisher publisher : survivors()) {
            if (!publisher.refusals().isEmpty()) {
                refusals.put(publisher.topic(), publisher.refusals());
            }
        }
        return refusals;
    }

    /** By operation: why attempts over a survivor failed. */
    Map<String, Set<String>> failures() {
        Map<String, Set<String>> failures = new TreeMap<>();
        for (OperationProbe probe : probes) {
            if (!probe.failures().isEmpty()) {
                failures.put(probe.name(), probe.failures());
            }
        }
        return failures;
    }

    /** The victim's persistent subscriber goes to a survivor, which must have its session. */
    void resumeElsewhere() throws IOException {
        TestClient client = kept.get(victim).client();
        client.abort();
        client.moveTo(addresses.get(survivor));
        Await looks = Await.atMost(PATIENCE);
        Packet.Connack reply = client.connect();
        while (reply.code() != 0) {
            client.abort();
            int code = reply.code();
            looks.again(() -> client.clientId() + " is refused with " + code);
            reply = client.connect();
        }
        assertThat(reply.sessionPresent())
                .as("session of %s", client.clientId())
                .isTrue();
    }

    /**
     * Publishes no more, waits until all is acknowledged and delivered, and returns what is wrong: of persistent
     * subscribers, and of live ones of survivors.
     */
    List<String> finish() {
        probes.forEach(OperationProbe::stop);
        publishers.forEach(NumberedPublisher::finish);
        for (NumberedPublisher publisher : publishers) {
            Await.until(publisher.topic() + " to be acknowledged", PATIENCE, publisher::isFinished);
        }
        List<Subscriber> owed = new ArrayList<>(kept);
        live.stream().filter(subscriber -> subscriber.node() != victim).forEach(owed::add);
        // what does not come is named below
        Await.comesToHold(Duration.ofSeconds(30), () -> owed.stream().allMatch(this::hasAll));
        Await.comesToHold(NodeClients.QUIET, () -> false); // for what comes twice
        List<String> wrong = new ArrayList<>();
        for (Subscriber subscriber : owed) {
            for (NumberedPublisher publisher : publishersFor(subscriber)) {
                for (String each :
                        subscriber.numbers().wrong(publisher.topic(), publisher.qos(), publisher.acknowledged())) {
                    wrong.add(subscriber.client().clientId() + ", " + each);
                }
            }
        }
        return wrong;
    }

    private boolean hasAll(Subscriber subscriber) {
        return publishersFor(subscriber).stream()
                .allMatch(publisher -> subscriber.numbers().hasAll(publisher.topic(), publisher.acknowledged()));
    }

    private List<NumberedPublisher> publishersFor(Subscriber subscriber) {
        String prefix = live.contains(subscriber) ? "loss/live/" : "loss/kept/";
        return publishers.stream()
                .filter(publisher -> publisher.topic().startsWith(prefix))
                .toList();
    }

    @Override
    public void close() {
        probes.forEach(OperationProbe::stop);
        publishers.forEach(NumberedPublisher::stop);
        clients.forEach(TestClient::close);
        try {
            for (Thread thread : threads) {
                thread.join(2_000);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt(); // they are daemons
        }
    }
}
