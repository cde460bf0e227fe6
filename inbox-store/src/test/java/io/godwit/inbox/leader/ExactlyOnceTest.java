package io.godwit.inbox.leader;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.conformance.Clause;
import io.godwit.inbox.client.AttachRequest;
import io.godwit.inbox.client.InboxAttachment.Inbound;
import io.godwit.inbox.client.InboxMessage;
import io.godwit.inbox.client.InsertOutcome;
import io.godwit.inbox.client.InsertRequest;
import io.godwit.inbox.format.InboxKeys;
import io.godwit.inbox.ledger.TokenMemory;
import io.godwit.kv.client.RangeException;
import io.godwit.kv.client.RequestOrder;
import io.godwit.kv.client.Resend;
import io.godwit.plugin.client.ClientId;
import io.godwit.plugin.client.ClientInfo;
import io.godwit.plugin.client.TenantId;
import io.godwit.plugin.message.Message;
import io.godwit.plugin.message.MessageProperties;
import io.godwit.plugin.message.Qos;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

class ExactlyOnceTest {
    private final InboxFixture store = new InboxFixture();

    @AfterEach
    void close() {
        store.close();
    }

    // --- outbound

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

    // --- tokens

    @Test
    void aRepeatUnderTheSameTokenIsAlreadyThere() {
        long incarnation = store.absent("a");
        assertThat(store.insertToken("a", incarnation, store.message("m", 2), 5, 5))
                .isEqualTo(InsertOutcome.STORED);
        assertThat(store.insertToken("a", incarnation, store.message("m", 2), 5, 5))
                .isEqualTo(InsertOutcome.ALREADY_THERE);
        store.host.crashAndRestart();
        assertThat(store.insertToken("a", incarnation, store.message("m", 2), 5, 5))
                .isEqualTo(InsertOutcome.ALREADY_THERE);
        TestConnection back = store.attach("a");
        back.attachment().request(10);
        store.host.runUntilIdle();
        assertThat(back.payloads()).containsExactly("m");
    }

    @Test
    void whoOnlyAsksForATokenStoresNothing() {
        long incarnation = store.absent("a");
        assertThat(ask("a", incarnation, 5)).isEqualTo(InsertOutcome.DECLINED);
        assertThat(ask("a", incarnation + 1, 5)).isEqualTo(InsertOutcome.NO_SESSION);
        assertThat(store.insertToken("a", incarnation, store.message("m", 2), 5, 5))
                .isEqualTo(InsertOutcome.STORED);
        store.host.crashAndRestart();
        assertThat(ask("a", incarnation, 5)).isEqualTo(InsertOutcome.ALREADY_THERE);
        assertThat(ask("a", incarnation, 6)).isEqualTo(InsertOutcome.DECLINED);
        TestConnection back = store.attach("a");
        back.attachment().request(10);
        store.host.runUntilIdle();
        assertThat(back.payloads()).containsExactly("m");
    }

    private InsertOutcome ask(String clientId, long incarnation, long number) {
        InsertRequest request = new InsertRequest(
                TenantId.DEFAULT,
                store.message("asks", 2),
                List.of(InboxFixture.target(clientId, incarnation, Qos.EXACTLY_ONCE)),
                "origin",
                number,
                0,
                true,
                null,
                Resend.ALWAYS);
        return store.host.await(store.client.insert(request)).get(0);
    }

    @Test
    void aSharedSubscriptionGetsItsOwnCopyUnderTheTokenOfThePlainOne() {
        long incarnation = store.absent("a");
        List<InsertRequest.Target> copies = List.of(
                InboxFixture.target("a", incarnation, Qos.EXACTLY_ONCE),
                shared(incarnation, "$share/g/t/#"),
                shared(incarnation, "$share/h/t/#"));
        List<InsertOutcome> first = store.host.await(store.client.insert(withToken(5, copies)));
        assertThat(first).containsOnly(InsertOutcome.STORED);
        assertThat(store.stored("a", InboxKeys.TOKEN)).isEqualTo(3);

        for (int restarts = 0; restarts < 2; restarts++) {
            for (InsertRequest.Target copy : copies) {
                assertThat(store.host.await(store.client.insert(withToken(5, List.of(copy)))))
                        .containsExactly(InsertOutcome.ALREADY_THERE);
            }
            store.host.crashAndRestart();
        }
        InsertRequest.Target later = shared(incarnation, "$share/later/t/#");
        assertThat(store.host.await(store.client.insert(withToken(5, List.of(later)))))
                .containsExactly(InsertOutcome.STORED);
        TestConnection back = store.attach("a");
        back.attachment().request(10);
        store.host.runUntilIdle();
        assertThat(back.payloads()).containsExactly("m", "m", "m", "m");
    }

    @Test
    void aFinishedTokenIsForgottenByTheNextMessageOfTheSameSubscription() {
        long incarnation = store.absent("a");
        List<InsertRequest.Target> copies =
                List.of(InboxFixture.target("a", incarnation, Qos.EXACTLY_ONCE), shared(incarnation, "$share/g/t/#"));
        store.host.await(store.client.insert(withToken(5, copies)));
        store.host.crashAndRestart();
        store.host.await(store.client.insert(withToken(6, copies.subList(0, 1))));
        assertThat(store.stored("a", InboxKeys.TOKEN)).isEqualTo(2);
        store.host.await(store.client.insert(withToken(7, copies.subList(1, 2))));
        store.host.await(store.client.insert(withToken(8, copies.subList(0, 1))));
        assertThat(store.stored("a", InboxKeys.TOKEN)).isEqualTo(2);
    }

    /** It was sent by a replaced home of the publisher that did not know yet. */
    @Test
    @Clause("MQTT5-4.3.3-13")
    void aCopyThatComesWhenItsTokenIsForgottenIsNotStoredAgain() {
        long incarnation = store.absent("a");
        List<InsertRequest.Target> plain = List.of(InboxFixture.target("a", incarnation, Qos.EXACTLY_ONCE));
        assertThat(store.host.await(store.client.insert(withToken(5, plain)))).containsExactly(InsertOutcome.STORED);
        assertThat(store.host.await(store.client.insert(withToken(6, plain)))).containsExactly(InsertOutcome.STORED);
        assertThat(store.stored("a", InboxKeys.TOKEN)).isEqualTo(1);
        assertThat(store.host.await(store.client.insert(withToken(5, plain))))
                .containsExactly(InsertOutcome.ALREADY_THERE);
        assertThat(store.host.await(store.client.insert(withToken(7, plain)))).containsExactly(InsertOutcome.STORED);
        TestConnection back = store.attach("a");
        back.attachment().request(10);
        store.host.runUntilIdle();
        assertThat(back.payloads()).hasSize(3);
    }

    /** Another member of the group has left it, and no other member has it. */
    @Test
    void whatAMemberOfAGroupHasLeftIsStoredThoughItsTokenIsFinished() {
        long incarnation = store.absent("a");
        List<InsertRequest.Target> ofGroup = List.of(shared(incarnation, "$share/g/t/#"));
        store.host.await(store.client.insert(withToken(5, ofGroup)));
        store.host.await(store.client.insert(withToken(6, ofGroup)));
        assertThat(store.host.await(store.client.insert(withToken(4, ofGroup)))).containsExactly(InsertOutcome.STORED);
    }

    private static InsertRequest.Target shared(long incarnation, String filter) {
        return new InsertRequest.Target(
                new ClientId("a"), incarnation, Qos.EXACTLY_ONCE, false, new int[0], filter, false);
    }

    private InsertRequest withToken(long number, List<InsertRequest.Target> targets) {
        return new InsertRequest(
                TenantId.DEFAULT, store.message("m", 2), targets, "origin", number, number, false, null, Resend.ALWAYS);
    }

    @Test
    void aRepeatWaitsForWhatItRepeats() {
        long incarnation = store.absent("a");
        store.host.holdCommits();
        InsertRequest request = new InsertRequest(
                TenantId.DEFAULT,
                store.message("m", 2),
                List.of(InboxFixture.target("a", incarnation, Qos.EXACTLY_ONCE)),
                "origin",
                7,
                7);
        CompletableFuture<List<InsertOutcome>> first = store.client.insert(request);
        CompletableFuture<List<InsertOutcome>> second = store.client.insert(request);
        store.host.runUntilIdle();
        assertThat(first).isNotDone();
        assertThat(second).isNotDone();
        store.host.releaseCommits();
        assertThat(store.host.await(first)).containsExactly(InsertOutcome.STORED);
        assertThat(store.host.await(second)).containsExactly(InsertOutcome.ALREADY_THERE);
    }

    @Test
    void finishedTokensAreForgottenAndOldOnesToo() {
        long incarnation = store.absent("a");
        for (int i = 0; i < 20; i++) {
            store.insertToken("a", incarnation, store.message("m", 2), i, Math.max(0, i - 2));
        }
        assertThat(store.stored("a", InboxKeys.TOKEN)).isEqualTo(3);
        store.host.crashAndRestart();
        store.host.advanceMillis(TokenMemory.KEEP_MILLIS);
        assertThat(store.insertToken("a", incarnation, store.message("m", 2), 20, 0))
                .isEqualTo(InsertOutcome.STORED);
        assertThat(store.stored("a", InboxKeys.TOKEN)).isEqualTo(1);
    }

    @Test
    void aTokenWhoseInsertFailedIsNotRemembered() {
        long incarnation = store.absent("a");
        store.insert("a", incarnation, store.message("m", 1));
        store.host.failWrites(RangeException.Cause.OVERLOADED);
        InsertRequest request = new InsertRequest(
                TenantId.DEFAULT,
                store.message("m", 2),
                List.of(InboxFixture.target("a", incarnation, Qos.EXACTLY_ONCE)),
                "origin",
                7,
                7);
        CompletableFuture<List<InsertOutcome>> refused = store.client.insert(request);
        store.host.runUntilIdle();
        assertThat(refused).isCompletedExceptionally();
        store.host.acceptWrites();
        assertThat(store.host.await(store.client.insert(request))).containsExactly(InsertOutcome.STORED);
    }

    // --- order

    @Test
    @Clause("MQTT5-4.6.0-5")
    void whatComesBehindAMessageThatCouldNotBeStoredIsNotStoredEither() {
        long incarnation = store.absent("a");
        RequestOrder order = new RequestOrder();
        store.host.failWrites(RangeException.Cause.OVERLOADED);
        CompletableFuture<List<InsertOutcome>> one = store.client.insert(ordered(incarnation, 1, order));
        store.host.runUntilIdle();
        assertThat(one).isCompletedExceptionally();
        store.host.acceptWrites();
        CompletableFuture<List<InsertOutcome>> two = store.client.insert(ordered(incarnation, 2, order));
        store.host.runUntilIdle();
        assertThat(two).isCompletedExceptionally();

        RequestOrder again = new RequestOrder();
        for (int number = 1; number <= 2; number++) {
            assertThat(store.host.await(store.client.insert(ordered(incarnation, number, again))))
                    .containsExactly(InsertOutcome.STORED);
        }
        assertThat(queued()).containsExactly("1", "2");
    }

    /** The second one is already placed in the queue when the first one fails. */
    @Test
    @Tag("in-process") // another node knows only its own failures, which is enough
    void whatHasItsPlaceBehindAMessageThatFailsIsLeftOutOfItsBatch() {
        long incarnation = store.absent("a");
        RequestOrder order = new RequestOrder();
        store.host.holdSeals();
        CompletableFuture<List<InsertOutcome>> two = store.client.insert(ordered(incarnation, 2, order));
        CompletableFuture<List<InsertOutcome>> repeated =
                store.client.insert(ordered(incarnation, 2, new RequestOrder()));
        CompletableFuture<List<InsertOutcome>> other = store.client.insert(ordered(incarnation, 3, null));
        store.host.runUntilIdle();
        order.failed(1);
        store.host.releaseSeals();
        store.host.runUntilIdle();
        assertThat(two).isCompletedExceptionally();
        assertThat(repeated)
                .as("the first copy was not stored, so the repeat fails, too")
                .isCompletedExceptionally();
        assertThat(store.host.await(other)).containsExactly(InsertOutcome.STORED);
        assertThat(store.stored("a", InboxKeys.TOKEN)).isEqualTo(1);

        assertThat(store.host.await(store.client.insert(ordered(incarnation, 2, new RequestOrder()))))
                .containsExactly(InsertOutcome.STORED);
        assertThat(queued()).containsExactly("3", "2");
        store.host.crashAndRestart();
        assertThat(queued()).containsExactly("3", "2");
    }

    /**
     * The publisher has come back on another connection, and publishes later messages after its repeats, while the
     * first copies still wait for their entry.
     */
    @Test
    @Tag("in-process") // another node knows only its own failures, which is enough
    @Clause("MQTT5-4.6.0-5")
    void whatComesBehindARepeatIsNotStoredWhenTheFirstCopyIsLeftOut() {
        long incarnation = store.absent("a");
        RequestOrder before = new RequestOrder();
        RequestOrder after = new RequestOrder();
        store.host.holdSeals();
        List<CompletableFuture<List<InsertOutcome>>> inserts = List.of(
                store.client.insert(ordered(incarnation, 1, before)),
                store.client.insert(ordered(incarnation, 2, before)),
                store.client.insert(ordered(incarnation, 1, after)),
                store.client.insert(ordered(incarnation, 2, after)),
                store.client.insert(ordered(incarnation, 3, after)));
        store.host.runUntilIdle();
        before.failed(0);
        store.host.releaseSeals();
        store.host.runUntilIdle();
        assertThat(inserts).allSatisfy(insert -> assertThat(insert).isCompletedExceptionally());
        assertThat(queued()).isEmpty();

        RequestOrder last = new RequestOrder();
        for (int number = 1; number <= 3; number++) {
            assertThat(store.host.await(store.client.insert(ordered(incarnation, number, last))))
                    .containsExactly(InsertOutcome.STORED);
        }
        assertThat(queued()).containsExactly("1", "2", "3");
    }

    /** The entry without the copy is under way, and the repeat need not wait for it. */
    @Test
    @Tag("in-process")
    @Clause("MQTT5-4.6.0-5")
    void aRepeatIsStoredBeforeWhatComesBehindItWhenTheFirstCopyWasLeftOut() {
        long incarnation = store.absent("a");
        RequestOrder before = new RequestOrder();
        RequestOrder after = new RequestOrder();
        store.host.holdSeals();
        CompletableFuture<List<InsertOutcome>> other = store.client.insert(ordered(incarnation, 1, null));
        CompletableFuture<List<InsertOutcome>> leftOut = store.client.insert(ordered(incarnation, 2, before));
        store.host.runUntilIdle();
        before.failed(1);
        store.host.holdCommits();
        store.host.releaseSeals();
        store.host.runUntilIdle();
        CompletableFuture<List<InsertOutcome>> repeated = store.client.insert(ordered(incarnation, 2, after));
        CompletableFuture<List<InsertOutcome>> behind = store.client.insert(ordered(incarnation, 3, after));
        store.host.runUntilIdle();
        store.host.releaseCommits();
        store.host.runUntilIdle();
        assertThat(other).isCompletedWithValue(List.of(InsertOutcome.STORED));
        assertThat(leftOut).isCompletedExceptionally();
        assertThat(repeated).isCompletedWithValue(List.of(InsertOutcome.STORED));
        assertThat(behind).isCompletedWithValue(List.of(InsertOutcome.STORED));
        assertThat(queued()).containsExactly("1", "2", "3");
        store.host.crashAndRestart();
        assertThat(queued()).containsExactly("1", "2", "3");
        assertThat(store.host.await(store.client.insert(ordered(incarnation, 2, null))))
                .containsExactly(InsertOutcome.ALREADY_THERE);
    }

    /** As above; then the repeat fails too. Callers that waited for the first copy must not take it for stored. */
    @Test
    @Tag("in-process")
    void whoWaitsForACopyThatIsLeftOutIsNotAnsweredByALaterOne() {
        long incarnation = store.absent("a");
        RequestOrder before = new RequestOrder();
        store.host.holdSeals();
        store.client.insert(ordered(incarnation, 1, null));
        store.client.insert(ordered(incarnation, 2, before));
        CompletableFuture<List<InsertOutcome>> waits = store.client.insert(ordered(incarnation, 2, new RequestOrder()));
        store.host.runUntilIdle();
        before.failed(1);
        store.host.holdCommits();
        store.host.releaseSeals();
        store.host.runUntilIdle();
        store.host.holdSeals();
        CompletableFuture<List<InsertOutcome>> later = store.client.insert(ordered(incarnation, 2, new RequestOrder()));
        store.host.runUntilIdle();
        store.host.releaseCommits();
        store.host.runUntilIdle();
        assertThat(waits).isCompletedExceptionally();
        assertThat(later).isNotDone();
        store.host.releaseSeals();
        store.host.runUntilIdle();
        assertThat(later).isCompletedWithValue(List.of(InsertOutcome.STORED));
        assertThat(queued()).containsExactly("1", "2");
    }

    private List<String> queued() {
        TestConnection back = store.attach("a");
        back.attachment().request(10);
        store.host.runUntilIdle();
        List<String> payloads = back.payloads();
        store.detach(back);
        return payloads;
    }

    private InsertRequest ordered(long incarnation, long number, @Nullable RequestOrder order) {
        return new InsertRequest(
                TenantId.DEFAULT,
                store.message(Long.toString(number), 2),
                List.of(InboxFixture.target("a", incarnation, Qos.EXACTLY_ONCE)),
                "origin",
                number,
                1,
                false,
                order,
                Resend.ALWAYS);
    }

    /** The connection of the first one is gone; its client comes back and does not repeat it. */
    @Test
    @Clause("MQTT5-4.6.0-5")
    void aNewMessageWaitsForThoseThatTheStoreStillDistributes() {
        TestConnection connection = store.attach("a");
        store.host.await(connection.attachment().receive(5, store.message("one", 2)));
        store.publishAnswer = false;
        store.detach(connection);
        store.host.advanceMillis(InboundHandler.GRACE_MILLIS);
        assertThat(store.published).hasSize(1);

        TestConnection back = store.attach("a");
        CompletableFuture<Inbound> two = back.attachment().receive(6, store.message("two", 2));
        store.host.advanceMillis(500);
        assertThat(two).isNotDone();
        store.publishAnswer = true;
        store.host.advanceMillis(5000);
        assertThat(store.published).hasSize(2);
        assertThat(store.host.await(two).isDistributed()).isFalse();
    }

    @Test
    void aNewMessageThatWaitsFailsWithItsLeader() {
        TestConnection connection = store.attach("a");
        store.host.await(connection.attachment().receive(5, store.message("one", 2)));
        store.publishAnswer = null;
        store.detach(connection);
        store.host.advanceMillis(InboundHandler.GRACE_MILLIS);
        CompletableFuture<Inbound> two = store.attach("a").attachment().receive(6, store.message("two", 2));
        store.host.runUntilIdle();
        assertThat(two).isNotDone();
        store.host.changeLeaders();
        store.host.runUntilIdle();
        assertThat(two).isCompletedExceptionally();
    }

    @Test
    @Clause("MQTT5-4.6.0-5")
    void messagesTheStorePublishesTogetherShareAnOrderAndARepeatHasANewOne() {
        TestConnection connection = store.attach("a");
        store.host.await(connection.attachment().receive(1, store.message("one", 2)));
        store.host.await(connection.attachment().receive(2, store.message("two", 2)));
        store.publishAnswer = false;
        store.host.crashAndRestart();
        store.host.advanceMillis(1500);
        assertThat(store.published).hasSize(4);
        List<@Nullable RequestOrder> orders =
                store.published.stream().map(InboxFixture.Published::order).toList();
        assertThat(orders.get(0)).isNotNull().isSameAs(orders.get(1)).isNotSameAs(orders.get(2));
        assertThat(orders.get(2)).isSameAs(orders.get(3));
        assertThat(orders.get(0).isBrokenBefore(store.published.get(1).number()))
                .isTrue();
    }

    /**
     * Otherwise the second one would be stored, and distributed by the store, before its client sends the first one
     * again.
     */
    @Test
    @Clause("MQTT5-4.6.0-5")
    void whatIsReceivedBehindAMessageThatCouldNotBeStoredIsNotOnRecord() {
        TestConnection connection = store.attach("a");
        store.host.holdSeals();
        Message large = store.message("x".repeat(Batch.FULL_BYTES), 2);
        CompletableFuture<Inbound> one = connection.attachment().receive(1, large);
        store.host.runUntilIdle();
        CompletableFuture<Inbound> two = connection.attachment().receive(2, store.message("in the next batch", 2));
        store.host.failWrites(RangeException.Cause.OVERLOADED);
        store.host.acceptWrites();
        store.host.releaseSeals();
        store.host.runUntilIdle();
        assertThat(one).isCompletedExceptionally();
        assertThat(two).isCompletedExceptionally();
        assertThat(store.stored("a", InboxKeys.INBOUND)).isZero();
        store.host.advanceMillis(60_000);
        assertThat(store.published).isEmpty();
    }

    /** MQTT 3.1.1 has no refusal: the connection is closed, and the client sends both again. */
    @Test
    @Clause("MQTT311-4.6.0-6")
    void whatIsReceivedBehindAMessageThatWasRefusedForWantOfDiskIsRefusedUnderMqtt311() {
        for (int protocolLevel = 4; protocolLevel <= 5; protocolLevel++) {
            String clientId = "level" + protocolLevel;
            TestConnection connection = new TestConnection();
            ClientInfo client =
                    new ClientInfo(TenantId.DEFAULT, new ClientId(clientId), "user", "127.0.0.1:1000", protocolLevel);
            connection.reply = store.host.await(
                    store.client.attach(new AttachRequest(client, false, AttachRequest.NEVER, null), connection));
            store.host.refuseAdditions();
            CompletableFuture<Inbound> one = connection.attachment().receive(1, store.message("one", 2));
            store.host.runUntilIdle();
            assertThat(one).isCompletedExceptionally();
            store.host.acceptWrites();
            CompletableFuture<Inbound> two = connection.attachment().receive(2, store.message("two", 2));
            store.host.runUntilIdle();
            assertThat(two.isCompletedExceptionally()).isEqualTo(protocolLevel == 4);
            assertThat(store.stored(clientId, InboxKeys.INBOUND)).isEqualTo(protocolLevel - 4);
        }
    }

    // --- inbound

    @Test
    void anInboundMessageIsDistributedUnderTheTokenItWasStoredWith() {
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
    void packetIdsReceivedSurviveTheConnectionAndTheBroker() {
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
    void whatWasNotDistributedAtTheCrashIsResumedInOrderUnderItsToken() {
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
    void aRetainedMessageIsResumedAloneSinceItsWayIsAnother() {
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
    void aResumedMessageKeepsItsTokenAliveUntilItsMarkIsCommitted() {
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
    void aTokenIsFinishedOnlyOnceTheMarkIsCommitted() {
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
    void whatADetachedSessionLeftUndistributedIsDistributedAfterAWhile() {
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
    void whatADetachedSessionLeftIsTriedLessAndLessOftenUntilItIsDoneOrTheSessionEnds() {
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
    void whatTheClientCameBackForIsLeftToIt() {
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
    void aDistributionThatEndsAfterItsConnectionIsMarked() {
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
    void aLateMarkIsForTheMessageItSpeaksOfOnly() {
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
