package io.godwit.inbox.report;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.inbox.protocol.InboxId;
import io.godwit.plugin.client.ClientId;
import io.godwit.plugin.client.TenantId;
import org.junit.jupiter.api.Test;

class StockOfTenantsTest {
    private static final TenantId BIRDS = new TenantId("birds");

    private final Stock stock = new Stock();

    private static InboxId inbox(TenantId tenant) {
        return new InboxId(tenant, new ClientId("c"));
    }

    @Test
    void partsAreAddedUpAndTakeTheirsWithThem() {
        Stock.Part one = stock.new Part();
        Stock.Part other = stock.new Part();
        one.add(inbox(BIRDS), 2, 10);
        other.add(inbox(BIRDS), 1, 5);
        assertThat(stock.payloadBytes(BIRDS)).isEqualTo(15);
        assertThat(other.bytesOfAll(BIRDS)).isEqualTo(15);
        assertThat(stock.payloadBytes(TenantId.DEFAULT)).isZero();
        one.stop();
        one.add(inbox(BIRDS), 1, 7);
        assertThat(stock.payloadBytes(BIRDS)).isEqualTo(5);
        assertThat(stock.tenants()).containsExactly(BIRDS);
        other.stop();
        assertThat(stock.tenants()).isEmpty();
        assertThat(stock.knownTenants()).isZero();
    }

    @Test
    void tenantsForWhichNothingWaitsAreForgotten() {
        Stock.Part part = stock.new Part();
        part.add(inbox(BIRDS), 1, 5);
        for (int i = 0; i < 1_000; i++) {
            InboxId inbox = inbox(new TenantId("t" + i));
            part.add(inbox, 1, 5);
            part.add(inbox, -1, -5);
        }
        assertThat(stock.tenants()).containsExactly(BIRDS);
        assertThat(stock.knownTenants()).isLessThan(100);
        part.stop();
        assertThat(stock.knownTenants()).isZero();
    }
}
