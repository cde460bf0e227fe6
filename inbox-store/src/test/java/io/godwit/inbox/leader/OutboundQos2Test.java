package io.godwit.inbox.leader;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.conformance.Clause;
import io.godwit.inbox.client.InboxMessage;
import io.godwit.kv.client.RangeException;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Messages of QoS 2 to a client: one that was received is released, and not sent again. */
class OutboundQos2Test {
    private final InboxFixture store = new InboxFixture();

    @AfterEach
    void close() {
        store.close();
    }

    @Test
    @Clause({"MQTT5-4.3.3-5", "MQTT5-4.3.3-6"})
    void aReceivedMessageIsReleasedAndNotSentAgain() {
        TestConnection connection = store.attach("a");
        connection.attachment().request(10);
        store.insert("a", connection.reply.incarnation(), store.message("m", 2));
        InboxMessage sent = connection.take().get(0);
        store.host.await(connection.attachment().received(sent.sequence()));
        store.host.crashAndRestart();

        for (int restarts = 0; restarts < 2; restarts++) {
            TestConnection back = store.attach("a");
            back.attachment().request(10);
            store.host.runUntilIdle();
            assertThat(back.delivered).hasSize(1);
            InboxMessage released = back.delivered.get(0);
            assertThat(released.released()).isTrue();
            assertThat(released.packetId()).isEqualTo(sent.packetId());
            assertThat(released.message().payload()).isEmpty();
            if (restarts > 0) {
                back.attachment().complete(released.sequence());
            }
            store.detach(back);
            store.host.crashAndRestart();
        }
        TestConnection last = store.attach("a");
        last.attachment().request(10);
        store.host.runUntilIdle();
        assertThat(last.delivered).isEmpty();
    }

    @Test
    void pubrelMayOnlyFollowACommittedMark() {
        TestConnection connection = store.attach("a");
        connection.attachment().request(10);
        store.insert("a", connection.reply.incarnation(), store.message("m", 2));
        store.host.holdCommits();
        CompletableFuture<Void> received =
                connection.attachment().received(connection.delivered.get(0).sequence());
        store.host.runUntilIdle();
        assertThat(received).isNotDone();
        store.host.crashAndRestart();
        assertThat(received).isCompletedExceptionally();
        TestConnection back = store.attach("a");
        back.attachment().request(10);
        store.host.runUntilIdle();
        assertThat(back.delivered.get(0).released()).isFalse();
        assertThat(back.delivered.get(0).redelivered()).isTrue();
    }

    @Test
    void aMarkThatCouldNotBeWrittenIsTakenBack() {
        TestConnection connection = store.attach("a");
        connection.attachment().request(10);
        store.insert("a", connection.reply.incarnation(), store.message("m", 2));
        store.host.failWrites(RangeException.Cause.DISK_FULL);
        CompletableFuture<Void> received =
                connection.attachment().received(connection.delivered.get(0).sequence());
        store.host.runUntilIdle();
        assertThat(received).isCompletedExceptionally();
        store.host.acceptWrites();
        TestConnection back = store.attach("a");
        back.attachment().request(10);
        store.host.runUntilIdle();
        assertThat(back.delivered.get(0).released()).isFalse();
    }

    @Test
    @Clause("MQTT5-4.3.3-7")
    void anExpiredMessageIsFinishedOnlyIfItsFlowHasNotBegun() {
        long incarnation = store.absent("a");
        store.insert("a", incarnation, store.message("t", "begun", 2, 10));
        TestConnection first = store.attach("a");
        first.attachment().request(1);
        store.insert("a", incarnation, store.message("t", "not begun", 2, 10));
        assertThat(first.payloads()).containsExactly("begun");
        store.detach(first);
        store.host.advanceMillis(20_000);
        store.host.crashAndRestart();
        TestConnection back = store.attach("a");
        back.attachment().request(10);
        store.host.runUntilIdle();
        assertThat(back.payloads()).containsExactly("begun");
        assertThat(store.dropped("expired")).isOne();
    }
}
