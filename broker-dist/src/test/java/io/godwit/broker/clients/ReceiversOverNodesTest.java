package io.godwit.broker.clients;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.godwit.api.port.ClusterAnswer;
import io.godwit.api.port.NotServingException;
import io.godwit.api.port.Page;
import io.godwit.api.port.client.ClientReference;
import io.godwit.api.port.client.SubscriptionAdmin.Receiver;
import io.godwit.api.port.client.SubscriptionAdmin.Receivers;
import io.godwit.api.port.client.SubscriptionAdmin.Subscription;
import io.godwit.broker.clients.node.MemoryClients;
import io.godwit.broker.clients.remote.ReceiversWire;
import io.godwit.broker.clients.remote.SubscriptionsWire;
import io.godwit.broker.clients.wire.ReceiversAnswer;
import io.godwit.broker.clients.wire.SubscriptionsAnswer;
import io.godwit.inbox.client.StoredSubscription;
import io.godwit.inbox.client.catalog.SessionCatalog.SubscriptionPage;
import io.godwit.plugin.message.Qos;
import io.godwit.plugin.topic.TopicFilter;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The receivers of a topic, queried at one of three nodes. */
@Timeout(60)
class ReceiversOverNodesTest {
    private static final Duration LONG = Duration.ofSeconds(20);
    /** For answers that do not come. */
    private static final Duration SHORT = Duration.ofMillis(1_500);

    @TempDir
    Path directory;

    @SuppressWarnings("NullAway.Init")
    private ThreeNodes nodes;

    @BeforeEach
    void open() throws Exception {
        nodes = new ThreeNodes(directory);
        nodes.connect();
        nodes.a.add("c1");
        nodes.b.add("c2", "c4");
        nodes.c.add("c3");
    }

    @AfterEach
    void close() {
        nodes.close();
    }

    private ClusterAnswer<Receivers> ask(int limit, Duration within) throws Exception {
        return nodes.receivers.receivers("default", "t", limit, within).get(30, TimeUnit.SECONDS);
    }

    private static Receiver live(String clientId, String node) {
        return new Receiver(clientId, node, false, 1, "$share/g/t");
    }

    /** Each node knows all stored sessions, which must count once. */
    @Test
    void liveOnesOfAllNodesAndStoredOnesOfThisAreListed() throws Exception {
        assertThat(ask(10, LONG))
                .isEqualTo(ClusterAnswer.complete(new Receivers(
                        List.of(
                                live("c1", "a"),
                                live("c2", "b"),
                                live("c3", "c"),
                                live("c4", "b"),
                                new Receiver("kept", "", true, 2, "")),
                        5)));
        assertThat(ask(2, LONG))
                .isEqualTo(ClusterAnswer.complete(new Receivers(List.of(live("c1", "a"), live("c2", "b")), 5)));
    }

    @Test
    void whoHasAFilterIsAskedForInTheSameWay() throws Exception {
        ClusterAnswer<Receivers> answer =
                nodes.receivers.subscribers("default", "a/+", 10, LONG).get(30, TimeUnit.SECONDS);
        assertThat(answer.value().total()).isEqualTo(5);
        assertThat(answer.value().items())
                .filteredOn(each -> !each.stored())
                .extracting(Receiver::sharedFilter)
                .containsOnly("$share/filter/a/+");
        for (String filter : List.of("", "a/#/b", "a+", "$share/g", "a\0b")) {
            assertThat(nodes.receivers.subscribers("default", filter, 10, LONG)).isCompletedExceptionally();
        }
    }

    @Test
    void aNodeThatDoesNotAnswerIsNamed() throws Exception {
        nodes.b.isSilent = true;
        ClusterAnswer<Receivers> answer = ask(10, SHORT);
        assertThat(answer.missingNodes()).containsExactly("b");
        assertThat(answer.value().total()).isEqualTo(3);
    }

    @Test
    void whatIsNoTopicOrNoListIsRefused() throws Exception {
        for (String topic : List.of("", "a/+", "#", "a\0b", "x".repeat(65_536))) {
            assertThat(nodes.receivers.receivers("default", topic, 10, LONG)).isCompletedExceptionally();
        }
        assertThat(nodes.receivers.receivers("default", "t", 0, LONG)).isCompletedExceptionally();
        assertThat(nodes.receivers.receivers("default", "t", 1_001, LONG)).isCompletedExceptionally();
        assertThat(nodes.receivers.receivers("no tenant", "t", 10, LONG))
                .isCompletedWithValue(ClusterAnswer.complete(new Receivers(List.of(), 0)));
    }

    @Test
    void anAnswerThatCannotBeIsRefused() {
        io.godwit.broker.clients.wire.Receiver good = io.godwit.broker.clients.wire.Receiver.newBuilder()
                .setClientId("c")
                .build();
        List<ReceiversAnswer> lies = List.of(
                ReceiversAnswer.newBuilder().addReceivers(good).build(),
                ReceiversAnswer.newBuilder().addReceivers(good).setTotal(-1).build(),
                ReceiversAnswer.newBuilder()
                        .addReceivers(good)
                        .addReceivers(good)
                        .setTotal(2)
                        .build(),
                ReceiversAnswer.newBuilder()
                        .addReceivers(good.toBuilder().setQos(3))
                        .setTotal(1)
                        .build(),
                ReceiversAnswer.newBuilder()
                        .addReceivers(good.toBuilder().setClientId(""))
                        .setTotal(1)
                        .build());
        for (ReceiversAnswer lie : lies) {
            assertThatThrownBy(() -> ReceiversWire.receivers(lie, 1)).isInstanceOf(IllegalArgumentException.class);
        }
    }

    private ClusterAnswer<Optional<Page<Subscription, String>>> subscriptions(String clientId, String after, int limit)
            throws Exception {
        return subscriptions(clientId, after, limit, LONG);
    }

    private ClusterAnswer<Optional<Page<Subscription, String>>> subscriptions(
            String clientId, String after, int limit, Duration within) throws Exception {
        return nodes.receivers
                .subscriptions(new ClientReference("default", clientId), after, limit, within)
                .get(30, TimeUnit.SECONDS);
    }

    private static List<TopicFilter> filters(String... texts) {
        return Stream.of(texts)
                .map(text -> TopicFilter.parse(text).orElseThrow())
                .toList();
    }

    @Test
    void theSubscriptionsOfALiveSessionComeFromItsNodeInPages() throws Exception {
        nodes.b.filters.put(MemoryClients.key("c2"), filters("b", "$share/g/a", "gone", "a/+"));
        Page<Subscription, String> first = subscriptions("c2", null, 2).value().orElseThrow();
        assertThat(first.items())
                .containsExactly(
                        new Subscription("$share/g/a", 1, true, false, 7), new Subscription("a/+", 1, true, false, 7));
        assertThat(first.next()).isEqualTo("a/+");
        Page<Subscription, String> second =
                subscriptions("c2", first.next(), 2).value().orElseThrow();
        assertThat(second.items()).extracting(Subscription::filter).containsExactly("b");
        assertThat(second.next()).isNull();
        assertThat(subscriptions("nobody", null, 2)).isEqualTo(ClusterAnswer.complete(Optional.empty()));
        assertThat(nodes.receivers.subscriptions(new ClientReference("default", "c"), null, 1_001, LONG))
                .isCompletedExceptionally();
    }

    @Test
    void thoseOfAStoredSessionComeFromTheStore() throws Exception {
        StoredSubscription stored = new StoredSubscription(filters("a/+").get(0), Qos.EXACTLY_ONCE, false, true, 1, 0);
        nodes.catalog.subscriptions =
                CompletableFuture.completedFuture(Optional.of(new SubscriptionPage(List.of(stored), true)));
        nodes.c.isSilent = true; // no part of the answer is missing, as it has no stored sessions
        assertThat(subscriptions("kept", null, 1, SHORT))
                .isEqualTo(ClusterAnswer.complete(
                        Optional.of(new Page<>(List.of(new Subscription("a/+", 2, false, true, 0)), "a/+"))));
    }

    @Test
    void whoHasNotAnsweredLeavesOpenWhetherThereIsTheClient() throws Exception {
        nodes.b.isSilent = true;
        assertThat(subscriptions("c2", null, 1, SHORT)).isEqualTo(new ClusterAnswer<>(Optional.empty(), List.of("b")));
        nodes.b.isSilent = false;
        nodes.catalog.subscriptions = new CompletableFuture<>();
        assertThatThrownBy(() -> subscriptions("c2", null, 1, SHORT)).hasCauseInstanceOf(NotServingException.class);
        nodes.b.filters.put(MemoryClients.key("c2"), filters("a"));
        assertThat(subscriptions("c2", null, 1, SHORT).value()).isPresent();
    }

    @Test
    void subscriptionsThatCannotBeAreRefused() {
        io.godwit.broker.clients.wire.Subscription good = io.godwit.broker.clients.wire.Subscription.newBuilder()
                .setFilter("b")
                .build();
        SubscriptionsAnswer.Builder found = SubscriptionsAnswer.newBuilder().setIsFound(true);
        assertThat(SubscriptionsWire.subscriptions(
                        found.clone().addSubscriptions(good).build(), "a", 1))
                .isPresent();
        for (SubscriptionsAnswer lie : List.of(
                found.clone().setHasMore(true).build(),
                found.clone().addSubscriptions(good).addSubscriptions(good).build(),
                found.clone().addSubscriptions(good.toBuilder().setFilter("a")).build(),
                found.clone().addSubscriptions(good.toBuilder().setQos(3)).build(),
                found.clone()
                        .addSubscriptions(good.toBuilder().setSubscriptionId(-1))
                        .build())) {
            assertThatThrownBy(() -> SubscriptionsWire.subscriptions(lie, "a", 1))
                    .isInstanceOf(IllegalArgumentException.class);
        }
    }
}
