package io.godwit.inbox.leader;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.inbox.client.InsertOutcome;
import io.godwit.inbox.ledger.QueueBounds;
import io.godwit.inbox.ledger.QueueSettings;
import io.godwit.plugin.client.TenantId;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** What waits for all sessions of a tenant is bounded. */
class TenantBytesTest {
    private final QueueSettings settings = InboxFixture.settings(InboxFixture.LATE_PUSH, 4096);
    private final InboxFixture store = new InboxFixture(settings, 1, key -> false);

    @AfterEach
    void close() {
        store.close();
    }

    private void bound(long bytes) {
        settings.tenants().mostBytes(Map.of(TenantId.DEFAULT, bytes));
    }

    private void takeAll(String clientId) {
        TestConnection connection = store.attach(clientId);
        connection.attachment().request(100);
        store.host.runUntilIdle();
        connection.acknowledgeAll();
        store.host.runUntilIdle();
        store.detach(connection);
    }

    @Test
    void sessionsOfATenantShareItsBytes() {
        long a = store.absent("a");
        long b = store.absent("b");
        bound(10);
        assertThat(store.insert("a", a, store.message("12345", 1))).isEqualTo(InsertOutcome.STORED);
        assertThat(store.insert("b", b, store.message("12345", 1))).isEqualTo(InsertOutcome.STORED);
        assertThat(store.insert("a", a, store.message("", 1)))
                .as("an empty message takes no bytes")
                .isEqualTo(InsertOutcome.STORED);
        assertThat(store.insert("a", a, store.message("1", 1))).isEqualTo(InsertOutcome.DROPPED);
        store.insert("b", b, store.message("1", 0));
        assertThat(store.dropped("tenant_queue_full")).isEqualTo(2);
        assertThat(store.stock.payloadBytes(TenantId.DEFAULT)).isEqualTo(10);

        takeAll("b");
        assertThat(store.insert("a", a, store.message("12345", 1))).isEqualTo(InsertOutcome.STORED);
        bound(1_000);
        assertThat(store.insert("a", a, store.message("12345", 1))).isEqualTo(InsertOutcome.STORED);
        bound(3);
        assertThat(store.insert("a", a, store.message("1", 1))).isEqualTo(InsertOutcome.DROPPED);
        assertThat(store.stock.payloadBytes(TenantId.DEFAULT))
                .as("stored messages stay when the limit is lowered")
                .isEqualTo(15);
    }

    @Test
    void whoTakesWhatItIsGivenIsSentAllTheSame() {
        long a = store.absent("a");
        long b = store.absent("b");
        bound(10);
        assertThat(store.insert("a", a, store.message("1234567890", 1))).isEqualTo(InsertOutcome.STORED);
        TestConnection connection = store.attach("b");
        assertThat(store.insert("b", b, store.message("1", 1)))
                .as("the client requests no messages yet")
                .isEqualTo(InsertOutcome.DROPPED);
        connection.attachment().request(2);
        store.host.runUntilIdle();
        for (int i = 0; i < 2; i++) {
            assertThat(store.insert("b", b, store.message("1", 1))).isEqualTo(InsertOutcome.STORED);
        }
        assertThat(connection.delivered).hasSize(2);
        assertThat(store.insert("b", b, store.message("1", 1)))
                .as("the client has requested no further messages")
                .isEqualTo(InsertOutcome.DROPPED);
    }

    @Test
    void theBrokersOwnSessionsNeitherCountNorAreBounded() {
        long own = store.absent("\0own");
        bound(1);
        assertThat(store.insert("\0own", own, store.message("12345", 1))).isEqualTo(InsertOutcome.STORED);
        assertThat(store.stock.payloadBytes(TenantId.DEFAULT)).isZero();
        assertThat(store.stock.payloadBytes()).isEqualTo(5);
    }

    @Test
    void theSettingHoldsWhateverOtherNodesLeave() {
        long a = store.absent("a");
        settings.tenants().bound(TenantId.DEFAULT, new QueueBounds(100, false, 10, 5));
        assertThat(store.insert("a", a, store.message("123456", 1))).isEqualTo(InsertOutcome.DROPPED);
        bound(1_000);
        assertThat(store.insert("a", a, store.message("123456", 1))).isEqualTo(InsertOutcome.DROPPED);
        bound(4);
        assertThat(store.insert("a", a, store.message("12345", 1))).isEqualTo(InsertOutcome.DROPPED);
        settings.tenants().mostBytes(Map.of());
        assertThat(store.insert("a", a, store.message("12345", 1))).isEqualTo(InsertOutcome.STORED);
        settings.tenants().bound(TenantId.DEFAULT, null);
        assertThat(store.insert("a", a, store.message("12345", 1))).isEqualTo(InsertOutcome.STORED);
    }
}
