package io.godwit.inbox.leader;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.conformance.Clause;
import io.godwit.inbox.client.AttachRequest;
import io.godwit.inbox.client.InboxAttachment.Inbound;
import io.godwit.inbox.format.InboxKeys;
import io.godwit.inbox.leader.qos.InboundHandler;
import io.godwit.inbox.leader.queue.Batch;
import io.godwit.kv.client.RangeException;
import io.godwit.kv.client.RequestOrder;
import io.godwit.plugin.client.ClientId;
import io.godwit.plugin.client.ClientInfo;
import io.godwit.plugin.client.TenantId;
import io.godwit.plugin.message.Message;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** The order of messages of QoS 2 that a client publishes, when one of them fails or is still distributed. */
class InboundOrderTest {
    private final InboxFixture store = new InboxFixture();

    @AfterEach
    void close() {
        store.close();
    }

    /** The connection of the first one is gone; its client comes back and does not repeat it. */
    @Test
    @Clause("MQTT5-4.6.0-5")
    void aNewMessageWaitsWhileTheStoreDistributesEarlierOnes() {
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
    void aWaitingMessageFailsWhenTheLeaderChanges() {
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
    void resumedMessagesShareAnOrderAndEachRetryHasANewOne() {
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
    void aMessageReceivedAfterAFailedOneIsNotStored() {
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
    void afterAFullDiskTheNextMessageIsRefusedInMqtt311() {
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
}
