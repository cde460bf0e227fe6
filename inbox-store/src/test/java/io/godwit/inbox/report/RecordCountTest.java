package io.godwit.inbox.report;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.inbox.protocol.InboxId;
import io.godwit.plugin.client.ClientId;
import io.godwit.plugin.client.TenantId;
import org.junit.jupiter.api.Test;

class RecordCountTest {
    private static final TenantId BIRDS = new TenantId("birds");
    private static final TenantId FISH = new TenantId("fish");

    private final RecordCount records = new RecordCount(id -> id.value().startsWith("counted"));

    private static InboxId id(TenantId tenant, String clientId) {
        return new InboxId(tenant, new ClientId(clientId));
    }

    @Test
    void eachTenantHasItsOwnCount() {
        RecordCount.Part one = records.new Part();
        RecordCount.Part other = records.new Part();
        one.written(id(BIRDS, "counted1"));
        one.written(id(BIRDS, "counted1"));
        one.written(id(BIRDS, "not"));
        one.written(id(FISH, "counted1"));
        other.found(id(BIRDS, "counted2"));
        assertThat(records.total()).isEqualTo(3);
        assertThat(records.total(BIRDS)).isEqualTo(2);
        assertThat(records.total(FISH)).isOne();

        one.deleted(id(BIRDS, "counted1"));
        one.deleted(id(BIRDS, "counted1"));
        assertThat(records.total(BIRDS)).isOne();
        assertThat(records.total(FISH)).isOne();

        one.stop();
        assertThat(records.total(FISH)).isZero();
        assertThat(records.total(BIRDS)).as("in the range of the other leader").isOne();
        assertThat(records.total()).isOne();
    }
}
