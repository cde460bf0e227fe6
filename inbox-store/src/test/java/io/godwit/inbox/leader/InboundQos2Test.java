package io.godwit.inbox.leader;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.inbox.client.AttachRequest;
import io.godwit.inbox.client.InboxAttachment.Inbound;
import io.godwit.inbox.leader.qos.InboundHandler;
import io.godwit.plugin.message.Message;
import io.godwit.plugin.message.MessageProperties;
import io.godwit.plugin.message.Qos;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Messages of QoS 2 that a client publishes: each is distributed under one token until the client releases it. */
class InboundQos2Test {
    private final InboxFixture store = new InboxFixture();

    @AfterEach
    void close() {
        store.close();
    }

    @Test
    void anInboundMessageKeepsItsTokenUntilItIsReleased() {
        TestConnection connection = store.attach("a");
        Inbound first = store.host.await(connection.attachment().receive(7, store.message("m", 2)));
        assertThat(first.isDistributed()).isFalse();
        assertThat(first.tokenFinishedBelow()).isEqualTo(first.tokenNumber());

        Inbound again = store.host.await(connection.attachment().receive(7, store.message("other", 2)));
        assertThat(again.isDistributed()).isFalse();
        assertThat(again.tokenNumber()).isEqualTo(first.tokenNumber());
        assertThat(again.tokenOrigin()).isEqualTo(first.tokenOrigin());
        assertThat(new String(again.message().payload(), StandardCharsets.UTF_8))
                .isEqualTo("m");

        store.host.await(connection.attachment().distributed(7, first.tokenNumber()));
        assertThat(store.host
                        .await(connection.attachment().receive(7, store.message("m", 2)))
                        .isDistributed())
                .isTrue();
        assertThat(store.host.await(connection.attachment().release(7))).isTrue();
        assertThat(store.host.await(connection.attachment().release(7))).isFalse();
        Inbound next = store.host.await(connection.attachment().receive(7, store.message("n", 2)));
        assertThat(next.isDistributed()).isFalse();
        assertThat(next.tokenNumber()).isGreaterThan(first.tokenNumber());
        assertThat(next.tokenFinishedBelow()).isEqualTo(next.tokenNumber());
    }

    @Test
    void receivedPacketIdsSurviveReconnectAndRestart() {
        TestConnection connection = store.attach("a");
        for (int packetId : new int[] {9, 3}) {
            Inbound stored = store.host.await(connection.attachment().receive(packetId, store.message("m", 2)));
            store.host.await(connection.attachment().distributed(packetId, stored.tokenNumber()));
        }
        store.detach(connection);
        assertThat(store.attach("a").reply.inbound()).containsExactly(3, 9);
        store.host.crashAndRestart();
        TestConnection back = store.attach("a");
        assertThat(back.reply.inbound()).containsExactly(3, 9);
        assertThat(store.published).isEmpty();
    }

    @Test
    void undistributedMessagesAreResumedInOrderAfterACrash() {
        TestConnection connection = store.attach("a");
        Inbound one = store.host.await(connection.attachment().receive(5, store.message("one", 2)));
        Inbound two = store.host.await(connection.attachment().receive(2, store.message("two", 2)));
        store.publishAnswer = false;
        store.host.crashAndRestart();
        store.host.runUntilIdle();
        assertThat(store.published)
                .extracting(InboxFixture.Published::number)
                .containsExactly(one.tokenNumber(), two.tokenNumber());

        // the client is back and repeats the first: it is answered only when that is decided
        TestConnection back = store.attach("a");
        CompletableFuture<Inbound> repeated = back.attachment().receive(5, store.message("one", 2));
        store.host.runUntilIdle();
        assertThat(repeated).isNotDone();
        store.publishAnswer = true;
        store.host.advanceMillis(5000);
        assertThat(store.published)
                .extracting(InboxFixture.Published::number)
                .containsExactly(one.tokenNumber(), two.tokenNumber(), one.tokenNumber(), two.tokenNumber());
        assertThat(store.published).extracting(InboxFixture.Published::origin).containsOnly(one.tokenOrigin());
        assertThat(store.host.await(repeated).isDistributed()).isTrue();
        assertThat(store.finished)
                .extracting(InboxFixture.Finished::number)
                .containsExactly(one.tokenNumber(), two.tokenNumber());
        store.host.crashAndRestart();
        store.host.advanceMillis(60_000);
        assertThat(store.published).hasSize(4);
    }

    @Test
    void aRetainedMessageIsResumedAlone() {
        TestConnection connection = store.attach("a");
        for (int packetId = 1; packetId <= 5; packetId++) {
            boolean retain = packetId == 3;
            Message message =
                    new Message("t", new byte[] {(byte) packetId}, Qos.EXACTLY_ONCE, retain, 0, MessageProperties.NONE);
            store.host.await(connection.attachment().receive(packetId, message));
        }
        store.publishAnswer = null;
        store.host.crashAndRestart();
        store.host.runUntilIdle();
        assertThat(resumed()).containsExactly(1, 2);
        store.answerPublishes(true);
        assertThat(resumed()).containsExactly(1, 2, 3);
        store.answerPublishes(true);
        assertThat(resumed()).containsExactly(1, 2, 3, 4, 5);
    }

    private List<Integer> resumed() {
        return store.published.stream()
                .map(published -> (int) published.message().payload()[0])
                .toList();
    }

    @Test
    void aResumedMessageKeepsItsTokenUntilItsMarkIsCommitted() {
        TestConnection connection = store.attach("a");
        Inbound one = store.host.await(connection.attachment().receive(5, store.message("one", 2)));
        Inbound two = store.host.await(connection.attachment().receive(2, store.message("two", 2)));
        store.host.crashAndRestart();
        store.host.runUntilIdle();
        assertThat(store.published)
                .extracting(InboxFixture.Published::number)
                .containsExactly(one.tokenNumber(), two.tokenNumber());
        assertThat(store.published.get(1).finishedBelow()).isEqualTo(one.tokenNumber());
    }

    @Test
    void aTokenIsFinishedOnlyAfterItsMarkIsCommitted() {
        TestConnection connection = store.attach("a");
        Inbound one = store.host.await(connection.attachment().receive(5, store.message("one", 2)));
        store.host.await(connection.attachment().receive(2, store.message("two", 2)));
        store.host.holdCommits();
        CompletableFuture<Void> marked = connection.attachment().distributed(5, one.tokenNumber());
        CompletableFuture<Inbound> repeated = connection.attachment().receive(2, store.message("two", 2));
        store.host.runUntilIdle();
        assertThat(marked).isNotDone();
        assertThat(repeated.join().tokenFinishedBelow()).isEqualTo(one.tokenNumber());
        assertThat(store.finished).isEmpty();
        store.host.releaseCommits();
        store.host.await(marked);
        assertThat(store.finished)
                .containsExactly(new InboxFixture.Finished("t/1", one.tokenOrigin(), one.tokenNumber()));
        Inbound after = store.host.await(connection.attachment().receive(2, store.message("two", 2)));
        assertThat(after.tokenFinishedBelow()).isEqualTo(after.tokenNumber());
    }

    @Test
    void aDetachedSessionsMessageIsDistributedAfterTheGracePeriod() {
        TestConnection connection = store.attach("a");
        Inbound stored = store.host.await(connection.attachment().receive(5, store.message("m", 2)));
        store.detach(connection);
        store.host.advanceMillis(InboundHandler.GRACE_MILLIS - 1);
        assertThat(store.published).isEmpty();
        store.host.advanceMillis(1);
        assertThat(store.published).extracting(InboxFixture.Published::number).containsExactly(stored.tokenNumber());
        store.host.crashAndRestart();
        store.host.advanceMillis(60_000);
        assertThat(store.published).hasSize(1);

        TestConnection back = store.attach("a");
        assertThat(store.host
                        .await(back.attachment().receive(5, store.message("m", 2)))
                        .isDistributed())
                .isTrue();
    }

    @Test
    void aDetachedSessionsMessageIsRetriedLessOftenUntilTheSessionEnds() {
        TestConnection connection = store.attach("a", false, 3600, null);
        store.host.await(connection.attachment().receive(5, store.message("m", 2)));
        store.detach(connection);
        store.publishAnswer = false;
        store.host.advanceMillis(600_000);
        assertThat(store.published).hasSizeBetween(20, 30);
        store.host.advanceMillis(3_600_000);
        int tries = store.published.size();
        store.host.advanceMillis(600_000);
        assertThat(store.published).hasSize(tries);
    }

    @Test
    void aClientThatReturnsFinishesItsMessageItself() {
        TestConnection connection = store.attach("a");
        Inbound stored = store.host.await(connection.attachment().receive(5, store.message("m", 2)));
        store.detach(connection);
        TestConnection back = store.attach("a");
        store.host.advanceMillis(60_000);
        assertThat(store.published).isEmpty();
        assertThat(store.host
                        .await(back.attachment().receive(5, store.message("m", 2)))
                        .tokenNumber())
                .isEqualTo(stored.tokenNumber());
    }

    @Test
    void aDistributionThatEndsAfterItsConnectionIsMarkedAsDone() {
        TestConnection connection = store.attach("a");
        Inbound stored = store.host.await(connection.attachment().receive(5, store.message("m", 2)));
        store.detach(connection);
        store.host.await(connection.attachment().distributed(5, stored.tokenNumber()));
        store.host.advanceMillis(60_000);
        assertThat(store.published).isEmpty();
        TestConnection back = store.attach("a");
        assertThat(store.host
                        .await(back.attachment().receive(5, store.message("m", 2)))
                        .isDistributed())
                .isTrue();
    }

    @Test
    void aLateMarkAppliesOnlyToItsOwnMessage() {
        TestConnection connection = store.attach("a");
        Inbound first = store.host.await(connection.attachment().receive(5, store.message("m", 2)));
        TestConnection next = store.attach("a");
        store.host.await(next.attachment().release(5));
        store.host.await(next.attachment().receive(5, store.message("n", 2)));
        store.host.await(connection.attachment().distributed(5, first.tokenNumber()));
        assertThat(store.host
                        .await(next.attachment().receive(5, store.message("n", 2)))
                        .isDistributed())
                .isFalse();

        TestConnection clean = store.attach("a", true, AttachRequest.NEVER, null);
        Inbound again = store.host.await(clean.attachment().receive(5, store.message("o", 2)));
        store.host.await(next.attachment().distributed(5, again.tokenNumber()));
        assertThat(store.host
                        .await(clean.attachment().receive(5, store.message("o", 2)))
                        .isDistributed())
                .isFalse();
    }

    @Test
    void aRepeatedReleaseWaitsForTheCommitOfTheFirst() {
        TestConnection connection = store.attach("a");
        Inbound stored = store.host.await(connection.attachment().receive(5, store.message("m", 2)));
        store.host.await(connection.attachment().distributed(5, stored.tokenNumber()));
        store.host.holdCommits();
        CompletableFuture<Boolean> first = connection.attachment().release(5);
        CompletableFuture<Boolean> second = connection.attachment().release(5);
        store.host.runUntilIdle();
        assertThat(first).isNotDone();
        assertThat(second).isNotDone();
        store.host.releaseCommits();
        assertThat(store.host.await(first)).isTrue();
        assertThat(store.host.await(second)).isFalse();
    }

    @Test
    void aCleanStartForgetsInboundPacketIds() {
        TestConnection connection = store.attach("a");
        store.host.await(connection.attachment().receive(5, store.message("m", 2)));
        TestConnection clean = store.attach("a", true, AttachRequest.NEVER, null);
        assertThat(clean.reply.inbound()).isEmpty();
        store.host.crashAndRestart();
        store.host.runUntilIdle();
        assertThat(store.published).isEmpty();
    }
}
