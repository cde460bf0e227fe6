package io.godwit.inbox.leader;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.godwit.inbox.InboxConfig;
import io.godwit.inbox.client.AttachRequest;
import io.godwit.inbox.client.InboxMessage;
import io.godwit.kv.client.RangeException;
import io.godwit.plugin.client.ClientId;
import io.godwit.plugin.client.TenantId;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class StockTest {
    private InboxFixture store = new InboxFixture();

    @AfterEach
    void close() {
        store.close();
    }

    @Test
    void sessionsCountWhileTheirClientIsNotConnected() {
        assertThat(store.stock.detachedSessions()).isZero();
        TestConnection a = store.attach("a", false, 60, null);
        TestConnection b = store.attach("b");
        assertThat(store.stock.detachedSessions()).isZero();
        store.detach(a);
        store.detach(b);
        assertThat(store.stock.detachedSessions()).isEqualTo(2);
        assertThat(store.stock.detachedSessions(TenantId.DEFAULT)).isEqualTo(2);
        assertThat(store.stock.detachedSessions(new TenantId("other"))).isZero();
        b = store.attach("b");
        assertThat(store.stock.detachedSessions()).isOne();
        TestConnection taker = store.attach("b");
        assertThat(store.stock.detachedSessions()).as("after a takeover").isOne();
        assertThat(b.ends).hasSize(1);
        store.host.advanceMillis(61_000);
        assertThat(store.stock.detachedSessions()).as("session a has expired").isZero();

        store.detach(taker);
        store.attach("b", true, 60, null);
        assertThat(store.stock.detachedSessions()).as("after a clean start").isZero();
        store.detach(store.attach("c", false, 0, null));
        assertThat(store.stock.detachedSessions())
                .as("a session with expiry 0 is not kept")
                .isZero();
        store.detach(store.attach("d"));
        store.host.await(store.client.delete(TenantId.DEFAULT, new ClientId("d")));
        assertThat(store.stock.detachedSessions()).as("the session was deleted").isZero();
        store.detach(store.attach("\0own"));
        assertThat(store.stock.detachedSessions())
                .as("sessions of the broker itself are not counted")
                .isZero();
        assertThat(store.stock.detachedSessions(TenantId.DEFAULT)).isZero();
    }

    @Test
    void messagesCountUntilTheyAreAcknowledgedOrDropped() {
        long a = store.absent("a");
        long b = store.absent("b");
        store.insert("a", a, store.message("12345", 1));
        store.insert("a", a, store.message("123", 0));
        store.insert("b", b, store.message("t", "1234567", 2, 10));
        assertStock(3, 15);

        TestConnection connection = store.attach("a");
        connection.attachment().request(10);
        store.host.runUntilIdle();
        assertThat(connection.delivered).hasSize(2);
        assertStock(2, 12);
        connection
                .attachment()
                .acknowledge(new long[] {connection.delivered.get(0).sequence()});
        store.host.runUntilIdle();
        assertStock(1, 7);

        store.host.advanceMillis(11_000);
        TestConnection late = store.attach("b");
        late.attachment().request(10);
        store.host.runUntilIdle();
        assertThat(store.dropped("expired")).isOne();
        assertStock(0, 0);

        store.detach(late);
        store.insert("b", b, store.message("123", 1));
        assertStock(1, 3);
        store.attach("b", true, 60, null);
        assertStock(0, 0);
    }

    @Test
    void whatCouldNotBeWrittenDoesNotCount() {
        long a = store.absent("a");
        store.insert("a", a, store.message("12345", 1));
        store.host.failWrites(RangeException.Cause.OVERLOADED);
        store.insertLater("a", a, store.message("1", 1));
        store.attachLater("a", true, 60, null, new TestConnection());
        store.host.runUntilIdle();
        store.host.acceptWrites();
        store.host.advanceMillis(5_000);
        assertStock(1, 5);
        assertThat(store.stock.detachedSessions()).isOne();
    }

    /** A new leader counts each inbox once, whether the walk or a user reaches it first. */
    @Test
    void aNewLeaderCountsAnew() {
        reopen(1, 10);
        int sessions = 600;
        List<Long> incarnations = new ArrayList<>();
        for (int i = 0; i < sessions; i++) {
            long incarnation = store.absent("c" + i);
            incarnations.add(incarnation);
            store.insert("c" + i, incarnation, store.message("x".repeat(i), 1));
        }
        int bytes = sessions * (sessions - 1) / 2;
        assertStock(sessions, bytes);
        assertThat(store.stock.detachedSessions()).isEqualTo(sessions);

        store.host.holdReads();
        store.host.changeLeaders();
        assertStock(0, 0);
        assertThat(store.stock.detachedSessions()).isZero();
        store.host.releaseReads();
        store.host.runUntilIdle();
        assertThat(store.stock.messages()).as("the first page has been counted").isEqualTo(256);
        for (int i = 0; i < sessions; i += 7) {
            store.insert("c" + i, incarnations.get(i), store.message("12345", 1));
        }
        store.host.advanceMillis(1_000);
        assertStock(sessions + 86, bytes + 86 * 5);
        assertThat(store.stock.detachedSessions()).isEqualTo(sessions);
        for (int i = 0; i < sessions; i += 5) {
            store.attach("c" + i, true, 60, null);
        }
        assertThat(store.stock.detachedSessions()).isEqualTo(sessions - 120);
        assertThat(store.stock.messages()).isEqualTo(sessions + 86 - 120 - 18);
    }

    /**
     * The range is effectively walked twice at once, by users ahead of the walk, with hardly any inbox kept in memory.
     */
    @Test
    void inboxesThatComeAndGoDuringTheWalkCountOnce() {
        reopen(1, 1);
        int sessions = 600;
        for (int i = 0; i < sessions; i++) {
            store.detach(store.attach("c" + i));
        }
        store.host.changeLeaders();
        store.host.runUntilIdle();
        for (int i = 0; i < sessions; i++) {
            store.detach(store.attach("c" + i));
        }
        store.host.advanceMillis(1_000);
        assertThat(store.stock.detachedSessions()).isEqualTo(sessions);
    }

    /**
     * Of the large messages stored before a leader began, eight of each queue are measured; the others are assumed
     * equal.
     */
    @Test
    void largeMessagesAreMeasuredInPartAndLeaveNothingBehind() {
        reopen(1, 1);
        long a = store.absent("a");
        long b = store.absent("b");
        long sum = 0;
        for (int i = 0; i < 20; i++) {
            int size = 20_000 + 100 * i;
            sum += size;
            store.insert("a", a, store.message("x".repeat(size), 1));
            store.insert("b", b, store.message("y", 1)); // and a is dropped from memory
        }
        assertStock(40, sum + 20);

        store.host.changeLeaders();
        store.host.runUntilIdle();
        assertThat(store.stock.payloadBytes()).isCloseTo(sum + 20, within(20 * 1_000L));
        assertThat(store.stock.messages()).isEqualTo(40);

        for (int rest = 20; rest > 0; rest -= 5) {
            TestConnection connection = store.attach("a");
            connection.attachment().request(5);
            store.host.runUntilIdle();
            connection.acknowledgeAll();
            store.detach(connection);
            store.insert("b", b, store.message("y", 1));
            assertThat(store.stock.messages()).isEqualTo(rest - 5 + 20 + (25 - rest) / 5);
        }
        assertStock(24, 24);
    }

    /** The sizes in a ledger survive its compaction. */
    @Test
    void messagesAcknowledgedOutOfOrderCountForWhatTheyHave() {
        reopen(1, 10);
        long a = store.absent("a");
        TestConnection connection = store.attach("a");
        connection.attachment().request(10_000);
        for (int i = 0; i < 3_000; i++) {
            store.insertLater("a", a, store.message("x".repeat(i % 50), 1));
        }
        store.host.runUntilIdle();
        assertStock(3_000, 3_000 / 50 * (49 * 50 / 2));
        long[] sequences =
                connection.delivered.stream().mapToLong(InboxMessage::sequence).toArray();
        connection.attachment().acknowledge(Arrays.copyOfRange(sequences, 50, 2_900));
        store.host.runUntilIdle();
        assertStock(150, 150 / 50 * (49 * 50 / 2));
        connection.attachment().acknowledge(Arrays.copyOf(sequences, 50));
        store.host.runUntilIdle();
        assertStock(100, 100 / 50 * (49 * 50 / 2));
        connection.attachment().acknowledge(sequences);
        store.host.runUntilIdle();
        assertStock(0, 0);
    }

    private void reopen(int ranges, int maxIdle) {
        store.close();
        InboxConfig config = new InboxConfig(
                10_000, InboxConfig.DropPolicy.NEWEST, true, 100, Duration.ofSeconds(AttachRequest.NEVER), false);
        store = new InboxFixture(InboxFixture.settings(config, maxIdle), ranges, key -> false);
    }

    private void assertStock(long messages, long bytes) {
        assertThat(store.stock.messages()).as("messages").isEqualTo(messages);
        assertThat(store.stock.payloadBytes()).as("bytes").isEqualTo(bytes);
        assertThat(store.stock.payloadBytes(TenantId.DEFAULT))
                .as("of the tenant")
                .isEqualTo(bytes);
        assertThat(store.stock.tenants()).hasSize(bytes > 0 ? 1 : 0);
    }
}
