package io.godwit.broker.sub;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.dist.client.Deliverer;
import io.godwit.dist.client.SharedPick;
import io.godwit.inbox.client.InboxMessage;
import io.godwit.kv.client.RangeException;
import io.godwit.mqtt.twin.MemoryDirectory;
import io.godwit.mqtt.twin.MemoryDist;
import io.godwit.mqtt.twin.MemoryInbox;
import io.godwit.plugin.client.ClientId;
import io.godwit.plugin.client.ClientInfo;
import io.godwit.plugin.client.TenantId;
import io.godwit.plugin.event.BrokerEvent;
import io.godwit.plugin.event.DropReason;
import io.godwit.plugin.event.EventListener;
import io.godwit.plugin.message.Message;
import io.godwit.plugin.message.MessageProperties;
import io.godwit.plugin.message.Qos;
import io.godwit.plugin.sub.SubBroker;
import io.godwit.plugin.sub.SubBrokerBatch;
import io.godwit.plugin.sub.SubBrokerMessage;
import io.godwit.plugin.sub.SubBrokerSubscription;
import io.godwit.testing.Await;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Two nodes on stores in memory, of which one at a time hands messages to its SubBroker. */
@Timeout(60)
class SubConsumersTest {
    private static final String CLIENT = "\0sub/sink/all";
    private static final SubLimits LIMITS = new SubLimits(3, 10_000, 6, 20_000);

    private final MemoryDirectory directory = new MemoryDirectory();
    private final MemoryInbox inbox = new MemoryInbox();
    private final MemoryDist dist = new MemoryDist();
    private final List<BrokerEvent> events = new CopyOnWriteArrayList<>();
    private final SimpleMeterRegistry meters = new SimpleMeterRegistry();
    private final List<Node> nodes = new ArrayList<>();

    SubConsumersTest() {
        dist.deliverTo(delivery -> Deliverer.DELIVERED, inbox.deliverer());
    }

    @AfterEach
    void close() {
        nodes.forEach(each -> each.consumers.close());
    }

    private final class Node implements SubBroker {
        private final List<SubBrokerBatch> batches = new CopyOnWriteArrayList<>();
        private volatile Function<SubBrokerBatch, CompletableFuture<Void>> answer = batch -> done();
        private volatile boolean isOurs = true;
        private final SubConsumers consumers;

        private Node(String... filters) {
            EventListener listener = new EventListener() {
                @Override
                public boolean isListening(Class<? extends BrokerEvent> kind) {
                    return true;
                }

                @Override
                public void onEvent(BrokerEvent event) {
                    events.add(event);
                }
            };
            consumers = new SubConsumers(
                    Map.of("sink", this),
                    Map.of("sink", List.of(new SubBrokerSubscription("all", List.of(filters)))),
                    new SubParts(
                            directory,
                            inbox,
                            dist,
                            id -> isOurs && id.equals(CLIENT),
                            System::currentTimeMillis,
                            new SubReports(listener, meters),
                            LIMITS));
            nodes.add(this);
            consumers.start();
        }

        @Override
        public List<SubBrokerSubscription> subscriptions() {
            return List.of();
        }

        @Override
        public CompletableFuture<Void> deliver(SubBrokerBatch batch) {
            batches.add(batch);
            return answer.apply(batch);
        }

        private List<String> texts() {
            return batches.stream()
                    .flatMap(batch -> batch.messages().stream())
                    .map(each -> new String(each.message().payload(), StandardCharsets.UTF_8))
                    .toList();
        }
    }

    private static CompletableFuture<Void> done() {
        return CompletableFuture.completedFuture(null);
    }

    private static CompletableFuture<Void> failed() {
        return CompletableFuture.failedFuture(new IllegalStateException("the other system is down"));
    }

    private void publish(int from, int to, Qos qos) throws Exception {
        var publisher = dist.publisher(
                new ClientInfo(TenantId.DEFAULT, new ClientId("p"), null, "10.0.0.1:1", 5), (SharedPick) null);
        for (int i = from; i < to; i++) {
            publisher
                    .publish(
                            new Message(
                                    "a/" + i,
                                    String.valueOf(i).getBytes(StandardCharsets.UTF_8),
                                    qos,
                                    false,
                                    System.currentTimeMillis(),
                                    MessageProperties.NONE),
                            null)
                    .get(30, TimeUnit.SECONDS);
        }
    }

    private static List<String> numbers(int from, int to) {
        return IntStream.range(from, to).mapToObj(String::valueOf).toList();
    }

    private void awaitRunning(int times) {
        Await.until(
                "it is served",
                () -> events.stream()
                                .filter(BrokerEvent.SubBrokerBegan.class::isInstance)
                                .count()
                        == times);
    }

    private void awaitEmpty() {
        Await.until("all is acknowledged", () -> inbox.queued(CLIENT) == 0);
    }

    @Test
    void batchesComeInOrderAndAreBounded() throws Exception {
        Node node = new Node("a/#", "b");
        awaitRunning(1);
        publish(0, 50, Qos.AT_LEAST_ONCE);
        publish(50, 60, Qos.EXACTLY_ONCE);
        Await.until("all have come", () -> node.texts().size() == 60);
        assertThat(node.texts()).isEqualTo(numbers(0, 60));
        assertThat(node.batches).allSatisfy(batch -> {
            assertThat(batch.messages()).hasSizeBetween(1, 3);
            assertThat(batch.attempt()).isEqualTo(1);
        });
        awaitEmpty();
        assertThat(meters.get("godwit.plugins.sub.messages").functionCounter().count())
                .isEqualTo(60);
    }

    /** Before the plugin has answered nothing is acknowledged to the inbox, and no more than the bound is read. */
    @Test
    void whatIsNotAnsweredStaysInTheInbox() throws Exception {
        Node node = new Node("a/#");
        CompletableFuture<Void> first = new CompletableFuture<>();
        node.answer = batch -> first;
        awaitRunning(1);
        publish(0, 20, Qos.AT_LEAST_ONCE);
        Await.until("a batch", () -> !node.batches.isEmpty());
        assertThat(inbox.queued(CLIENT)).isEqualTo(20);
        assertThat(node.batches).hasSize(1);
        node.answer = batch -> done();
        first.complete(null);
        Await.until("all have come", () -> node.texts().size() == 20);
        assertThat(node.texts()).isEqualTo(numbers(0, 20));
        awaitEmpty();
    }

    @Test
    void aBatchThatFailsComesAgainAndInOrder() throws Exception {
        Node node = new Node("a/#");
        node.answer = batch -> batch.attempt() < 3 ? failed() : done();
        awaitRunning(1);
        publish(0, 6, Qos.AT_LEAST_ONCE);
        awaitEmpty();
        List<SubBrokerBatch> good =
                node.batches.stream().filter(batch -> batch.attempt() == 3).toList();
        assertThat(good.stream()
                        .flatMap(batch -> batch.messages().stream())
                        .map(each -> each.message().topic()))
                .containsExactly("a/0", "a/1", "a/2", "a/3", "a/4", "a/5");
        assertThat(good).allSatisfy(batch -> assertThat(batch.messages()).allMatch(SubBrokerMessage::isRepeated));
        assertThat(events)
                .anySatisfy(event -> assertThat(event)
                        .isInstanceOfSatisfying(
                                BrokerEvent.SubBrokerDelayed.class,
                                delayed -> assertThat(delayed.cause()).contains("the other system is down")));
    }

    @Test
    void whatComesWhileNobodyServesIsKept() throws Exception {
        Node first = new Node("a/#");
        awaitRunning(1);
        first.isOurs = false;
        Await.until("it is given up", () -> events.stream().anyMatch(BrokerEvent.SubBrokerEnded.class::isInstance));
        publish(0, 5, Qos.AT_LEAST_ONCE);
        assertThat(first.batches).isEmpty();
        Node second = new Node("a/#");
        Await.until("the other node has them", () -> second.texts().size() == 5);
        assertThat(second.texts()).isEqualTo(numbers(0, 5));
        awaitEmpty();
    }

    /** Both nodes believe that it is their turn; only one at a time has it, and nothing is lost. */
    @Test
    void oneNodeAtATimeHasIt() throws Exception {
        Node first = new Node("a/#");
        awaitRunning(1);
        Node second = new Node("a/#");
        for (int i = 0; i < 40; i++) {
            publish(i, i + 1, Qos.AT_LEAST_ONCE);
            if (i == 20) {
                Await.until(
                        "the other node has taken it",
                        () -> events.stream()
                                        .filter(BrokerEvent.SubBrokerBegan.class::isInstance)
                                        .count()
                                >= 2);
            }
        }
        awaitEmpty();
        List<String> all = new ArrayList<>(first.texts());
        all.addAll(second.texts());
        assertThat(all).containsAll(numbers(0, 40));
    }

    @Test
    void aLostLeaderIsAttachedToAnew() throws Exception {
        Node node = new Node("a/#");
        CompletableFuture<Void> never = new CompletableFuture<>();
        node.answer = batch -> never;
        awaitRunning(1);
        publish(0, 4, Qos.AT_LEAST_ONCE);
        Await.until("a batch", () -> !node.batches.isEmpty());
        inbox.loseLeader();
        awaitRunning(2);
        assertThat(node.batches)
                .as("no second batch comes before the plugin has answered")
                .hasSize(1);
        node.answer = batch -> done();
        never.complete(null);
        awaitEmpty();
        assertThat(node.texts()).endsWith("3").containsAll(numbers(0, 4));
    }

    @Test
    void storesThatFailAreTriedAgain() throws Exception {
        inbox.failNext(new RangeException(RangeException.Cause.TIMEOUT, "no leader"));
        dist.failNextRoute(new RangeException(RangeException.Cause.TIMEOUT, "no leader"));
        Node node = new Node("a/#");
        awaitRunning(1);
        publish(0, 3, Qos.AT_LEAST_ONCE);
        Await.until("all have come", () -> node.texts().size() >= 3);
        assertThat(node.texts()).isEqualTo(numbers(0, 3));
    }

    @Test
    void filtersThatAreGoneAreUnsubscribed() throws Exception {
        Node first = new Node("a/#", "old");
        awaitRunning(1);
        assertThat(dist.size()).isEqualTo(2);
        first.isOurs = false;
        Node second = new Node("a/#");
        awaitRunning(2);
        assertThat(dist.size()).isEqualTo(1);
        publish(0, 1, Qos.AT_LEAST_ONCE);
        Await.until("it has come", () -> second.texts().equals(List.of("0")));
    }

    @Test
    void aFloodOfQos0IsDroppedAndCounted() throws Exception {
        Node node = new Node("a/#");
        CompletableFuture<Void> first = new CompletableFuture<>();
        node.answer = batch -> first;
        awaitRunning(1);
        publish(0, 100, Qos.AT_MOST_ONCE);
        Await.until(
                "some are dropped",
                () -> meters.get("godwit.plugins.sub.dropped")
                                .tag("reason", "slow_consumer")
                                .functionCounter()
                                .count()
                        == 94);
        assertThat(events).anyMatch(BrokerEvent.MessageDropped.class::isInstance);
        node.answer = batch -> done();
        first.complete(null);
        Await.until("the others have come", () -> node.texts().size() == 6);
    }

    /** The inbox no longer has QoS 0 messages that it has delivered. */
    @Test
    void qos0ThatIsHeldWhenThisNodeLeavesIsCounted() throws Exception {
        Node node = new Node("a/#");
        CompletableFuture<Void> never = new CompletableFuture<>();
        node.answer = batch -> never;
        awaitRunning(1);
        publish(0, 1, Qos.AT_LEAST_ONCE);
        Await.until("a batch", () -> !node.batches.isEmpty());
        publish(1, 4, Qos.AT_MOST_ONCE);
        node.isOurs = false;
        Await.until(
                "all that waited is told",
                () -> events.stream()
                                .filter(event -> event instanceof BrokerEvent.MessageDropped dropped
                                        && dropped.reason() == DropReason.SESSION_ENDED)
                                .count()
                        == 3);
        assertThat(meters.get("godwit.plugins.sub.dropped")
                        .tag("reason", "session_ended")
                        .functionCounter()
                        .count())
                .isEqualTo(3);
        assertThat(inbox.queued(CLIENT)).isEqualTo(1);
    }

    @Test
    void theClientIdIsFreeAfterTheEnd() {
        Node node = new Node("a/#");
        awaitRunning(1);
        assertThat(directory.size()).isEqualTo(1);
        node.consumers.close();
        assertThat(directory.size()).isZero();
        assertThat(inbox.exists(CLIENT)).as("the inbox and its queue stay").isTrue();
    }

    @Test
    void aLargeMessageIsAloneInItsBatch() {
        SubQueue queue = new SubQueue(LIMITS);
        assertThat(queue.ask()).isEqualTo(6);
        assertThat(queue.ask()).isZero();
        for (int size : new int[] {10, 50_000, 10}) {
            assertThat(queue.add(new InboxMessage(
                            size,
                            1,
                            new Message("t", new byte[size], Qos.AT_LEAST_ONCE, false, 0, MessageProperties.NONE),
                            Qos.AT_LEAST_ONCE,
                            false,
                            false,
                            false,
                            new int[0])))
                    .isTrue();
        }
        assertThat(queue.ask()).as("the queue holds too many bytes").isZero();
        assertThat(queue.next()).hasSize(1);
        var large = queue.next();
        assertThat(large).hasSize(1);
        queue.release(large);
        assertThat(queue.ask())
                .as("three are on their way, and each may be as large")
                .isZero();
        assertThat(queue.next()).hasSize(1);
        assertThat(queue.next()).isEmpty();
    }

    @Test
    void turnsAreSpreadAndAgreedUpon() {
        List<String> nodes = List.of("n1", "n2", "n3");
        int[] counts = new int[3];
        for (int i = 0; i < 3_000; i++) {
            String what = "\0sub/p/" + i;
            int chosen = -1;
            for (int n = 0; n < 3; n++) {
                if (NodeTurns.isOf(nodes.get(n), nodes, what)) {
                    assertThat(chosen).isEqualTo(-1);
                    chosen = n;
                }
            }
            counts[chosen]++;
        }
        assertThat(counts[0]).isBetween(800, 1_200);
        assertThat(counts[1]).isBetween(800, 1_200);
        assertThat(NodeTurns.isOf("n4", nodes, "x")).as("n4 is no member").isFalse();
        assertThat(NodeTurns.isOf("n1", List.of(), "x")).isFalse();
    }
}
