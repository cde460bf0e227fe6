package io.godwit.inbox.leader;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.inbox.InboxConfig;
import io.godwit.inbox.client.AttachRequest;
import io.godwit.inbox.client.InboxMessage;
import io.godwit.inbox.client.InsertOutcome;
import io.godwit.inbox.client.InsertRequest;
import io.godwit.inbox.ledger.SentCeiling;
import io.godwit.plugin.client.ClientId;
import io.godwit.plugin.client.TenantId;
import io.godwit.plugin.event.BrokerEvent;
import io.godwit.plugin.message.Message;
import io.godwit.plugin.message.MessageProperties;
import io.godwit.plugin.message.Qos;
import java.time.Duration;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Drops by queue limits, and QoS 0 messages. */
class QueueLimitTest {
    private InboxFixture store = new InboxFixture();

    @AfterEach
    void close() {
        store.close();
    }

    @Test
    void aFullQueueDropsTheNewestByDefault() {
        restart(config(5, InboxConfig.DropPolicy.NEWEST));
        long incarnation = store.absent("a");
        List<InsertOutcome> outcomes = IntStream.range(0, 8)
                .mapToObj(i -> store.insert("a", incarnation, store.message("m" + i, 1)))
                .toList();
        assertThat(outcomes.subList(5, 8)).containsOnly(InsertOutcome.DROPPED);
        assertThat(store.dropped("queue_full_newest")).isEqualTo(3);
        assertThat(store.events).hasSize(3);
        TestConnection back = store.attach("a");
        back.attachment().request(10);
        store.host.runUntilIdle();
        assertThat(back.payloads()).containsExactlyElementsOf(names("m", 5));
    }

    /** Not for each message, and not again while its length stays near the limit. */
    @Test
    void aFullQueueIsToldOnceAndWhenItHasRoomAgain() {
        restart(config(4, InboxConfig.DropPolicy.OLDEST));
        long incarnation = store.absent("a");
        for (int i = 0; i < 10; i++) {
            store.insert("a", incarnation, store.message("m" + i, 1));
        }
        BrokerEvent began = new BrokerEvent.QueueFullBegan(TenantId.DEFAULT, new ClientId("a"));
        assertThat(store.otherEvents).containsExactly(began);

        TestConnection back = store.attach("a");
        back.attachment().request(1);
        store.host.runUntilIdle();
        store.insert("a", incarnation, store.message("still full", 1));
        assertThat(store.otherEvents).containsExactly(began);
        back.attachment().request(10);
        store.host.runUntilIdle();
        store.insert("a", incarnation, store.message("room", 1));
        assertThat(store.otherEvents)
                .containsExactly(began, new BrokerEvent.QueueFullEnded(TenantId.DEFAULT, new ClientId("a"), 6));
    }

    /** One of several sessions should get it: a full one declines, drops nothing and reports nothing. */
    @Test
    void aFullQueueDeclinesWhatAnotherMayTake() {
        restart(config(2, InboxConfig.DropPolicy.OLDEST));
        long incarnation = store.absent("a");
        List<InsertOutcome> outcomes = IntStream.range(0, 4)
                .mapToObj(i -> store.host
                        .await(store.client.insert(InboxFixture.request(
                                store.message("m" + i, 1),
                                List.of(new InsertRequest.Target(
                                        new ClientId("a"),
                                        incarnation,
                                        Qos.AT_LEAST_ONCE,
                                        false,
                                        new int[0],
                                        null,
                                        true)))))
                        .get(0))
                .toList();
        assertThat(outcomes)
                .containsExactly(
                        InsertOutcome.STORED, InsertOutcome.STORED, InsertOutcome.DECLINED, InsertOutcome.DECLINED);
        assertThat(store.events).isEmpty();
        TestConnection back = store.attach("a");
        back.attachment().request(10);
        store.host.runUntilIdle();
        assertThat(back.payloads()).containsExactly("m0", "m1");
    }

    @Test
    void aFullQueueDropsTheOldestThatWasNotSentIfSetSo() {
        restart(config(5, InboxConfig.DropPolicy.OLDEST));
        long incarnation = store.absent("a");
        for (int i = 0; i < 3; i++) {
            store.insert("a", incarnation, store.message("m" + i, 1));
        }
        TestConnection once = store.attach("a");
        once.attachment().request(2);
        store.host.runUntilIdle();
        store.detach(once);
        for (int i = 3; i < 4000; i++) {
            assertThat(store.insert("a", incarnation, store.message("m" + i, 1)))
                    .isEqualTo(InsertOutcome.STORED);
        }
        store.host.crashAndRestart();
        TestConnection back = store.attach("a");
        back.attachment().request(10);
        store.host.runUntilIdle();
        assertThat(back.payloads()).containsExactly("m0", "m1", "m3995", "m3996", "m3997", "m3998", "m3999");
        assertThat(store.dropped("queue_full_oldest")).isEqualTo(4000 - 7);
    }

    @Test
    void whatIsDroppedIsNamedByItsOwnTopic() {
        restart(config(2, InboxConfig.DropPolicy.OLDEST));
        long incarnation = store.absent("a");
        insertOn(incarnation, 1, "t/0", 5);
        insertOn(incarnation, 1, "t/1", 20_000); // a large message
        insertOn(incarnation, 1, "t/2", 5);
        store.host.crashAndRestart();
        insertOn(incarnation, 1, "t/3", 5);
        insertOn(incarnation, 1, "t/4", 5);
        assertThat(store.droppedTopics()).containsExactly("t/0", "t/1", "t/2");

        restart(config(2, InboxConfig.DropPolicy.NEWEST));
        long other = store.absent("a");
        for (int i = 0; i < 3; i++) {
            insertOn(other, 1, "t/" + i, 5);
        }
        assertThat(store.droppedTopics()).containsExactly("t/2");
    }

    @Test
    void everyMessageThatEndsWithItsSessionIsNamed() {
        long incarnation = store.absent("a");
        insertOn(incarnation, 1, "t/0", 20_000);
        insertOn(incarnation, 0, "t/1", 5);
        store.host.crashAndRestart();
        insertOn(incarnation, 2, "t/2", 5);
        store.attach("a", true, AttachRequest.NEVER, null);
        assertThat(store.droppedTopics()).containsExactly("t/0", "t/1", "t/2");
        assertThat(store.dropped("session_ended")).isEqualTo(3);
    }

    @Test
    void theOldestQos0IsNamed() {
        long incarnation = store.absent("a");
        insertOn(incarnation, 0, "first", 5);
        for (int i = 0; i < 100; i++) {
            insertOn(incarnation, 0, "later", 5);
        }
        assertThat(store.droppedTopics()).containsExactly("first");
    }

    @Test
    void qos0ThatWaitsForAConnectionIsNotGivenUpInSilence() {
        TestConnection connection = store.attach("a", false, 0, null);
        long incarnation = connection.reply.incarnation();
        insertOn(incarnation, 1, "t/1", 5);
        insertOn(incarnation, 0, "t/0", 5);
        store.detach(connection);
        assertThat(store.droppedTopics()).containsExactlyInAnyOrder("t/1", "t/0");

        TestConnection deleted = store.attach("b");
        insertOn("b", deleted.reply.incarnation(), 1, "t/1", 5);
        insertOn("b", deleted.reply.incarnation(), 0, "t/0", 5);
        store.host.await(store.client.delete(TenantId.DEFAULT, new ClientId("b")));
        assertThat(store.dropped("session_ended")).isEqualTo(4);

        TestConnection cut = store.attach("c");
        insertOn("c", cut.reply.incarnation(), 1, "t/1", 5);
        insertOn("c", cut.reply.incarnation(), 0, "t/0", 5);
        store.host.changeLeaders();
        assertThat(store.dropped("leadership_lost")).isEqualTo(1);
        assertThat(store.dropped("store_failed")).isZero();
    }

    private void insertOn(long incarnation, int qos, String topic, int bytes) {
        insertOn("a", incarnation, qos, topic, bytes);
    }

    private void insertOn(String clientId, long incarnation, int qos, String topic, int bytes) {
        store.insert(clientId, incarnation, store.message(topic, "x".repeat(bytes), qos, -1));
    }

    @Test
    void aCrashDoesNotEmptyTheQueueOfAClientThatHadStopped() {
        restart(config(5, InboxConfig.DropPolicy.NEWEST));
        TestConnection connection = store.attach("a");
        long incarnation = connection.reply.incarnation();
        connection.attachment().request(2);
        store.insert("a", incarnation, store.message("m0", 1));
        store.insert("a", incarnation, store.message("m1", 2));
        assertThat(connection.payloads()).containsExactly("m0", "m1");
        store.host.advanceMillis(SentCeiling.STOPPED_MILLIS);
        for (int i = 2; i < 7; i++) {
            assertThat(store.insert("a", incarnation, store.message("m" + i, 1)))
                    .isEqualTo(InsertOutcome.STORED);
        }
        assertThat(store.insert("a", incarnation, store.message("full", 1))).isEqualTo(InsertOutcome.DROPPED);
        for (int restarts = 0; restarts < 2; restarts++) {
            store.host.crashAndRestart();
            assertThat(store.insert("a", incarnation, store.message("full", 1))).isEqualTo(InsertOutcome.DROPPED);
        }
        TestConnection back = store.attach("a");
        back.attachment().request(10);
        store.host.runUntilIdle();
        assertThat(back.payloads()).containsExactlyElementsOf(names("m", 7));
        assertThat(back.delivered.stream().map(InboxMessage::redelivered))
                .containsExactly(true, true, false, false, false, false, false);
    }

    @Test
    void whatWaitedForAConnectionThatAskedForNothingIsNewAfterACrash() {
        TestConnection connection = store.attach("a");
        for (int i = 0; i < 3; i++) {
            store.insert("a", connection.reply.incarnation(), store.message("m" + i, 1));
        }
        store.host.crashAndRestart();
        TestConnection back = store.attach("a");
        back.attachment().request(10);
        store.host.runUntilIdle();
        assertThat(back.payloads()).containsExactlyElementsOf(names("m", 3));
        assertThat(back.delivered).noneMatch(InboxMessage::redelivered);
    }

    @Test
    void aClientThatWorksThroughALongQueueIsDeemedToHaveSeenLittleMoreThanItHas() {
        restart(config(100_000, InboxConfig.DropPolicy.NEWEST));
        long incarnation = store.absent("a");
        for (int i = 0; i < 5000; i++) {
            store.insertLater("a", incarnation, store.message("m" + i, 1));
        }
        TestConnection connection = store.attach("a");
        long entries = store.host.appliedEntries();
        connection.attachment().request(20);
        int sent = 0;
        while (sent < 3000) {
            store.host.runUntilIdle();
            assertThat(connection.delivered).isNotEmpty();
            int taken = connection.delivered.size();
            connection.acknowledgeAll();
            connection.take();
            connection.attachment().request(taken);
            sent += taken;
        }
        store.host.runUntilIdle();
        int inflight = connection.delivered.size();
        assertThat(store.host.appliedEntries() - entries).isLessThan(10 + sent * 2L / SentCeiling.MOST_AHEAD);
        store.host.crashAndRestart();
        TestConnection back = store.attach("a");
        back.attachment().request(5000);
        store.host.runUntilIdle();
        assertThat(back.payloads()).endsWith("m4999");
        // acknowledgements of the last second may have died with the process
        long repeated =
                back.delivered.stream().filter(InboxMessage::redelivered).count();
        long lastSent = 5000 - back.delivered.size() + repeated;
        assertThat(lastSent).isBetween((long) sent + inflight, (long) sent + inflight + SentCeiling.MOST_AHEAD);
    }

    @Test
    void messagesOnTheirWayToTheDiskDoNotFillTheQueueOfAClientThatTakesThem() {
        restart(config(5, InboxConfig.DropPolicy.NEWEST));
        TestConnection connection = store.attach("a");
        connection.attachment().request(1000);
        store.host.runUntilIdle();
        for (int i = 0; i < 50; i++) {
            store.insertLater("a", connection.reply.incarnation(), store.message("m" + i, 1));
        }
        store.host.runUntilIdle();
        assertThat(connection.payloads()).containsExactlyElementsOf(names("m", 50));
    }

    @Test
    void qos0IsNeverStoredForACaughtUpSession() {
        TestConnection connection = store.attach("a");
        connection.attachment().request(1);
        store.host.runUntilIdle();
        long entries = store.host.appliedEntries();
        assertThat(store.insert("a", connection.reply.incarnation(), store.message("m", 0)))
                .isEqualTo(InsertOutcome.STORED);
        assertThat(connection.payloads()).containsExactly("m");
        assertThat(connection.delivered.get(0).packetId()).isZero();
        assertThat(store.host.appliedEntries()).isEqualTo(entries);
    }

    @Test
    void nothingIsDeliveredBeforeTheFirstRequest() {
        TestConnection connection = store.attach("a");
        long incarnation = connection.reply.incarnation();
        store.insert("a", incarnation, store.message("m0", 0));
        store.insert("a", incarnation, store.message("m1", 1));
        assertThat(connection.delivered).isEmpty();
        connection.attachment().request(1);
        store.host.runUntilIdle();
        assertThat(connection.payloads()).containsExactly("m0", "m1");
    }

    @Test
    void qos0DoesNotOvertakeWhatIsQueuedBeforeIt() {
        TestConnection connection = store.attach("a");
        long incarnation = connection.reply.incarnation();
        store.insert("a", incarnation, store.message("m0", 1));
        store.insert("a", incarnation, store.message("m1", 0));
        store.insert("a", incarnation, store.message("m2", 1));
        store.insert("a", incarnation, store.message("m3", 0));
        assertThat(connection.delivered).isEmpty();
        connection.attachment().request(1);
        store.host.runUntilIdle();
        assertThat(connection.payloads()).containsExactly("m0", "m1");
        connection.attachment().request(1);
        store.host.runUntilIdle();
        assertThat(connection.payloads()).containsExactlyElementsOf(names("m", 4));
    }

    @Test
    void qos0IsKeptForADetachedSessionUpToItsLimit() {
        long incarnation = store.absent("a");
        for (int i = 0; i < 103; i++) {
            store.insert("a", incarnation, store.message("m" + i, 0));
        }
        assertThat(store.dropped("queue_full_oldest")).isEqualTo(3);
        store.host.crashAndRestart();
        TestConnection back = store.attach("a");
        back.attachment().request(1);
        store.host.runUntilIdle();
        assertThat(back.payloads()).containsExactlyElementsOf(names("m", 103).subList(3, 103));
    }

    @Test
    void qos0PlacesOfAConnectionThatEndsAreKeptForTheNext() {
        TestConnection connection = store.attach("a");
        long incarnation = connection.reply.incarnation();
        store.insert("a", incarnation, store.message("m0", 1));
        store.insert("a", incarnation, store.message("m1", 0));
        store.detach(connection);
        store.host.crashAndRestart();
        TestConnection back = store.attach("a");
        back.attachment().request(1);
        store.host.runUntilIdle();
        assertThat(back.payloads()).containsExactly("m0", "m1");
    }

    @Test
    void anExpiredMessageIsSkippedAndCounted() {
        long incarnation = store.absent("a");
        store.insert("a", incarnation, store.message("t", "m0", 1, 10));
        store.insert("a", incarnation, store.message("t", "m1", 1, 100));
        store.host.advanceMillis(10_000);
        TestConnection back = store.attach("a");
        back.attachment().request(1);
        store.host.runUntilIdle();
        assertThat(back.payloads()).containsExactly("m1");
        assertThat(store.dropped("expired")).isEqualTo(1);
        assertThat(store.insert("a", incarnation, expired())).isEqualTo(InsertOutcome.DROPPED);
    }

    private void restart(InboxConfig config) {
        store.close();
        store = new InboxFixture(config, 1);
    }

    private static InboxConfig config(int limit, InboxConfig.DropPolicy policy) {
        return new InboxConfig(limit, policy, true, 100, Duration.ofSeconds(AttachRequest.NEVER), false);
    }

    private Message expired() {
        return new Message(
                "t",
                new byte[0],
                Qos.AT_LEAST_ONCE,
                false,
                store.host.nowMillis() - 2000,
                new MessageProperties(-1, 1, null, null, null, List.of()));
    }

    private static List<String> names(String prefix, int count) {
        return IntStream.range(0, count).mapToObj(i -> prefix + i).toList();
    }
}
