package io.godwit.dist.peer;

import io.godwit.cluster.link.Lane;
import io.godwit.cluster.link.LaneReceiver;
import io.godwit.cluster.testing.MemoryLinks;
import io.godwit.dist.DistConfig;
import io.godwit.dist.DistWorker;
import io.godwit.dist.client.Delayer;
import io.godwit.dist.client.Deliverer;
import io.godwit.dist.client.Delivery;
import io.godwit.dist.client.DeliveryToken;
import io.godwit.dist.client.DistClient;
import io.godwit.dist.client.DistOutcome;
import io.godwit.dist.client.Publisher;
import io.godwit.dist.client.SubscriptionOptions;
import io.godwit.dist.index.TestReceiver;
import io.godwit.dist.member.view.NodeLife;
import io.godwit.dist.peer.link.ClusterParts;
import io.godwit.dist.peer.link.ManualTimers;
import io.godwit.dist.peer.link.PeerWaits;
import io.godwit.dist.peer.wait.ExclusionRequests;
import io.godwit.kv.client.RangeClient;
import io.godwit.kv.client.SilentNode;
import io.godwit.plugin.client.ClientId;
import io.godwit.plugin.client.ClientInfo;
import io.godwit.plugin.client.TenantId;
import io.godwit.plugin.event.BrokerEvent;
import io.godwit.plugin.event.EventListener;
import io.godwit.plugin.event.NodeWait;
import io.godwit.plugin.message.Message;
import io.godwit.plugin.message.MessageProperties;
import io.godwit.plugin.message.Qos;
import io.godwit.plugin.topic.TopicFilter;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** A dist-worker with its links and members, on the test's thread. */
public final class TestNode {
    /** All nodes of a test. */
    public static final class Cluster {
        public final MemoryLinks.Net net = new MemoryLinks.Net();
        public final TestView view = new TestView();
        public final ManualTimers timers = new ManualTimers();
        /** Limit for each node made from now on. */
        public long maxLiveFilterBytes = Long.MAX_VALUE;

        /** A node that all others know and wait for, once pending messages are delivered. */
        public TestNode serving(String nodeId, long incarnation) {
            TestNode node = new TestNode(this, nodeId, incarnation, () -> {
                throw new IllegalStateException("no store");
            });
            node.join();
            node.members.setFresh(true);
            return node;
        }

        public void settle() {
            net.deliverAll();
        }
    }

    public static final SubscriptionOptions OPTIONS = new SubscriptionOptions(Qos.EXACTLY_ONCE, false, false, 0);
    public static final Duration CONFIRM = Duration.ofSeconds(5);
    /** Not the default, like the next one. */
    public static final Duration SHARED_CHOICE = Duration.ofSeconds(24);

    public static final Duration HELD_MESSAGE = Duration.ofSeconds(40);
    /** Longest wait for an exclusion that cannot be agreed on. */
    public static final Duration GIVEN_UP = SilentNode.PATIENCE.plus(ExclusionRequests.AGAIN);

    public static final long WALL_MILLIS = 1_700_000_000_000L;

    final Cluster cluster;
    public final NodeLife life;
    public final MemoryLinks links;
    public final TestView.TestMembers members;
    final DistWorker worker;
    public final LivePeers peers;
    public final List<Delivery> live = new ArrayList<>();
    /** The answer to deliveries to live sessions. */
    public CompletableFuture<DistOutcome> liveAnswer = Deliverer.DELIVERED;

    public final ClusterParts parts;
    final List<Delivery> inbox = new ArrayList<>();
    public final List<BrokerEvent> events = new ArrayList<>();
    public final SimpleMeterRegistry meters = new SimpleMeterRegistry();
    /** Pending catch-ups; null: they complete at once. */
    @Nullable
    List<CompletableFuture<Void>> heldCatchUps;

    public long wallMillis = WALL_MILLIS;

    public TestNode(Cluster cluster, String nodeId, long incarnation, Supplier<RangeClient> ranges) {
        this.cluster = cluster;
        this.life = new NodeLife(nodeId, incarnation);
        this.links = cluster.net.node(nodeId, incarnation);
        this.members = cluster.view.members(life);
        this.parts = new ClusterParts(
                nodeId,
                links,
                members,
                () -> cluster.view.has(life),
                deadline -> catchUp(),
                cluster.timers,
                () -> wallMillis,
                cluster.timers::nanoTime,
                () -> 1,
                new PeerWaits(CONFIRM, SHARED_CHOICE, HELD_MESSAGE),
                cluster.maxLiveFilterBytes,
                Optional::empty);
        EventListener listener = new EventListener() {
            @Override
            public void onEvent(BrokerEvent event) {
                events.add(event);
            }
        };
        this.worker = new DistWorker(
                DistConfig.DEFAULT,
                ranges,
                delivery -> {
                    live.add(delivery);
                    return liveAnswer;
                },
                delivery -> {
                    inbox.add(delivery);
                    return Deliverer.DELIVERED;
                },
                Delayer.NONE,
                listener,
                meters,
                parts);
        this.peers = Objects.requireNonNull(worker.peers());
        links.receive(Lane.CONTROL, peers::onControl);
        links.receive(Lane.LIVE, LaneReceiver.paced(peers::onLive));
        links.addListener(peers);
    }

    private CompletableFuture<Void> catchUp() {
        CompletableFuture<Void> done = new CompletableFuture<>();
        if (heldCatchUps == null) {
            done.complete(null);
        } else {
            heldCatchUps.add(done);
        }
        return done;
    }

    void join() {
        cluster.view.join(life);
        cluster.net.join(links);
    }

    public DistClient client() {
        return worker.client();
    }

    public CompletableFuture<Boolean> subscribe(String filter, String session) {
        return subscribe(filter, session, OPTIONS);
    }

    public CompletableFuture<Boolean> subscribe(String filter, String session, SubscriptionOptions options) {
        return client().subscribe(TenantId.DEFAULT, filter(filter), new TestReceiver(session), options);
    }

    public void unsubscribe(String filter, String session) {
        client().unsubscribe(TenantId.DEFAULT, filter(filter), new TestReceiver(session));
    }

    public Publisher publisher(String clientId) {
        return client().publisher(clientOf(clientId), null, Runnable::run);
    }

    public CompletableFuture<DistOutcome> publish(String topic, Qos qos, String payload) {
        return publish(topic, qos, payload, null);
    }

    public CompletableFuture<DistOutcome> publish(
            String topic, Qos qos, String payload, @Nullable DeliveryToken token) {
        return publisher("p").publish(message(topic, qos, payload), token);
    }

    /** Messages that the session got, oldest first. */
    public List<String> received(String session) {
        List<String> payloads = new ArrayList<>();
        for (Delivery delivery : live) {
            delivery.matches().stream()
                    .filter(match -> match.receiver().clientId().value().equals(session))
                    .forEach(match -> payloads.add(new String(delivery.message().payload(), StandardCharsets.UTF_8)));
        }
        return payloads;
    }

    public double count(String meter) {
        return meters.get(meter).functionCounter().count();
    }

    /** The number of waits of this kind that ran out. */
    public double overCount(NodeWait wait) {
        return meters.get("godwit.waits.over")
                .tag("wait", wait.name().toLowerCase(Locale.ROOT))
                .counter()
                .count();
    }

    public static ClientInfo clientOf(String clientId) {
        return new ClientInfo(TenantId.DEFAULT, new ClientId(clientId), null, "127.0.0.1:1", 5);
    }

    public static Message message(String topic, Qos qos, String payload) {
        return new Message(
                topic, payload.getBytes(StandardCharsets.UTF_8), qos, false, WALL_MILLIS, MessageProperties.NONE);
    }

    public static TopicFilter filter(String text) {
        return TopicFilter.parse(text).orElseThrow();
    }
}
