package io.godwit.broker.store;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.plugin.client.ClientId;
import io.godwit.plugin.client.ClientInfo;
import io.godwit.plugin.client.TenantId;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class DelayedRoomTest {
    private static final TenantId BIRDS = new TenantId("birds");
    private static final TenantId FISH = new TenantId("fish");
    private static final TenantId FOXES = new TenantId("foxes");

    private final Map<TenantId, Long> stored = new HashMap<>();
    private final List<String> reached = new ArrayList<>();
    private final DelayedRoom room = new DelayedRoom(
            () -> stored.values().stream().mapToLong(Long::longValue).sum(),
            tenant -> stored.getOrDefault(tenant, 0L),
            100);

    /** Stores as many messages of a tenant as there is room for. */
    private int fill(TenantId tenant) {
        int count = 0;
        while (room.tryEnter(tenant)) {
            stored.merge(tenant, 1L, Long::sum);
            room.leave(tenant);
            count++;
        }
        return count;
    }

    @Test
    void oneTenantLeavesRoomForOthers() {
        assertThat(fill(BIRDS)).isEqualTo(90);
        assertThat(fill(FISH)).isEqualTo(9);
        assertThat(fill(FOXES)).as("the last one of the node").isOne();
        assertThat(fill(new TenantId("more"))).isZero();
    }

    @Test
    void whatIsBeingStoredCounts() {
        for (int i = 0; i < 90; i++) {
            assertThat(room.tryEnter(BIRDS)).isTrue();
        }
        assertThat(room.tryEnter(BIRDS)).isFalse();
        assertThat(room.tryEnter(FISH)).isTrue();
        room.leave(BIRDS);
        assertThat(room.tryEnter(BIRDS)).isTrue();
    }

    @Test
    void theQuotaOfATenantHoldsForItAlone() {
        room.limitedBy(new DelayedQuota() {
            @Override
            public long most(TenantId tenant) {
                return tenant.equals(BIRDS) ? 3 : Long.MAX_VALUE;
            }

            @Override
            public void reached(ClientInfo publisher, long most) {
                reached.add(publisher.tenant().value() + ' ' + most);
            }
        });
        assertThat(fill(BIRDS)).isEqualTo(3);
        room.refused(client(BIRDS));
        assertThat(reached).containsExactly("birds 3");

        assertThat(fill(FISH)).isEqualTo(88);
        room.refused(client(FISH));
        assertThat(reached).as("FISH has no quota of its own").hasSize(1);
    }

    @Test
    void aRepeatCountsEvenWithoutRoom() {
        stored.put(BIRDS, 89L);
        room.enter(BIRDS);
        assertThat(room.tryEnter(BIRDS)).isFalse();
        room.leave(BIRDS);
        assertThat(room.tryEnter(BIRDS)).isTrue();
    }

    private static ClientInfo client(TenantId tenant) {
        return new ClientInfo(tenant, new ClientId("c"), null, "127.0.0.1:1", 5);
    }
}
