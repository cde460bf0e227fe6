package io.godwit.inbox.leader;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.inbox.client.AttachRequest;
import io.godwit.inbox.client.Will;
import io.godwit.inbox.format.InboxKeys;
import io.godwit.kv.client.RangeException.Cause;
import io.godwit.plugin.client.ClientId;
import io.godwit.plugin.client.TenantId;
import io.godwit.plugin.event.BrokerEvent;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A DISCONNECT counts even if it could not be written at once. */
class DisconnectTest {
    private static final byte[] KEY = InboxKeys.prefix(TenantId.DEFAULT, new ClientId("a"));
    private static final long LONG_AFTER = 86_400_000;

    private final InboxFixture store = new InboxFixture();

    @AfterEach
    void close() {
        store.close();
    }

    @ParameterizedTest
    @EnumSource(
            value = Cause.class,
            names = {"OVERLOADED", "DISK_FULL", "TIMEOUT", "TOO_LARGE"})
    void aWillIsNotPublishedAndTheExpiryHoldsThoughTheirBatchFailed(Cause cause) {
        TestConnection connection = store.attach("a", false, AttachRequest.NEVER, will(0));
        store.host.failWrites(cause);
        CompletableFuture<Void> answer = connection.attachment().detach(30, false);
        store.host.runUntilIdle();
        assertThat(answer).isCompletedExceptionally();
        store.host.acceptWrites();
        store.host.advanceMillis(29_000);
        assertThat(store.stored("a", InboxKeys.SESSION)).isOne();
        store.host.advanceMillis(3_000);
        assertThat(store.stored("a")).as("the expiry of the DISCONNECT counts").isZero();
        assertThat(store.published).isEmpty();
        assertThat(store.otherEvents.stream().filter(BrokerEvent.WillSuppressed.class::isInstance))
                .hasSize(1);
    }

    @Test
    void aDisconnectWithWillPublishesItOnceAndItsExpiryHolds() {
        TestConnection connection = store.attach("a", false, AttachRequest.NEVER, will(0));
        store.host.failWrites(Cause.OVERLOADED);
        connection.attachment().detach(30, true);
        store.host.runUntilIdle();
        store.host.acceptWrites();
        store.host.advanceMillis(32_000);
        assertThat(store.published).hasSize(1);
        assertThat(store.stored("a")).isZero();
    }

    @Test
    void itHoldsHoweverOftenItsBatchFails() {
        TestConnection connection = store.attach("a", false, AttachRequest.NEVER, will(0));
        store.host.failWrites(Cause.OVERLOADED);
        connection.attachment().detach(-1, false);
        store.host.advanceMillis(20_000);
        store.host.acceptWrites();
        store.host.advanceMillis(LONG_AFTER);
        assertThat(store.published).isEmpty();
        assertThat(store.attach("a").reply.sessionPresent()).isTrue();
    }

    @Test
    void itHoldsForTheNextConnectionThatComesBeforeItIsWritten() {
        TestConnection connection = store.attach("a", false, AttachRequest.NEVER, will(0));
        store.host.failWrites(Cause.OVERLOADED);
        connection.attachment().detach(0, false);
        store.host.runUntilIdle();
        store.host.acceptWrites();
        assertThat(store.attach("a").reply.sessionPresent()).isFalse();
        store.host.advanceMillis(LONG_AFTER);
        assertThat(store.published).isEmpty();
    }

    /** It belongs to one connection: the next one has its own end. */
    @Test
    void theWillOfTheNextConnectionIsPublished() {
        TestConnection connection = store.attach("a", false, AttachRequest.NEVER, will(0));
        store.host.failWrites(Cause.OVERLOADED);
        connection.attachment().detach(-1, false);
        store.host.runUntilIdle();
        store.host.acceptWrites();
        TestConnection next = store.attach("a", false, AttachRequest.NEVER, will(0));
        assertThat(next.reply.sessionPresent()).isTrue();
        store.host.changeLeaders();
        store.host.advanceMillis(5_000);
        assertThat(store.published).hasSize(1);
    }

    @Test
    void itHoldsWhenItComesBehindAChangeThatFailed() {
        TestConnection connection = store.attach("a", false, AttachRequest.NEVER, will(0));
        store.host.failWrites(Cause.OVERLOADED);
        connection
                .attachment()
                .unsubscribe(List.of(InboxFixture.subscription("t").filter()));
        store.host.runUntilIdle();
        assertThat(connection.ends).hasSize(1);
        CompletableFuture<Void> answer = connection.attachment().detach(-1, false);
        store.host.runUntilIdle();
        assertThat(answer).isCompletedExceptionally();
        store.host.acceptWrites();
        store.host.advanceMillis(LONG_AFTER);
        assertThat(store.published).isEmpty();
        assertThat(store.otherEvents)
                .containsExactly(new BrokerEvent.WillSuppressed(TenantId.DEFAULT, new ClientId("a"), "t/1"));
    }

    @Test
    void itHoldsForTheNextLeaderOnTheNode() {
        TestConnection connection = store.attach("a", false, AttachRequest.NEVER, will(0));
        store.host.holdSeals();
        connection.attachment().detach(-1, false);
        store.host.runUntilIdle();
        store.host.moveLeaders();
        assertThat(store.host.failOldestWaiting(KEY, Cause.OVERLOADED)).isTrue();
        store.host.releaseSeals();
        store.host.runUntilIdle();
        assertThat(store.host.moves()).isOne();
        store.host.advanceMillis(LONG_AFTER);
        assertThat(store.published).isEmpty();
    }

    /** As when a link is lost after a DISCONNECT. */
    @Test
    void theFirstEndOfAConnectionCounts() {
        TestConnection connection = store.attach("a", false, AttachRequest.NEVER, will(0));
        store.host.failWrites(Cause.OVERLOADED);
        connection.attachment().detach(-1, false);
        store.host.runUntilIdle();
        connection.attachment().detach(-1, true);
        store.host.runUntilIdle();
        store.host.acceptWrites();
        store.host.advanceMillis(LONG_AFTER);
        assertThat(store.published).isEmpty();
    }

    @Test
    void theFirstOfTwoLateEndsCounts() {
        TestConnection connection = store.attach("a", false, AttachRequest.NEVER, will(0));
        store.host.failWrites(Cause.OVERLOADED);
        connection
                .attachment()
                .unsubscribe(List.of(InboxFixture.subscription("t").filter()));
        store.host.runUntilIdle();
        assertThat(connection.ends).hasSize(1);
        connection.attachment().detach(-1, false);
        connection.attachment().detach(-1, true);
        store.host.runUntilIdle();
        store.host.acceptWrites();
        store.host.advanceMillis(LONG_AFTER);
        assertThat(store.published).isEmpty();
    }

    /** The next connection has ended with a DISCONNECT that could not be written. */
    @Test
    void theEndOfAConnectionThatWasTakenOverSaysNothing() {
        TestConnection first = store.attach("a", false, AttachRequest.NEVER, null);
        TestConnection second = store.attach("a", false, AttachRequest.NEVER, will(0));
        store.host.failWrites(Cause.OVERLOADED);
        second.attachment().detach(-1, false);
        store.host.runUntilIdle();
        first.attachment().detach(-1, true);
        store.host.runUntilIdle();
        store.host.acceptWrites();
        store.host.advanceMillis(LONG_AFTER);
        assertThat(store.published).isEmpty();
    }

    private Will will(long delaySeconds) {
        return new Will(store.message("bye", 1), delaySeconds);
    }
}
