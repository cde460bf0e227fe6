package io.godwit.mqtt.session;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.inbox.client.ReplayOutcome;
import io.godwit.inbox.client.StoredSubscription;
import io.godwit.kv.client.RangeException;
import io.godwit.mqtt.packet.Disconnect;
import io.godwit.mqtt.packet.Publish;
import io.godwit.mqtt.packet.Subscribe;
import io.godwit.mqtt.packet.Unsubscribe;
import io.godwit.mqtt.packet.field.RetainHandling;
import io.godwit.mqtt.packet.field.Subscription;
import io.godwit.mqtt.twin.MemoryInbox;
import io.godwit.mqtt.twin.MemoryRetain;
import io.godwit.plugin.client.TenantId;
import io.godwit.plugin.event.BrokerEvent;
import io.godwit.plugin.event.DisconnectCause;
import io.godwit.plugin.message.Message;
import io.godwit.plugin.message.MessageProperties;
import io.godwit.plugin.message.Qos;
import io.godwit.plugin.tenant.TenantSetting;
import io.godwit.plugin.tenant.TenantSettings;
import io.godwit.plugin.topic.TopicFilter;
import io.godwit.retain.client.RetainClient;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Retained messages for new subscriptions, on the test's thread with recorded packets and stores in memory. */
class RetainedReplayTest {
    private final RangeException timeout = new RangeException(RangeException.Cause.TIMEOUT, "test");

    private final SessionStage stage = new SessionStage();
    private final MemoryInbox inbox = stage.inbox;
    private final MemoryRetain retain = stage.retain;

    // ---- retained messages owed to a subscription outlive the connection

    @Test
    void theNextConnectionGetsTheRest() {
        retain(1000);
        Session first = stage.persistent();
        subscribe(first, 1, RetainHandling.SEND);
        stage.acknowledge(first, 250);
        stage.cut(first);
        List<String> got = new ArrayList<>(topics());
        List<String> gotFirst = new ArrayList<>(firstSent());

        Session second = stage.persistent();
        stage.acknowledge(second, 2000);
        got.addAll(topics());
        gotFirst.addAll(firstSent());

        assertThat(got).containsAll(topicsOf(1000));
        assertThat(gotFirst).doesNotHaveDuplicates();
        assertThat(inbox.retainedFrom("c", "r/#")).isNull();
        stage.cut(second);

        stage.persistent();
        assertThat(topics()).isEmpty();
    }

    @Test
    void aDisconnectBeforeTheFirstPageLosesNothing() {
        retain(10);
        retain.answerNextMatch(new CompletableFuture<>());
        Session first = stage.persistent();
        subscribe(first, 1, RetainHandling.SEND);
        first.onPacket(Disconnect.NORMAL);
        first.onClosed(DisconnectCause.CLIENT, "client disconnected");
        stage.runTasks();

        stage.persistent();
        assertThat(topics()).containsExactlyElementsOf(topicsOf(10));
    }

    /** A later page is fetched meanwhile; but unanswered messages may have to be sent again. */
    @Test
    void aReplayIsOverOnlyOnceAllItsMessagesAreStored() {
        retain(150);
        CompletableFuture<ReplayOutcome> slow = new CompletableFuture<>();
        inbox.answerNextReplay(slow);
        Session session = stage.persistent();
        subscribe(session, 1, RetainHandling.SEND);
        stage.acknowledge(session, 200);
        assertThat(topics()).hasSize(150);
        assertThat(inbox.retainedFrom("c", "r/#")).isEqualTo("r/00149");

        slow.complete(ReplayOutcome.STORED);
        stage.runTasks();
        assertThat(inbox.retainedFrom("c", "r/#")).isNull();
    }

    // ---- failures

    @Test
    void aRetainedMessageThatCouldNotBeStoredIsTriedAgain() {
        retain(3);
        inbox.answerNextReplay(CompletableFuture.failedFuture(timeout));
        Session session = stage.persistent();
        subscribe(session, 1, RetainHandling.SEND);
        assertThat(topics()).as("no later message is delivered before it").isEmpty();
        assertThat(inbox.retainedFrom("c", "r/#")).isEqualTo(StoredSubscription.ALL_RETAINED);
        assertThat(delays()).isEqualTo(1);

        inbox.answerNextReplay(CompletableFuture.failedFuture(timeout));
        stage.tick(session);
        assertThat(topics()).isEmpty();
        stage.tick(session);
        assertThat(topics()).containsExactlyElementsOf(topicsOf(3));
        assertThat(inbox.retainedFrom("c", "r/#")).isNull();
        assertThat(delays()).isEqualTo(2);
        assertThat(stage.connection.isOpen()).isTrue();
    }

    /**
     * The inbox has them; it has moved to another node, which finds that out when the last of them is requested again.
     */
    @ParameterizedTest
    @ValueSource(ints = {0, 1, 3})
    void whatALostHomeHadTakenIsNotGivenAgainAndHoldsUpNothing(int answered) {
        retain(150);
        List<CompletableFuture<ReplayOutcome>> lost = new ArrayList<>();
        for (int i = 0; i < 128; i++) {
            lost.add(new CompletableFuture<>());
            inbox.answerNextReplay(lost.get(i));
        }
        Session session = stage.persistent();
        subscribe(session, 1, RetainHandling.SEND);
        stage.runTasks();
        // the answers of the last ones came, those of the others are lost
        for (int i = 127; i >= 128 - answered; i--) {
            lost.get(i).complete(ReplayOutcome.STORED);
        }
        lost.forEach(answer ->
                answer.completeExceptionally(new RangeException(RangeException.Cause.LOST, "its node was killed")));
        stage.runTasks();
        stage.tick(session);
        stage.acknowledge(session, 200);
        assertThat(topics()).containsExactlyElementsOf(topicsOf(150));
        assertThat(inbox.retainedFrom("c", "r/#")).isNull();
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void aPageThatCouldNotBeReadIsAskedForAgain(boolean isClean) {
        retain(3);
        Session session = isClean ? stage.clean() : stage.persistent();
        retain.answerNextMatch(CompletableFuture.failedFuture(timeout));
        subscribe(session, 1, RetainHandling.SEND);
        assertThat(topics()).isEmpty();
        assertThat(delays()).isEqualTo(1);

        retain.answerNextMatch(CompletableFuture.failedFuture(timeout));
        stage.tick(session);
        assertThat(topics()).isEmpty();
        stage.tick(session);
        assertThat(topics()).containsExactlyElementsOf(topicsOf(3));
        assertThat(delays()).isEqualTo(2);
    }

    @Test
    void anUnsubscribedReplayIsNotTriedAgain() {
        retain(3);
        inbox.answerNextReplay(CompletableFuture.failedFuture(timeout));
        Session session = stage.persistent();
        subscribe(session, 1, RetainHandling.SEND);
        session.onPacket(new Unsubscribe(2, List.of(filter())));
        stage.runTasks();
        stage.tick(session);
        assertThat(topics()).isEmpty();
        assertThat(delays()).isEqualTo(1);

        subscribe(session, 3, RetainHandling.SEND);
        assertThat(topics()).hasSize(3);
    }

    // ---- pace

    @Test
    void outdatedOnesDoNotHoldUpTheOthers() {
        retain(1000);
        Session session = stage.persistent();
        CompletableFuture<RetainClient.Page> page = new CompletableFuture<>();
        retain.answerNextMatch(page);
        subscribe(session, 1, RetainHandling.SEND);
        for (int i = 0; i < 900; i++) {
            publish(i, "newer", 1);
            stage.acknowledge(session, 1);
        }
        page.complete(new RetainClient.Page(List.of(), "r/"));
        stage.runTasks();
        stage.acknowledge(session, 1000);
        assertThat(topics()).hasSize(1000); // without a tick
    }

    @Test
    void aRepeatedSubscriptionBeginsAgainAndReplacesTheReplayBefore() {
        retain(300);
        Session session = stage.persistent();
        subscribe(session, 1, RetainHandling.SEND);
        stage.acknowledge(session, 150);
        int before = topics().size();
        subscribe(session, 2, RetainHandling.SEND_IF_NEW); // changes nothing
        subscribe(session, 3, RetainHandling.SEND);
        stage.acknowledge(session, 1000);
        List<String> again = topics().subList(before, topics().size());
        assertThat(again).containsAll(topicsOf(300));
        assertThat(again.size()).isLessThan(300 + 150);
        assertThat(inbox.retainedFrom("c", "r/#")).isNull();
    }

    // ---- the limit of a tenant

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void noMoreThanTheTenantsLimitIsSent(boolean isClean) {
        retain(1000);
        stage.tenants()
                .replace(Map.of(
                        TenantId.DEFAULT,
                        TenantSettings.builder()
                                .set(TenantSetting.MAX_RETAINED_MATCHES, 150)
                                .build()));
        Session session = isClean ? stage.clean() : stage.persistent();
        subscribe(session, 1, RetainHandling.SEND);
        stage.acknowledge(session, 2000);
        assertThat(topics()).containsExactlyElementsOf(topicsOf(150));
        assertThat(stage.events(BrokerEvent.ReplayLimited.class, "godwit.mqtt.replays.limited"))
                .containsExactly(new BrokerEvent.ReplayLimited(session.client(), "r/#", 150));
        if (!isClean) {
            assertThat(inbox.retainedFrom("c", "r/#"))
                    .as("the next connection does not get the rest")
                    .isNull();
        }
        publish(999, "live", 1);
        assertThat(topics()).hasSize(151).endsWith(topic(999));
    }

    // ---- a large set under live updates

    /** Whatever comes in between: the client's last message of a topic is the newest one. */
    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8})
    void theLastOfEachTopicIsTheNewest(long seed) {
        Random random = new Random(seed);
        boolean isClean = seed % 2 == 0;
        int count = 1500;
        retain(count);
        Map<String, String> newest = new HashMap<>();
        Map<String, String> got = new HashMap<>();
        topicsOf(count).forEach(topic -> newest.put(topic, "old"));
        Session session = isClean ? stage.clean() : stage.persistent();
        subscribe(session, 1, RetainHandling.SEND);
        for (int i = 0; i < 2000; i++) {
            int topic = random.nextInt(count);
            publish(topic, "v" + i, 1 + random.nextInt(2));
            newest.put(topic(topic), "v" + i);
            stage.acknowledge(session, random.nextInt(4));
            if (random.nextInt(100) == 0) {
                stage.tick(session);
            }
            if (!isClean && random.nextInt(200) == 0) {
                collect(got);
                stage.cut(session);
                for (int away = random.nextInt(30); away > 0; away--) {
                    int missed = random.nextInt(count);
                    publish(missed, "away" + i + "-" + away, 1);
                    newest.put(topic(missed), "away" + i + "-" + away);
                }
                session = stage.persistent();
            }
        }
        for (int i = 0; i < 200; i++) {
            stage.acknowledge(session, 100);
            stage.tick(session);
        }
        collect(got);
        assertThat(got).as("seed %d", seed).isEqualTo(newest);
        assertThat(stage.events).noneMatch(BrokerEvent.MessageDropped.class::isInstance);
    }

    private void collect(Map<String, String> got) {
        stage.publishes()
                .forEach(publish -> got.put(publish.topic(), new String(publish.payload(), StandardCharsets.UTF_8)));
    }

    // ---- the stage

    private static String topic(int number) {
        return String.format("r/%05d", number);
    }

    private static List<String> topicsOf(int count) {
        return IntStream.range(0, count).mapToObj(RetainedReplayTest::topic).toList();
    }

    private void retain(int count) {
        for (int i = 0; i < count; i++) {
            retain.set(TenantId.DEFAULT, message(i, "old", 1));
        }
    }

    /** A retained message, first set, then distributed. */
    private void publish(int topic, String payload, int qos) {
        Message message = message(topic, payload, qos);
        retain.set(TenantId.DEFAULT, message);
        stage.dist.publisher(SessionStage.info("publisher")).publish(message, null);
        stage.runTasks();
    }

    private static Message message(int topic, String payload, int qos) {
        byte[] bytes = payload.getBytes(StandardCharsets.UTF_8);
        return new Message(topic(topic), bytes, Qos.of(qos), true, 0, MessageProperties.NONE);
    }

    private static TopicFilter filter() {
        return TopicFilter.parse("r/#").orElseThrow();
    }

    private void subscribe(Session session, int packetId, RetainHandling handling) {
        Subscription subscription = new Subscription(filter(), Qos.AT_LEAST_ONCE, false, false, handling);
        session.onPacket(new Subscribe(packetId, List.of(subscription)));
        stage.runTasks();
    }

    private List<String> topics() {
        return stage.publishes().stream().map(Publish::topic).toList();
    }

    /** Without repetitions. */
    private List<String> firstSent() {
        return stage.publishes().stream()
                .filter(publish -> !publish.dup())
                .map(Publish::topic)
                .toList();
    }

    private int delays() {
        return stage.events(BrokerEvent.ReplayDelayed.class, "godwit.mqtt.replays.delayed")
                .size();
    }
}
