package io.godwit.inbox.leader;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.conformance.Clause;
import io.godwit.inbox.client.InsertOutcome;
import io.godwit.inbox.client.InsertRequest;
import io.godwit.inbox.format.InboxKeys;
import io.godwit.inbox.ledger.SeenTokens;
import io.godwit.kv.client.RangeException;
import io.godwit.kv.client.Resend;
import io.godwit.plugin.client.ClientId;
import io.godwit.plugin.client.TenantId;
import io.godwit.plugin.message.Qos;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Tokens of inserts: a copy of a message is stored once for each subscription, however often it is sent. */
class InsertTokensTest {
    private final InboxFixture store = new InboxFixture();

    @AfterEach
    void close() {
        store.close();
    }

    @Test
    void aRepeatWithTheSameTokenIsNotStoredAgain() {
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
    void askingForATokenStoresNothing() {
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
    void aSharedSubscriptionGetsItsOwnCopyWithTheSameToken() {
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
    void theNextMessageOfASubscriptionRemovesItsFinishedToken() {
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

    /** The copy was sent by a home of the publisher that did not know yet that it was replaced. */
    @Test
    @Clause("MQTT5-4.3.3-13")
    void aCopyIsNotStoredAgainAfterItsTokenIsRemoved() {
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

    /** Another member of the group left the message unfinished, and no other member has it. */
    @Test
    void aMessageThatAGroupMemberLeftIsStoredAlthoughItsTokenIsFinished() {
        long incarnation = store.absent("a");
        List<InsertRequest.Target> ofGroup = List.of(shared(incarnation, "$share/g/t/#"));
        store.host.await(store.client.insert(withToken(5, ofGroup)));
        store.host.await(store.client.insert(withToken(6, ofGroup)));
        assertThat(store.host.await(store.client.insert(withToken(4, 0, ofGroup))))
                .containsExactly(InsertOutcome.STORED);
    }

    /** A member of a group had it already. The sender is a home of the publisher or a link that was late. */
    @Test
    @Clause("MQTT5-4.3.3-13")
    void aLateCopyForAGroupIsNotStoredAgain() {
        long incarnation = store.absent("a");
        List<InsertRequest.Target> ofGroup = List.of(shared(incarnation, "$share/g/t/#"));
        store.host.await(store.client.insert(withToken(5, ofGroup)));
        store.host.await(store.client.insert(withToken(6, ofGroup)));
        assertThat(store.stored("a", InboxKeys.TOKEN)).isEqualTo(1);
        assertThat(store.host.await(store.client.insert(withToken(5, ofGroup))))
                .containsExactly(InsertOutcome.ALREADY_THERE);
        TestConnection back = store.attach("a");
        back.attachment().request(10);
        store.host.runUntilIdle();
        assertThat(back.payloads()).hasSize(2);
    }

    private static InsertRequest.Target shared(long incarnation, String filter) {
        return new InsertRequest.Target(
                new ClientId("a"), incarnation, Qos.EXACTLY_ONCE, false, new int[0], filter, false);
    }

    private InsertRequest withToken(long number, List<InsertRequest.Target> targets) {
        return withToken(number, number, targets);
    }

    private InsertRequest withToken(long number, long finishedBelow, List<InsertRequest.Target> targets) {
        return new InsertRequest(
                TenantId.DEFAULT,
                store.message("m", 2),
                targets,
                "origin",
                number,
                finishedBelow,
                false,
                null,
                Resend.ALWAYS);
    }

    @Test
    void aRepeatWaitsForTheFirstCopy() {
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
    void finishedAndOldTokensAreRemoved() {
        long incarnation = store.absent("a");
        for (int i = 0; i < 20; i++) {
            store.insertToken("a", incarnation, store.message("m", 2), i, Math.max(0, i - 2));
        }
        assertThat(store.stored("a", InboxKeys.TOKEN)).isEqualTo(3);
        store.host.crashAndRestart();
        store.host.advanceMillis(SeenTokens.KEEP_MILLIS);
        assertThat(store.insertToken("a", incarnation, store.message("m", 2), 20, 0))
                .isEqualTo(InsertOutcome.STORED);
        assertThat(store.stored("a", InboxKeys.TOKEN)).isEqualTo(1);
    }

    @Test
    void aFailedInsertLeavesNoToken() {
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
}
