package io.godwit.inbox.leader;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.inbox.client.AttachRequest;
import io.godwit.inbox.client.InboxAttachment.Inbound;
import io.godwit.inbox.client.Will;
import io.godwit.inbox.format.InboxKeys;
import io.godwit.inbox.leader.queue.Batch;
import io.godwit.plugin.client.ClientId;
import io.godwit.plugin.client.TenantId;
import io.godwit.plugin.message.Message;
import io.godwit.plugin.message.MessageProperties;
import io.godwit.plugin.message.Qos;
import java.util.Arrays;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** The number of a distributed message is never used again: receivers would take the new message for a repeat. */
class TokenNumbersTest {
    private static final byte[] KEY = InboxKeys.prefix(TenantId.DEFAULT, new ClientId("a"));

    private InboxFixture store = new InboxFixture();

    @AfterEach
    void close() {
        store.close();
    }

    /** Even when nothing is left of the message that had the number. */
    @Test
    void noneIsGivenTwiceThoughTheCeilingCouldNotBeRaised() {
        TestConnection connection = store.attach("a");
        store.host.holdCommits();
        CompletableFuture<Inbound> fails = connection.attachment().receive(1, large());
        store.host.runUntilIdle();
        CompletableFuture<Inbound> stored = connection.attachment().receive(2, store.message("m", 2));
        store.host.runUntilIdle();
        assertThat(store.host.entriesInFlight()).isEqualTo(2);
        assertThat(store.host.loseOldestInFlight(KEY)).isTrue();
        store.host.releaseCommits();
        store.host.runUntilIdle();
        assertThat(fails).isCompletedExceptionally();

        connection = store.attach("a");
        assertThat(connection.reply.inbound()).containsExactly(2);
        long first = store.host
                .await(connection.attachment().receive(2, store.message("m", 2)))
                .tokenNumber();
        assertThat(stored).isDone();
        store.host.await(connection.attachment().distributed(2, first));
        store.host.await(connection.attachment().release(2));
        store.crash(0);
        connection = store.attach("a");
        for (int packetId = 3; packetId < 8; packetId++) {
            Inbound next = store.host.await(connection.attachment().receive(packetId, store.message("m", 2)));
            assertThat(next.tokenNumber()).isGreaterThan(first);
        }
    }

    /** In an inbox that was written without its ceiling. */
    @Test
    void thoseOfInboundMessagesAreKnownFromThem() {
        forgetCeilings();
        TestConnection connection = store.attach("a");
        long last = 0;
        for (int packetId = 1; packetId < 4; packetId++) {
            last = store.host
                    .await(connection.attachment().receive(packetId, store.message("m", 2)))
                    .tokenNumber();
        }
        store.crash(0);
        assertThat(nextNumber()).isGreaterThan(last);
    }

    @Test
    void thatOfAWillIsKnownFromIt() {
        forgetCeilings();
        store.attach("a");
        store.attach("a", false, AttachRequest.NEVER, will());
        store.attach("a", false, AttachRequest.NEVER, will());
        store.publishAnswer = false;
        store.crash(0);
        store.host.advanceMillis(100);
        store.crash(0);
        store.host.advanceMillis(100);
        long published =
                store.published.stream().mapToLong(each -> each.number()).max().orElseThrow();
        assertThat(nextNumber())
                .as("the number is higher than that of a will that is still owed")
                .isGreaterThan(published);
    }

    @Test
    void thatOfAWillThatWaitsIsKnownFromIt() {
        forgetCeilings();
        TestConnection connection = store.attach("a");
        for (int i = 0; i < 5; i++) {
            store.host.await(connection.attachment().receive(1, store.message("m", 2)));
            store.host.await(connection.attachment().release(1));
        }
        Will late = new Will(store.message("bye", 1), 60);
        store.detach(store.attach("a", false, AttachRequest.NEVER, late), -1, true);
        store.crash(0);
        TestConnection back = store.attach("a");
        long number = store.host
                .await(back.attachment().receive(1, store.message("m", 2)))
                .tokenNumber();
        assertThat(number).isGreaterThan(6);
    }

    private long nextNumber() {
        return store.host
                .await(store.attach("a").attachment().receive(100, store.message("m", 2)))
                .tokenNumber();
    }

    private Will will() {
        return new Will(store.message("bye", 1), 0);
    }

    private Message large() {
        return new Message(
                "t",
                new byte[4 * Batch.FULL_BYTES],
                Qos.EXACTLY_ONCE,
                false,
                store.host.nowMillis(),
                MessageProperties.NONE);
    }

    private void forgetCeilings() {
        store.close();
        byte[] ceiling = InboxKeys.key(KEY, InboxKeys.CEILING);
        store = new InboxFixture(
                InboxFixture.settings(InboxFixture.LATE_PUSH, 4096), 1, key -> Arrays.equals(key, ceiling));
    }
}
