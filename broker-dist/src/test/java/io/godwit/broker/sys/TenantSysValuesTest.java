package io.godwit.broker.sys;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.mqtt.quota.Holdings;
import io.godwit.mqtt.quota.TenantAccount;
import io.godwit.mqtt.quota.TenantAccounts;
import io.godwit.mqtt.quota.TenantMeters;
import io.godwit.plugin.client.TenantId;
import io.godwit.plugin.throttle.TenantResource;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.util.Arrays;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;

class TenantSysValuesTest {
    private static final TenantId BIRDS = new TenantId("birds");
    private static final Holdings HOLDINGS = new Holdings() {
        @Override
        public long detachedSessions(TenantId tenant) {
            return 3;
        }

        @Override
        public long liveSubscriptions(TenantId tenant) {
            return 4;
        }

        @Override
        public long storedSubscriptions(TenantId tenant) {
            return 5;
        }

        @Override
        public long retainedMessages(TenantId tenant) {
            return 6;
        }
    };

    private static long[] noLimits() {
        long[] most = new long[TenantResource.values().length];
        Arrays.fill(most, TenantAccount.ANY);
        return most;
    }

    @Test
    void aTenantIsToldOfItselfAndNothingOfTheNode() {
        TenantAccounts accounts = new TenantAccounts(tenant -> noLimits(), () -> 0);
        TenantMeters counting =
                new TenantMeters(0, tenant -> true, BIRDS::equals, accounts, HOLDINGS, new SimpleMeterRegistry());
        accounts.countedBy(counting);
        accounts.enter(BIRDS);
        TenantAccount account = accounts.of(BIRDS);
        account.publishRead();
        account.bytesRead(10);
        account.delivered(1);
        account.delivered(1);
        account.bytesWritten(20);
        account.dropped();
        Set<TenantId> told = Set.of(BIRDS, TenantId.DEFAULT, new TenantId("fish"));

        assertThat(new TenantSysValues(() -> told, accounts, counting, HOLDINGS).next())
                .containsExactly(Map.entry(
                        BIRDS,
                        Map.of(
                                "clients/connected", "1",
                                "clients/disconnected", "3",
                                "clients/total", "4",
                                "publish/messages/received", "1",
                                "publish/messages/sent", "2",
                                "publish/messages/dropped", "1",
                                "bytes/received", "10",
                                "bytes/sent", "20",
                                "subscriptions/count", "9",
                                "retained messages/count", "6")));
    }
}
