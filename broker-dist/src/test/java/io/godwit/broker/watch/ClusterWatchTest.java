package io.godwit.broker.watch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.godwit.api.port.NotServingException;
import io.godwit.api.port.watch.WatchFeed;
import io.godwit.api.port.watch.WatchFeed.Item;
import io.godwit.api.port.watch.WatchSource.EventFilter;
import io.godwit.api.port.watch.WatchSource.TraceFilter;
import io.godwit.broker.clients.ClusterNodes;
import io.godwit.broker.watch.question.EventQuestion;
import io.godwit.broker.watch.question.TraceQuestion;
import io.godwit.broker.watch.question.WatchQuestion;
import io.godwit.broker.watch.tap.EventTap;
import io.godwit.broker.watch.tap.TraceTap;
import io.godwit.broker.watch.tap.WatchQueue;
import io.godwit.cluster.rpc.LocalAccess;
import io.godwit.cluster.rpc.LocalRpcServer;
import io.godwit.cluster.rpc.RpcConnection;
import io.godwit.mqtt.packet.field.ReasonCode;
import io.godwit.mqtt.trace.Tracing;
import io.godwit.plugin.client.ClientId;
import io.godwit.plugin.client.ClientInfo;
import io.godwit.plugin.client.TenantId;
import io.godwit.plugin.event.BrokerEvent;
import io.godwit.plugin.event.DropReason;
import io.godwit.plugin.event.EventListener;
import io.godwit.plugin.message.Message;
import io.godwit.plugin.message.MessageProperties;
import io.godwit.plugin.message.Qos;
import io.godwit.testing.Await;
import io.grpc.Channel;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The node a, whose operators watch, and b and c, which it reaches over gRPC. */
@Tag("slow")
class ClusterWatchTest implements ClusterNodes {
    private static final Duration LONG = Duration.ofMinutes(5);
    private static final EventFilter ALL =
            new EventFilter(Set.of(), Optional.empty(), Optional.empty(), Optional.empty());

    @TempDir
    private Path directory;

    private final Map<String, Channel> channels = new ConcurrentHashMap<>();
    private final Deque<AutoCloseable> opened = new ArrayDeque<>();
    private final EventTap eventsOfA = new EventTap(EventListener.NONE, System::currentTimeMillis);
    private final Tracing tracingOfA = new Tracing();
    private final TraceTap tracesOfA = new TraceTap(tracingOfA, System::currentTimeMillis);
    private final ClusterWatch a = new ClusterWatch(eventsOfA, tracesOfA, this);

    @AfterEach
    void close() throws Exception {
        a.close();
        while (!opened.isEmpty()) {
            opened.pop().close();
        }
    }

    @Override
    public String self() {
        return "a";
    }

    @Override
    public Set<String> others() {
        return channels.keySet();
    }

    @Override
    public @Nullable Channel to(String nodeId) {
        return channels.get(nodeId);
    }

    /** Another member with that id, until it is closed. */
    private final class Other implements AutoCloseable {
        private final EventTap events = new EventTap(EventListener.NONE, System::currentTimeMillis);
        private final Tracing tracing = new Tracing();
        private final ClusterWatch watch =
                new ClusterWatch(events, new TraceTap(tracing, System::currentTimeMillis), ClusterNodes.alone("other"));
        private final LocalRpcServer server;

        Other(String id) throws IOException {
            Path file = directory.resolve(id + System.nanoTime());
            server = LocalRpcServer.start(List.of(watch.service()), file);
            RpcConnection connection = RpcConnection.local(LocalAccess.read(file));
            channels.put(id, connection.channel());
            opened.push(connection);
            opened.push(this);
        }

        @Override
        public void close() {
            watch.close();
            server.close();
        }
    }

    private static BrokerEvent connected(String id) {
        return new BrokerEvent.ClientConnected(
                new ClientInfo(TenantId.DEFAULT, new ClientId(id), null, "192.0.2.7:4000", 5), false);
    }

    private static void raise(EventTap tap, BrokerEvent event) {
        if (tap.isListening(event.getClass())) {
            tap.onEvent(event);
        }
    }

    /** Takes items until there are {@code count}. */
    private static List<Item> take(WatchFeed feed, int count) throws Exception {
        List<Item> taken = new ArrayList<>();
        Await.until(count + " items, has " + taken, () -> {
            for (Item item = feed.next(); item != null; item = feed.next()) {
                taken.add(item);
            }
            return taken.size() >= count;
        });
        return taken;
    }

    private WatchFeed open(EventFilter filter) {
        return a.events(filter, LONG).orElseThrow();
    }

    @Test
    void eventsOfAllNodesComeWithTheirNode() throws Exception {
        Other b = new Other("b");
        Other c = new Other("c");
        WatchFeed feed = open(ALL);
        assertThat(take(feed, 3))
                .containsExactlyInAnyOrder(Item.node("a", true), Item.node("b", true), Item.node("c", true));
        raise(eventsOfA, connected("1"));
        raise(b.events, connected("2"));
        raise(c.events, connected("3"));
        raise(c.events, connected("4"));
        assertThat(take(feed, 4))
                .allMatch(item -> item.name().equals("event"))
                .extracting(item -> item.data().get("node") + " " + item.data().get("clientId"))
                .containsExactlyInAnyOrder("a 1", "b 2", "c 3", "c 4")
                .containsSubsequence("c 3", "c 4");
    }

    @Test
    void nothingIsLeftWhenTheWatcherGoes() throws Exception {
        Other b = new Other("b");
        for (int i = 0; i < 40; i++) { // more than there may be at a time
            WatchFeed feed = open(ALL);
            take(feed, 2);
            feed.close();
            Await.until("it ends", () -> a.feeds() == 0 && eventsOfA.watchers() == 0 && b.events.watchers() == 0);
        }
        assertThat(b.events.isListening(BrokerEvent.ClientConnected.class)).isFalse();
    }

    @Test
    void theFilterHoldsOnOtherNodesToo() throws Exception {
        Other b = new Other("b");
        WatchFeed feed = open(new EventFilter(
                Set.of("client-connected"), Optional.of("2"), Optional.of("default"), Optional.of("b")));
        assertThat(take(feed, 1)).containsExactly(Item.node("b", true));
        raise(eventsOfA, connected("2"));
        raise(b.events, connected("1"));
        raise(b.events, new BrokerEvent.MemberLeft("c", 1));
        raise(b.events, connected("2"));
        assertThat(take(feed, 1))
                .singleElement()
                .satisfies(item ->
                        assertThat(item.data()).containsEntry("clientId", "2").containsEntry("node", "b"));
        assertThat(a.events(
                        new EventFilter(Set.of(), Optional.empty(), Optional.empty(), Optional.of("nowhere")), LONG))
                .isEmpty();
    }

    @Test
    void membersThatComeAndGoAreFollowed() throws Exception {
        WatchFeed feed = open(ALL);
        assertThat(take(feed, 1)).containsExactly(Item.node("a", true));
        Other b = new Other("b");
        assertThat(take(feed, 1)).containsExactly(Item.node("b", true));
        b.server.close();
        assertThat(take(feed, 1)).containsExactly(Item.node("b", false));
        Other again = new Other("b");
        assertThat(take(feed, 1)).containsExactly(Item.node("b", true));
        raise(again.events, connected("1"));
        assertThat(take(feed, 1))
                .singleElement()
                .satisfies(item -> assertThat(item.name()).isEqualTo("event"));
        channels.remove("b");
        Await.until("b is left alone", () -> again.events.watchers() == 0);
    }

    /**
     * Entries that another node cannot send stay in its bounded queue, and the number of those that do not fit is
     * reported.
     */
    @Test
    void whatIsNotTakenIsToldAsLost() throws Exception {
        Other b = new Other("b");
        WatchFeed feed = open(ALL);
        take(feed, 2);
        int raised = 20_000;
        for (int i = 0; i < raised; i++) {
            raise(b.events, connected("x".repeat(500)));
            raise(eventsOfA, connected("x".repeat(500)));
        }
        long[] ofA = new long[2];
        long[] ofB = new long[2];
        Await.until("all are told of", () -> {
            for (Item item = feed.next(); item != null; item = feed.next()) {
                long[] counts = item.data().get("node").equals("a") ? ofA : ofB;
                if (item.name().equals("lost")) {
                    counts[1] += (Long) item.data().get("count");
                } else {
                    counts[0]++;
                }
            }
            return ofA[0] + ofA[1] == raised && ofB[0] + ofB[1] == raised;
        });
        assertThat(ofA[0]).isBetween(200L, 10_000L);
        assertThat(ofB[0]).isBetween(200L, 10_000L);
    }

    @Test
    void tracesOfAllNodesComeTogetherAndEndEverywhere() throws Exception {
        Other b = new Other("b");
        assertThat(b.tracing.active()).isNull();
        WatchFeed feed = a.trace(
                new TraceFilter(Optional.empty(), Optional.of("birds/+"), Optional.empty(), Optional.empty()), LONG);
        take(feed, 2);
        ClientInfo wren = new ClientInfo(TenantId.DEFAULT, new ClientId("wren"), null, "192.0.2.7:4000", 5);
        Message message = new Message("birds/1", new byte[7], Qos.AT_LEAST_ONCE, false, 0, MessageProperties.NONE);
        Objects.requireNonNull(tracingOfA.active()).published(wren, message, 9);
        Objects.requireNonNull(b.tracing.active()).sent(wren, message, Qos.AT_LEAST_ONCE, 3, false);
        Objects.requireNonNull(b.tracing.active()).acknowledged(wren, 3, ReasonCode.SUCCESS);
        raise(b.events, connected("wren")); // has no topic
        raise(
                b.events,
                new BrokerEvent.MessageDropped(TenantId.DEFAULT, new ClientId("wren"), "birds/2", DropReason.EXPIRED));
        assertThat(take(feed, 4))
                .allMatch(item -> item.name().equals("trace"))
                .extracting(item -> item.data().get("node") + " " + item.data().get("type"))
                .containsExactlyInAnyOrder("a published", "b sent", "b acknowledged", "b message-dropped");
        feed.close();
        Await.until("no trace is left", () -> b.tracing.active() == null && tracingOfA.active() == null);
    }

    @Test
    void tracesAreFew() {
        TraceFilter filter = new TraceFilter(Optional.of("wren"), Optional.empty(), Optional.empty(), Optional.empty());
        for (int i = 0; i < ClusterWatch.MAX_TRACE_FEEDS; i++) {
            assertThat(a.trace(filter, LONG).isOver()).isFalse();
        }
        assertThatThrownBy(() -> a.trace(filter, LONG)).isInstanceOf(NotServingException.class);
        assertThat(open(ALL).isOver()).isFalse(); // counted apart
    }

    @Test
    void oneTenantLeavesTracesToOthers() {
        TraceFilter birds =
                new TraceFilter(Optional.of("wren"), Optional.empty(), Optional.empty(), Optional.of("birds"));
        TraceFilter fish =
                new TraceFilter(Optional.of("carp"), Optional.empty(), Optional.empty(), Optional.of("fish"));
        for (int i = 0; i < ClusterWatch.MAX_TENANT_TRACE_FEEDS; i++) {
            assertThat(a.trace(birds, LONG).isOver()).isFalse();
        }
        assertThatThrownBy(() -> a.trace(birds, LONG)).isInstanceOf(NotServingException.class);
        assertThat(a.trace(fish, LONG).isOver()).isFalse();
        assertThatThrownBy(() -> a.trace(fish, LONG)).isInstanceOf(NotServingException.class);
        assertThat(a.trace(
                                new TraceFilter(
                                        Optional.of("wren"), Optional.empty(), Optional.empty(), Optional.empty()),
                                LONG)
                        .isOver())
                .as("one is left for operators of the cluster")
                .isFalse();
    }

    /** Other nodes ask b for operators of these tenants. */
    private static TraceQuestion trace(Optional<String> tenant) {
        return new TraceQuestion(Optional.of("wren"), Optional.empty(), Optional.empty(), tenant);
    }

    private static EventQuestion events(Optional<String> tenant, String... types) {
        return new EventQuestion(Set.of(types), Optional.empty(), tenant);
    }

    private static void refused(OwnWatches watches, WatchQuestion question) {
        assertThatThrownBy(() -> watches.open(question)).isInstanceOf(TooManyWatchesException.class);
    }

    private OwnWatches ownOfA() {
        return new OwnWatches(eventsOfA, tracesOfA, () -> 0);
    }

    @Test
    void oneTenantAtManyNodesLeavesTracesToOthers() throws Exception {
        OwnWatches watches = ownOfA();
        WatchQueue first = watches.open(trace(Optional.of("birds")));
        watches.open(trace(Optional.of("birds")));
        refused(watches, trace(Optional.of("birds")));
        for (String other : List.of("fish", "fish", "bees", "bees")) {
            watches.open(trace(Optional.of(other)));
        }
        refused(watches, trace(Optional.of("ants")));
        watches.open(trace(Optional.empty()));
        watches.open(trace(Optional.empty()));
        refused(watches, trace(Optional.empty()));
        watches.close(first);
        watches.open(trace(Optional.of("birds")));
    }

    @Test
    void oneTenantAtManyNodesLeavesEventsToOthers() throws Exception {
        OwnWatches watches = ownOfA();
        for (int i = 0; i < OwnWatches.MAX_EVENT_WATCHES_OF_TENANT; i++) {
            watches.open(events(Optional.of("birds")));
        }
        refused(watches, events(Optional.of("birds")));
        watches.open(events(Optional.of("fish")));
        watches.open(events(Optional.empty()));
    }

    /** They cost as much as a trace. */
    @Test
    void watchesOfEachMessageAreAsFewAsTraces() throws Exception {
        OwnWatches watches = ownOfA();
        WatchQueue first = watches.open(events(Optional.of("birds"), "publish-received"));
        watches.open(events(Optional.of("birds"), "message-delivered", "client-connected"));
        refused(watches, events(Optional.of("birds"), "publish-received"));
        watches.open(events(Optional.of("birds"), "client-connected"));
        for (int i = 0; i < OwnWatches.MAX_TRACES - 2; i++) {
            watches.open(events(Optional.empty(), "publish-received"));
        }
        refused(watches, events(Optional.empty(), "publish-received"));
        watches.open(trace(Optional.empty())); // counted apart
        watches.close(first);
        watches.open(events(Optional.empty(), "publish-received"));
    }

    @Test
    void feedsAreBounded() {
        for (int i = 0; i < ClusterWatch.MAX_EVENT_FEEDS; i++) {
            open(ALL);
        }
        assertThatThrownBy(() -> open(ALL)).isInstanceOf(NotServingException.class);
    }

    @Test
    void whatOtherNodesWatchIsBounded() throws Exception {
        Other b = new Other("b");
        WatchFeed first = open(ALL);
        take(first, 2);
        for (int i = b.events.watchers(); i < OwnWatches.MAX_EVENT_WATCHES; i++) {
            b.events.watch(
                    new EventQuestion(Set.of("none"), Optional.empty(), Optional.empty()), new WatchQueue(() -> 0));
        }
        WatchFeed second = open(ALL);
        assertThat(take(second, 2)).containsExactlyInAnyOrder(Item.node("a", true), Item.node("b", false));
        raise(b.events, connected("1"));
        assertThat(take(first, 1)).hasSize(1);
        assertThat(second.next()).isNull();
    }

    @Test
    void theStopEndsWatches() throws Exception {
        WatchFeed feed = open(ALL);
        take(feed, 1);
        a.close();
        assertThat(feed.isOver()).isTrue();
        assertThat(eventsOfA.watchers()).isZero();
        assertThatThrownBy(() -> open(ALL)).isInstanceOf(NotServingException.class);
        feed.close();
    }
}
