package io.godwit.inbox.leader;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.godwit.conformance.Clause;
import io.godwit.inbox.InboxConfig;
import io.godwit.inbox.client.AttachRequest;
import io.godwit.inbox.client.InboxListener;
import io.godwit.inbox.client.InboxMessage;
import io.godwit.inbox.client.InsertOutcome;
import io.godwit.inbox.client.InsertRequest;
import io.godwit.inbox.format.InboxKeys;
import io.godwit.inbox.leader.queue.Batch;
import io.godwit.kv.client.RangeException;
import io.godwit.plugin.message.Message;
import io.godwit.plugin.message.MessageProperties;
import io.godwit.plugin.message.Qos;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class QueueTest {
    private InboxFixture store = new InboxFixture();

    @AfterEach
    void close() {
        store.close();
    }

    @Test
    void messagesForAnAbsentSessionAreDeliveredInOrderWhenItReturns() {
        long incarnation = store.absent("a");
        for (int i = 0; i < 10; i++) {
            assertThat(store.insert("a", incarnation, store.message("m" + i, 1)))
                    .isEqualTo(InsertOutcome.STORED);
        }

        TestConnection back = store.attach("a");
        assertThat(back.reply.sessionPresent()).isTrue();
        assertThat(back.reply.subscriptions()).hasSize(1);
        back.attachment().request(100);
        store.host.runUntilIdle();

        assertThat(back.payloads()).containsExactlyElementsOf(names("m", 10));
        assertThat(back.delivered).noneMatch(InboxMessage::redelivered);
        assertThat(back.delivered).allMatch(m -> m.packetId() == 1 + m.sequence() % 65_535);
    }

    @Test
    void nothingIsAnsweredBeforeItIsCommitted() {
        long incarnation = store.absent("a");
        store.host.holdCommits();
        CompletableFuture<List<InsertOutcome>> answer = store.insertLater("a", incarnation, store.message("m", 1));
        store.host.runUntilIdle();
        assertThat(answer).isNotDone();

        store.host.releaseCommits();
        assertThat(store.host.await(answer)).containsExactly(InsertOutcome.STORED);
    }

    @Test
    void anAcknowledgedMessageSurvivesACrash() {
        long incarnation = store.absent("a");
        store.insert("a", incarnation, store.message("m", 1));
        store.host.crashAndRestart();

        TestConnection back = store.attach("a");
        back.attachment().request(10);
        store.host.runUntilIdle();
        assertThat(back.payloads()).containsExactly("m");
        assertThat(back.reply.incarnation()).isEqualTo(incarnation);
    }

    @Test
    void aCaughtUpSessionGetsItsMessagesWithoutAReadOfTheStore() {
        TestConnection connection = store.attach("a");
        connection.attachment().request(100);
        store.host.runUntilIdle();
        store.host.holdReads();
        for (int i = 0; i < 5; i++) {
            store.insert("a", connection.reply.incarnation(), store.message("m" + i, 1));
        }
        assertThat(connection.payloads()).containsExactlyElementsOf(names("m", 5));
    }

    @Test
    void noMoreIsDeliveredThanWasRequested() {
        long incarnation = store.absent("a");
        for (int i = 0; i < 20; i++) {
            store.insert("a", incarnation, store.message("m" + i, 1 + i % 2));
        }
        TestConnection back = store.attach("a");
        store.host.runUntilIdle();
        assertThat(back.delivered).isEmpty();
        back.attachment().request(3);
        store.host.runUntilIdle();
        assertThat(back.payloads()).containsExactlyElementsOf(names("m", 3));
        back.attachment().request(4);
        store.host.runUntilIdle();
        assertThat(back.payloads()).containsExactlyElementsOf(names("m", 7));
    }

    @Test
    void aLongQueueIsFedInPagesAndCaughtUpWithWhileItGrows() {
        restart(config(100_000, InboxConfig.DropPolicy.NEWEST));
        long incarnation = store.absent("a");
        for (int i = 0; i < 1000; i++) {
            store.insertLater("a", incarnation, store.message("m" + i, 1));
        }
        TestConnection back = store.attach("a");
        back.attachment().request(100_000);
        for (int i = 1000; i < 3000; i++) {
            store.insertLater("a", incarnation, store.message("m" + i, 1));
        }
        store.host.runUntilIdle();
        assertThat(back.payloads()).containsExactlyElementsOf(names("m", 3000));
    }

    @Test
    @Clause({"MQTT5-4.4.0-1", "MQTT5-4.6.0-1"})
    void unacknowledgedMessagesComeAgainWithTheirPacketIdsAndAreMarked() {
        long incarnation = store.absent("a");
        for (int i = 0; i < 4; i++) {
            store.insert("a", incarnation, store.message("m" + i, 1));
        }
        TestConnection first = store.attach("a");
        first.attachment().request(3);
        store.host.runUntilIdle();
        List<InboxMessage> sent = first.take();
        first.attachment().acknowledge(new long[] {sent.get(1).sequence()});
        store.detach(first);

        for (int restarts = 0; restarts < 2; restarts++) {
            TestConnection back = store.attach("a");
            back.attachment().request(10);
            store.host.runUntilIdle();
            assertThat(back.payloads()).containsExactly("m0", "m2", "m3");
            assertThat(back.delivered.stream().map(InboxMessage::packetId).limit(2))
                    .containsExactly(sent.get(0).packetId(), sent.get(2).packetId());
            // the last was sent by this connection only, so it is a repetition in the second round
            assertThat(back.delivered.stream().map(InboxMessage::redelivered))
                    .containsExactly(true, true, restarts > 0);
            store.detach(back);
            store.host.crashAndRestart();
        }
    }

    @Test
    void whatMayHaveBeenSentBeforeACrashIsMarked() {
        TestConnection connection = store.attach("a");
        connection.attachment().request(10);
        store.insert("a", connection.reply.incarnation(), store.message("m", 1));
        assertThat(connection.take()).hasSize(1);
        store.host.crashAndRestart();

        store.insert("a", connection.reply.incarnation(), store.message("after", 1));
        TestConnection back = store.attach("a");
        back.attachment().request(10);
        store.host.runUntilIdle();
        assertThat(back.payloads()).containsExactly("m", "after");
        assertThat(back.delivered.stream().map(InboxMessage::redelivered)).containsExactly(true, false);
    }

    @Test
    void acknowledgedMessagesDoNotComeBack() {
        TestConnection connection = store.attach("a");
        connection.attachment().request(100);
        for (int i = 0; i < 10; i++) {
            store.insert("a", connection.reply.incarnation(), store.message("m" + i, 1));
        }
        connection.acknowledgeAll();
        store.detach(connection);
        store.host.crashAndRestart();

        TestConnection back = store.attach("a");
        back.attachment().request(10);
        store.host.runUntilIdle();
        assertThat(back.delivered).isEmpty();
    }

    @Test
    void acknowledgementsCostNoEntryOfTheirOwn() {
        TestConnection connection = store.attach("a");
        connection.attachment().request(100);
        store.insert("a", connection.reply.incarnation(), store.message("m", 1));
        long entries = store.host.appliedEntries();
        connection.acknowledgeAll();
        store.host.runUntilIdle();
        assertThat(store.host.appliedEntries()).isEqualTo(entries);

        store.insert("a", connection.reply.incarnation(), store.message("n", 1));
        store.host.crashAndRestart();
        TestConnection back = store.attach("a");
        back.attachment().request(10);
        store.host.runUntilIdle();
        assertThat(back.payloads()).containsExactly("n");
    }

    @Test
    void anIdleBrokerWritesItsAcknowledgementsAfterAWhile() {
        TestConnection connection = store.attach("a");
        connection.attachment().request(100);
        store.insert("a", connection.reply.incarnation(), store.message("m", 1));
        connection.acknowledgeAll();
        store.host.runUntilIdle();
        store.host.advanceMillis(2000);
        store.host.crashAndRestart();
        TestConnection back = store.attach("a");
        back.attachment().request(10);
        store.host.runUntilIdle();
        assertThat(back.delivered).isEmpty();
    }

    @Test
    void finishedRunsAreDeletedAndReadsStillFindTheRest() {
        TestConnection connection = store.attach("a");
        connection.attachment().request(100_000);
        for (int i = 0; i < 500; i++) {
            store.insert("a", connection.reply.incarnation(), store.message("m" + i, 1));
            if (i < 497) {
                connection
                        .attachment()
                        .acknowledge(new long[] {connection.delivered.get(i).sequence()});
            }
        }
        store.detach(connection);
        assertThat(store.stored("a", InboxKeys.RUN)).isLessThan(Batch.TRIM_RUNS + 10);
        store.host.crashAndRestart();
        TestConnection back = store.attach("a");
        back.attachment().request(10);
        store.host.runUntilIdle();
        assertThat(back.payloads()).containsExactly("m497", "m498", "m499");
    }

    @Test
    void consecutiveMessagesOfOneEntryAreOneRun() {
        long incarnation = store.absent("a");
        for (int i = 0; i < 50; i++) {
            store.insertLater("a", incarnation, store.message("m" + i, 1));
        }
        store.host.runUntilIdle();
        assertThat(store.stored("a", InboxKeys.RUN)).isEqualTo(1);
    }

    @Test
    void oneMessageReachesManyInboxesOverAllRanges() {
        store.close();
        store = new InboxFixture(InboxFixture.LATE_PUSH, 8);
        List<InsertRequest.Target> targets = new ArrayList<>();
        List<InsertOutcome> expected = new ArrayList<>();
        for (int i = 0; i < 100; i++) {
            boolean exists = i % 10 != 0;
            long incarnation = exists ? store.absent("c" + i) : 1;
            targets.add(InboxFixture.target("c" + i, incarnation, Qos.AT_LEAST_ONCE));
            expected.add(exists ? InsertOutcome.STORED : InsertOutcome.NO_SESSION);
        }
        assertThat(store.host.await(store.client.insert(InboxFixture.request(store.message("m", 1), targets))))
                .isEqualTo(expected);
        store.host.crashAndRestart();
        for (int i = 1; i < 10; i++) {
            TestConnection back = store.attach("c" + i);
            back.attachment().request(1);
            store.host.runUntilIdle();
            assertThat(back.payloads()).containsExactly("m");
        }
    }

    @Test
    void messagesOfTwentyMebibytesAreStoredApartAndDelivered() {
        long incarnation = store.absent("a");
        byte[] payload = new byte[20 << 20];
        payload[payload.length - 1] = 7;
        Message big = new Message("t", payload, Qos.AT_LEAST_ONCE, false, 0, MessageProperties.NONE);
        store.insert("a", incarnation, store.message("before", 1));
        store.insert("a", incarnation, big);
        store.insert("a", incarnation, big);
        store.insert("a", incarnation, store.message("after", 1));
        store.host.crashAndRestart();

        TestConnection back = store.attach("a");
        back.attachment().request(10);
        store.host.runUntilIdle();
        assertThat(back.delivered).hasSize(4);
        assertThat(back.delivered.get(1).message().payload()).isEqualTo(payload);
        assertThat(store.stored("a", InboxKeys.BODY)).isEqualTo(2);
        back.acknowledgeAll();
        store.detach(back);
        assertThat(store.stored("a", InboxKeys.BODY)).isZero();
    }

    @Test
    @Clause("MQTT5-2.2.1-4")
    void aSequenceWaitsWhileItsPacketIdIsInUse() {
        restart(config(200_000, InboxConfig.DropPolicy.NEWEST));
        TestConnection connection = store.attach("a");
        long incarnation = connection.reply.incarnation();
        connection.attachment().request(1_000_000);
        store.insert("a", incarnation, store.message("first", 1));
        InboxMessage held = connection.take().get(0);
        for (int i = 0; i < 65_600; i++) {
            store.insertLater("a", incarnation, store.message("", 1));
            if (i % 1000 == 999) {
                store.host.runUntilIdle();
                connection.acknowledgeAll();
                connection.take();
            }
        }
        store.host.runUntilIdle();
        // all but the first are acknowledged, and the one that would need its packet id waits, with those behind it
        long last = connection.delivered.isEmpty()
                ? 0
                : connection.delivered.get(connection.delivered.size() - 1).sequence();
        assertThat(last).isLessThan(held.sequence() + 65_535);
        connection.attachment().acknowledge(new long[] {held.sequence()});
        store.host.runUntilIdle();
        assertThat(connection.delivered.stream().map(InboxMessage::sequence)).contains(held.sequence() + 65_535);
    }

    @Test
    void sequencesAreNeverUsedAgainAfterACrash() {
        TestConnection connection = store.attach("a");
        connection.attachment().request(10);
        store.insert("a", connection.reply.incarnation(), store.message("m0", 1));
        long sequence = connection.take().get(0).sequence();
        connection.attachment().acknowledge(new long[] {sequence});
        store.host.runUntilIdle();
        store.host.crashAndRestart();
        TestConnection back = store.attach("a");
        back.attachment().request(10);
        store.insert("a", back.reply.incarnation(), store.message("m1", 1));
        assertThat(back.delivered.stream().filter(m -> !m.redelivered()).map(InboxMessage::sequence))
                .hasSize(1)
                .allMatch(next -> next > sequence);
    }

    @Test
    void acknowledgementsOfAnEndedAttachmentAreIgnored() {
        TestConnection first = store.attach("a");
        first.attachment().request(10);
        store.insert("a", first.reply.incarnation(), store.message("m", 1));
        TestConnection second = store.attach("a");
        assertThat(first.ends).containsExactly(InboxListener.Reason.TAKEN_OVER);
        first.acknowledgeAll();
        CompletableFuture<Void> detached = first.attachment().detach(-1, true);
        second.attachment().request(10);
        store.host.runUntilIdle();
        assertThat(detached).isCompletedExceptionally();
        assertThat(second.payloads()).containsExactly("m");
        assertThat(second.delivered.get(0).redelivered()).isTrue();
        assertThatThrownBy(() -> store.host.await(first.attachment().detach(-1, true)))
                .hasCauseInstanceOf(RangeException.class);
    }

    @Test
    void insertsForAnotherIncarnationAreRefused() {
        long incarnation = store.absent("a");
        TestConnection clean = store.attach("a", true, AttachRequest.NEVER, null);
        assertThat(clean.reply.sessionPresent()).isFalse();
        assertThat(clean.reply.incarnation()).isGreaterThan(incarnation);
        assertThat(store.insert("a", incarnation, store.message("m", 1))).isEqualTo(InsertOutcome.NO_SESSION);
        assertThat(store.insert("b", incarnation, store.message("m", 1))).isEqualTo(InsertOutcome.NO_SESSION);
    }

    @Test
    void aFullDiskFailsInsertsAndDeliveriesGoOn() {
        TestConnection connection = store.attach("a");
        long incarnation = connection.reply.incarnation();
        for (int i = 0; i < 3; i++) {
            store.insert("a", incarnation, store.message("m" + i, 1));
        }
        store.host.failWrites(RangeException.Cause.DISK_FULL);
        assertThatThrownBy(() -> store.insert("a", incarnation, store.message("refused", 1)))
                .hasCauseInstanceOf(RangeException.class);
        connection.attachment().request(10);
        store.host.runUntilIdle();
        connection.acknowledgeAll();
        store.host.advanceMillis(5000);
        store.host.acceptWrites();
        store.insert("a", incarnation, store.message("m3", 1));
        assertThat(connection.payloads()).containsExactlyElementsOf(names("m", 4));
        assertThat(connection.ends).isEmpty();
        store.host.crashAndRestart();
        TestConnection back = store.attach("a");
        back.attachment().request(10);
        store.host.runUntilIdle();
        assertThat(back.payloads()).containsExactly("m3");
    }

    @Test
    void anAttachThatCannotBeWrittenFailsAndTheSessionIsLoadedAgain() {
        long incarnation = store.absent("a");
        store.insert("a", incarnation, store.message("m", 1));
        store.host.failWrites(RangeException.Cause.DISK_FULL);
        assertThatThrownBy(() -> store.attach("a")).hasCauseInstanceOf(RangeException.class);
        store.host.acceptWrites();
        TestConnection back = store.attach("a");
        back.attachment().request(1);
        store.host.runUntilIdle();
        assertThat(back.payloads()).containsExactly("m");
    }

    @Test
    void theEndOfALeadershipCutsConnectionsOff() {
        TestConnection connection = store.attach("a");
        connection.attachment().request(5);
        store.insert("a", connection.reply.incarnation(), store.message("m", 1));
        store.host.changeLeaders();
        store.host.runUntilIdle();
        assertThat(connection.ends).containsExactly(InboxListener.Reason.UNAVAILABLE);
        assertThatThrownBy(() -> store.host.await(connection.attachment().received(1)))
                .hasCauseInstanceOf(RangeException.class);
        TestConnection back = store.attach("a");
        back.attachment().request(5);
        store.host.runUntilIdle();
        assertThat(back.payloads()).containsExactly("m");
    }

    private void restart(InboxConfig config) {
        store.close();
        store = new InboxFixture(config, 1);
    }

    private static InboxConfig config(int limit, InboxConfig.DropPolicy policy) {
        return new InboxConfig(limit, policy, true, 100, Duration.ofSeconds(AttachRequest.NEVER), false);
    }

    private static List<String> names(String prefix, int count) {
        return IntStream.range(0, count).mapToObj(i -> prefix + i).toList();
    }
}
