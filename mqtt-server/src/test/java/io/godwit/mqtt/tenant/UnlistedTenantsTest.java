package io.godwit.mqtt.tenant;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.plugin.client.TenantId;
import io.godwit.plugin.tenant.TenantSettings;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** Where clients may name any tenant, a node does not keep endlessly many. */
class UnlistedTenantsTest {
    private final Tenants tenants = new Tenants(2);

    private TenantAnswer known(String tenant) {
        CompletableFuture<TenantAnswer> answer = tenants.known(new TenantId(tenant));
        assertThat(answer).isCompleted();
        return answer.getNow(null);
    }

    @Test
    void tenantsThatNobodyHasListedAreBounded() {
        tenants.replace(Map.of(new TenantId("birds"), TenantSettings.NONE));
        for (int round = 0; round < 2; round++) {
            assertThat(known("a")).isEqualTo(TenantAnswer.KNOWN);
            assertThat(known("b")).isEqualTo(TenantAnswer.KNOWN);
            assertThat(known("c")).isEqualTo(TenantAnswer.TOO_MANY);
            assertThat(known("birds")).isEqualTo(TenantAnswer.KNOWN);
            assertThat(known("default")).isEqualTo(TenantAnswer.KNOWN);
        }
        tenants.replace(Map.of(new TenantId("c"), TenantSettings.NONE));
        assertThat(known("c")).as("c is listed now").isEqualTo(TenantAnswer.KNOWN);
    }

    @Test
    void whoIsAskedBoundsThem() {
        tenants.ask(tenant -> CompletableFuture.completedFuture(TenantAnswer.NO_TENANT));
        for (String tenant : new String[] {"a", "b", "c"}) {
            assertThat(known(tenant)).isEqualTo(TenantAnswer.NO_TENANT);
        }
    }

    /** One who says what tenants may use forgets those that have gone; what else is kept of them stays. */
    @Test
    void whoKnowsEveryTenantDoesNotLiftTheBound() {
        tenants.replace(Map.of(new TenantId("birds"), TenantSettings.NONE));
        tenants.ask(tenant -> CompletableFuture.completedFuture(TenantAnswer.KNOWN));
        for (int round = 0; round < 2; round++) {
            assertThat(known("a")).isEqualTo(TenantAnswer.KNOWN);
            assertThat(known("b")).isEqualTo(TenantAnswer.KNOWN);
            assertThat(known("c")).isEqualTo(TenantAnswer.TOO_MANY);
            assertThat(known("birds")).isEqualTo(TenantAnswer.KNOWN);
            assertThat(known("default")).isEqualTo(TenantAnswer.KNOWN);
        }
    }
}
