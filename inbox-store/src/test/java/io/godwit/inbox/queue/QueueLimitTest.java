package io.godwit.inbox.queue;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.inbox.InboxConfig;
import io.godwit.inbox.client.AttachRequest;
import io.godwit.inbox.client.InsertOutcome;
import io.godwit.inbox.client.InsertRequest;
import io.godwit.plugin.client.ClientId;
import io.godwit.plugin.message.Message;
import io.godwit.plugin.message.MessageProperties;
import io.godwit.plugin.message.Qos;
import java.time.Duration;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** What a queue gives up, and what becomes of QoS 0. */
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

    /** Of several sessions one shall get it: a full one says so, drops nothing and reports nothing. */
    @Test
    void aFullQueueDeclinesWhatAnotherMayTake() {
        restart(config(2, InboxConfig.DropPolicy.OLDEST));
        long incarnation = store.absent("a");
        List<InsertOutcome> outcomes = IntStream.range(0, 4)
                .mapToObj(i -> store.host
                        .await(store.client.insert(InboxFixture.request(
                                store.message("m" + i, 1),
                                List.of(new InsertRequest.Target(
                                        new ClientId("a"), incarnation, Qos.AT_LEAST_ONCE, false, new int[0], true)))))
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
