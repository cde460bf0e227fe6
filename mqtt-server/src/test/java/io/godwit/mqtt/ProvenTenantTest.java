package io.godwit.mqtt;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.mqtt.packet.ConnAck;
import io.godwit.mqtt.packet.Connect;
import io.godwit.mqtt.packet.field.ReasonCode;
import io.godwit.mqtt.tenant.CertificatePart;
import io.godwit.mqtt.tenant.TenantConfig;
import io.godwit.mqtt.tenant.TenantSource;
import io.godwit.mqtt.tenant.UnknownTenant;
import io.godwit.mqtt.twin.MemoryAuth;
import io.godwit.plugin.auth.ConnectResult;
import io.godwit.plugin.client.TenantId;
import io.godwit.plugin.event.BrokerEvent;
import io.godwit.plugin.tenant.TenantSettings;
import io.godwit.testing.Await;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * A client proves another user name than its CONNECT has, by SCRAM, a token, a certificate or an answer of a service.
 * Its tenant is that of the proven name.
 */
class ProvenTenantTest {
    private static final TenantId BIRDS = new TenantId("birds");
    private static final TenantConfig BY_USER = new TenantConfig(
            List.of(TenantSource.USER_NAME),
            true,
            false,
            UnknownTenant.REFUSE,
            "/",
            "",
            CertificatePart.SUBJECT_O,
            null);

    private int clients;
    private final MemoryAuth auth = new MemoryAuth() // the provider's checks are fixed when the node starts
            .onConnect(request -> CompletableFuture.completedFuture(ConnectResult.Accepted.as(request.client())));
    private final TestNode node = new TestNode(BY_USER, auth, TestNode.onAnyPort(TestNode.LIMITS));

    ProvenTenantTest() {
        node.server.tenants().replace(Map.of(BIRDS, TenantSettings.NONE, new TenantId("fish"), TenantSettings.NONE));
    }

    @AfterEach
    void close() {
        node.close();
    }

    /** Lets a client in, by password or in an exchange. */
    private void accepts(Function<TenantId, ConnectResult> result) {
        auth.onConnect(request ->
                CompletableFuture.completedFuture(result.apply(request.client().tenant())));
        auth.onExchange(request -> data ->
                CompletableFuture.completedFuture(result.apply(request.client().tenant())));
    }

    private ConnAck answer(@Nullable String user, @Nullable String method) {
        Connect connect = new Connect(
                5,
                true,
                0,
                "c" + ++clients, // the one before may not have left yet, and was another user's
                user,
                "any".getBytes(StandardCharsets.UTF_8),
                null,
                -1,
                -1,
                -1,
                -1,
                false,
                true,
                List.of(),
                method,
                null);
        try (TestClient client = new TestClient(node.address, 5)) {
            return client.connect(connect);
        }
    }

    /** The tenants of connected clients, in the order of connecting. */
    private List<String> tenants() {
        return node.events.stream()
                .filter(BrokerEvent.ClientConnected.class::isInstance)
                .map(event ->
                        ((BrokerEvent.ClientConnected) event).client().tenant().value())
                .toList();
    }

    /** The tenant of a client that connects with this user name and method. */
    private String tenantOf(@Nullable String user, @Nullable String method) {
        int before = tenants().size();
        assertThat(answer(user, method).reasonCode()).isEqualTo(ReasonCode.SUCCESS);
        Await.until("it is told", () -> tenants().size() > before);
        return tenants().get(before);
    }

    @Test
    void nobodyComesIntoATenantByAUserNameThatIsNotProven() {
        accepts(tenant -> new ConnectResult.Accepted(tenant, "fish/lamp"));
        assertThat(tenantOf("birds/any", null)).isEqualTo("fish");
        assertThat(tenantOf("birds/any", "TALK")).isEqualTo("fish");
        assertThat(tenantOf(null, "TALK")).isEqualTo("fish");
        assertThat(tenantOf("fish/other", null)).isEqualTo("fish");
        accepts(tenant -> new ConnectResult.Accepted(tenant, "lamp"));
        assertThat(tenantOf("birds/any", null))
                .as("the user name proves no tenant")
                .isEqualTo("default");
        accepts(tenant -> new ConnectResult.Accepted(tenant, null));
        assertThat(tenantOf("birds/any", "TALK")).as("no user name is proven").isEqualTo("default");
    }

    @ParameterizedTest
    @ValueSource(strings = {"PASSWORD", "TALK"})
    void aProvenUserOfAnUnknownTenantIsRefused(String method) {
        accepts(tenant -> new ConnectResult.Accepted(tenant, "cats/tom"));
        assertThat(answer("birds/any", method.equals("TALK") ? method : null).reasonCode())
                .isEqualTo(ReasonCode.NOT_AUTHORIZED);
        assertThat(node.events)
                .filteredOn(BrokerEvent.ConnectDenied.class::isInstance)
                .extracting(event -> ((BrokerEvent.ConnectDenied) event).detail())
                .containsExactly("its tenant is not known");
        assertThat(node.directory.size()).as("client ids in use").isZero();
    }

    @Test
    void aProviderThatKnowsTheTenantHasTheLastWord() {
        accepts(tenant -> new ConnectResult.Accepted(tenant, "ann").in(BIRDS));
        assertThat(tenantOf("birds/any", null)).isEqualTo("birds");
        assertThat(tenantOf("fish/any", null)).isEqualTo("birds");
        accepts(tenant -> new ConnectResult.Accepted(BIRDS, "ann"));
        assertThat(tenantOf("fish/any", null)).isEqualTo("birds");
        accepts(tenant -> new ConnectResult.Accepted(tenant, "ann")
                .in(BIRDS)
                .granting("a")
                .lasting(null));
        assertThat(tenantOf("birds/any", "TALK")).isEqualTo("birds");
        accepts(tenant -> new ConnectResult.Accepted(tenant, "birds/any"));
        assertThat(tenantOf("birds/any", null)).isEqualTo("birds");
    }
}
