package io.godwit.it.crash;

import io.godwit.it.client.AckPolicy;
import io.godwit.it.client.ClientConfig;
import io.godwit.it.client.TestClient;
import io.godwit.it.crash.SubscribingActor.Filter;
import io.godwit.it.crash.SubscribingActor.Presence;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.function.UnaryOperator;
import java.util.stream.IntStream;

/**
 * Who takes part in a crash test: publishers of QoS 1 and 2 with topics of their own, and persistent sessions that are
 * present, away, late, out of order, taken over, subscribing and unsubscribing, sharing, overlapping; clients with
 * wills; retained messages set and cleared, and given to sessions that subscribe again and again. Both versions.
 */
final class Load implements AutoCloseable {
    private static final int V3 = 4;
    private static final int V5 = 5;
    /**
     * So many that giving them all to a slow client takes two seconds, and most of that time some are not in its queue
     * yet.
     */
    private static final int REPLAYED_TOPICS = 500;

    private static final int LIVE_SUBSCRIBERS = 6;

    private final List<InetSocketAddress> addresses;
    private final History history;
    private final Random seeds;
    private final Stage stage = new Stage();
    private final ScheduledThreadPoolExecutor timer = new ScheduledThreadPoolExecutor(1);
    private final List<Actor> actors = new ArrayList<>();
    private final List<Thread> threads = new ArrayList<>();

    /**
     * @param qos1PerSecond over all publishers of QoS 1
     * @param qos2PerSecond over all publishers of QoS 2
     */
    Load(InetSocketAddress address, History history, long seed, double qos1PerSecond, double qos2PerSecond) {
        this(List.of(address), history, seed);
        all(qos1PerSecond, qos2PerSecond);
        replays();
    }

    /**
     * Over nodes of one cluster: each connection of a client goes to a random one. With more live subscribers and a
     * delayed will, and without retained messages by the hundred.
     */
    static Load overNodes(
            List<InetSocketAddress> addresses, History history, long seed, double qos1PerSecond, double qos2PerSecond) {
        Load load = new Load(addresses, history, seed);
        load.all(qos1PerSecond, qos2PerSecond);
        for (int i = 0; i < LIVE_SUBSCRIBERS; i++) {
            load.churning(
                    "churn-live-" + i,
                    i % 2 == 0 ? V5 : V3,
                    load::clean,
                    new Filter("q1/" + i % 4 + "/#", 1),
                    new Filter("q1/+/" + i % 4, 1),
                    new Filter("q2/" + i % 3 + "/+", 2));
        }
        load.returning("will-d");
        return load;
    }

    private Load(List<InetSocketAddress> addresses, History history, long seed) {
        this.addresses = List.copyOf(addresses);
        this.history = history;
        this.seeds = new Random(seed);
    }

    private void all(double qos1PerSecond, double qos2PerSecond) {
        publishers(qos1PerSecond / 4, qos2PerSecond / 3);
        subscribers();
        subscriber(
                "shared-a",
                V5,
                Presence.ALWAYS,
                same(),
                new Filter("$share/g/q2/#", 2),
                new Filter("$share/g/q1/0/2", 1));
        subscriber(
                "shared-b",
                V5,
                Presence.VISITING,
                same(),
                new Filter("$share/g/q2/#", 2),
                new Filter("$share/g/q1/0/2", 1));
        actors.add(new LeavingActor(
                client(config("shared-c", V5, late(400))), stage, random(), new Filter("$share/g/q1/0/2", 1)));
        subscriber("will-watcher", V5, Presence.ALWAYS, same(), new Filter("will/#", 2));
        will("will-a", V5, 2, true);
        will("will-b", V3, 1, false);
        will("will-c", V5, 1, false);
        publisher("keeper-1", V3, retainedTopics("ret/1", 12), 1, 25, same(), true, false);
        publisher("keeper-2", V5, retainedTopics("ret/2", 12), 2, 25, same(), true, false);
        subscriber("ret-absent", V5, Presence.ABSENT, same(), new Filter("ret/1/#", 1));
    }

    private void replays() {
        List<String> topics = retainedTopics("ret/3", REPLAYED_TOPICS);
        actors.add(new RetainingActor(
                client(config("keeper-3", V5, config -> config.withWindow(REPLAYED_TOPICS))),
                stage,
                random(),
                "keeper-3",
                topics,
                2));
        replayed("replayed-2", V5, config -> late(40).apply(config).withReceiveMaximum(8), new Filter("ret/3/#", 2));
        replayed("replayed-1", V3, late(200), new Filter("ret/3/+", 1));
    }

    private void replayed(String name, int version, UnaryOperator<ClientConfig> more, Filter filter) {
        ReplayedActor.Given given = new ReplayedActor.Given();
        ClientConfig config = config(name, version, more);
        TestClient client = moving(new TestClient(config, given::received), config);
        actors.add(new ReplayedActor(client, stage, random(), filter, REPLAYED_TOPICS, given));
    }

    Stage stage() {
        return stage;
    }

    void start() {
        for (Actor actor : actors) {
            Thread thread = new Thread(actor, "actor-" + threads.size());
            thread.setDaemon(true);
            thread.start();
            threads.add(thread);
        }
    }

    boolean isSetUp() {
        return actors.stream().allMatch(Actor::isSetUp);
    }

    boolean isDrained() {
        return actors.stream().allMatch(Actor::isDrained);
    }

    /** Ends all clients. */
    @Override
    public void close() {
        stage.enter(Stage.Phase.STOP);
        try {
            for (Thread thread : threads) {
                thread.join(15_000);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt(); // they are daemons
        }
        timer.shutdownNow();
    }

    private void publishers(double qos1PerSecond, double qos2PerSecond) {
        publisher("pub-0", V5, topics("q1/0"), 1, qos1PerSecond, same(), false, false);
        publisher("pub-1", V3, topics("q1/1"), 1, qos1PerSecond, same(), false, true);
        publisher("pub-2", V5, topics("q1/2"), 1, qos1PerSecond, same(), false, true);
        publisher("pub-3", V3, topics("q1/3"), 1, qos1PerSecond, ClientConfig::withCleanSession, false, false);
        publisher("pub-4", V5, topics("q2/0"), 2, qos2PerSecond, same(), false, false);
        publisher("pub-5", V3, topics("q2/1"), 2, qos2PerSecond, same(), false, true);
        publisher("pub-6", V5, topics("q2/2"), 2, qos2PerSecond, same(), false, false);
    }

    private void subscribers() {
        subscriber("at-once", V5, Presence.ALWAYS, same(), new Filter("q1/0/#", 1), new Filter("q1/1/+", 1));
        subscriber("late", V3, Presence.ALWAYS, late(300), new Filter("q1/2/#", 1));
        subscriber("shuffled", V5, Presence.ALWAYS, shuffled(), new Filter("q1/3/#", 1));
        subscriber("twice-never", V5, Presence.ALWAYS, same(), new Filter("q2/#", 2));
        subscriber("late-2", V3, Presence.ALWAYS, late(200), new Filter("q2/0/#", 2));
        subscriber("visitor", V5, Presence.VISITING, late(50), new Filter("q1/0/0", 1), new Filter("q2/0/0", 2));
        subscriber("absent", V3, Presence.ABSENT, same(), new Filter("q1/+/1", 1));
        subscriber("absent-2", V5, Presence.ABSENT, shuffled(), new Filter("q2/+/1", 2));
        subscriber("taken-over", V5, Presence.TAKING_OVER, late(50), new Filter("q1/1/0", 1), new Filter("q2/1/#", 2));
        subscriber("taken-over-3", V3, Presence.TAKING_OVER, same(), new Filter("q1/2/0", 1), new Filter("q2/1/0", 2));
        subscriber(
                "overlapping",
                V5,
                Presence.ALWAYS,
                same(),
                new Filter("q1/2/+", 1),
                new Filter("q1/2/3", 2),
                new Filter("q2/2/#", 2));
        subscriber("live", V5, Presence.ALWAYS, this::clean, new Filter("q1/1/3", 1), new Filter("q2/2/3", 2));
        churning("churn", V5, same(), new Filter("q1/3/2", 1), new Filter("q2/2/1", 2), new Filter("q1/+/3", 1));
        churning("churn-3", V3, same(), new Filter("q1/0/3", 1), new Filter("q2/#", 2));
    }

    private static List<String> topics(String prefix) {
        return List.of(prefix + "/0", prefix + "/1", prefix + "/2", prefix + "/3");
    }

    private static List<String> retainedTopics(String prefix, int count) {
        return IntStream.range(0, count)
                .mapToObj(number -> prefix + '/' + number)
                .toList();
    }

    private static UnaryOperator<ClientConfig> same() {
        return UnaryOperator.identity();
    }

    private ClientConfig clean(ClientConfig config) {
        return config.withCleanSession().withTap(HistoryTap.ofCleanSessions(history, config.clientId()));
    }

    private UnaryOperator<ClientConfig> late(int maxMillis) {
        AckPolicy policy = AckPolicy.late(timer, random(), maxMillis);
        return config -> config.withAcks(policy);
    }

    private UnaryOperator<ClientConfig> shuffled() {
        AckPolicy policy = AckPolicy.shuffled(timer, random(), 8, 40);
        return config -> config.withAcks(policy).withReceiveMaximum(50);
    }

    private void publisher(
            String name,
            int version,
            List<String> topics,
            int qos,
            double perSecond,
            UnaryOperator<ClientConfig> more,
            boolean retain,
            boolean takeovers) {
        ClientConfig config = config(name, version, more).withWindow(takeovers ? 50 : qos == 1 ? 300 : 100);
        actors.add(new PublishingActor(
                client(config),
                stage,
                random(),
                new PublishingActor.Spec(name, topics, qos, perSecond, 160, retain, retain ? 0.3 : 0, takeovers)));
    }

    private void subscriber(
            String name, int version, Presence presence, UnaryOperator<ClientConfig> more, Filter... filters) {
        actors.add(
                new SubscribingActor(client(config(name, version, more)), stage, random(), List.of(filters), presence));
    }

    private void churning(String name, int version, UnaryOperator<ClientConfig> more, Filter... filters) {
        actors.add(new ChurningActor(client(config(name, version, more)), stage, random(), List.of(filters)));
    }

    private void will(String name, int version, int qos, boolean persistent) {
        actors.add(
                new WillActor(client(config(name, version, same())), stage, random(), name, version, qos, persistent));
    }

    private void returning(String name) {
        actors.add(new ReturningActor(client(config(name, V5, same())), stage, random(), name));
    }

    private ClientConfig config(String name, int version, UnaryOperator<ClientConfig> more) {
        return more.apply(ClientConfig.of(addresses.get(0), name, version).withTap(new HistoryTap(history, name)));
    }

    /** The history has what it receives; nobody else looks. */
    private TestClient client(ClientConfig config) {
        return moving(new TestClient(config, message -> {}), config);
    }

    private TestClient moving(TestClient client, ClientConfig config) {
        if (addresses.size() > 1) {
            Random random = random();
            client.moveAmong(() -> {
                int node = random.nextInt(addresses.size());
                if (config.tap() instanceof HistoryTap tap) {
                    tap.connectsTo(node);
                }
                return addresses.get(node);
            });
            client.pingSuperseded();
        }
        return client;
    }

    private Random random() {
        return new Random(seeds.nextLong());
    }
}
