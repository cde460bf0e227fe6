package io.godwit.mqtt;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.mqtt.packet.Connect;
import io.godwit.mqtt.packet.PubAck;
import io.godwit.mqtt.packet.Publish;
import io.godwit.mqtt.packet.field.ReasonCode;
import io.godwit.mqtt.quota.Holdings;
import io.godwit.mqtt.quota.TenantMeters;
import io.godwit.mqtt.tenant.CertificatePart;
import io.godwit.mqtt.tenant.TenantConfig;
import io.godwit.mqtt.tenant.TenantSource;
import io.godwit.mqtt.tenant.UnknownTenant;
import io.godwit.plugin.client.TenantId;
import io.godwit.plugin.message.Qos;
import io.godwit.plugin.tenant.TenantSetting;
import io.godwit.plugin.tenant.TenantSettings;
import io.godwit.testing.Await;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What the clients of a tenant do counts in its meters and in no others, over sockets. */
@Timeout(60)
class TenantMetersOverSocketsTest {
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

    private static TestClient client(TestNode node, String id, String user) {
        TestClient client = new TestClient(node.address, 5);
        Connect connect =
                new Connect(5, true, 0, id, user, null, null, 0, -1, -1, -1, false, true, List.of(), null, null);
        assertThat(client.connect(connect).reasonCode()).isEqualTo(ReasonCode.SUCCESS);
        return client;
    }

    private static double value(TestNode node, String name, String tenant) {
        return node.meters
                .get("godwit.tenant." + name)
                .tag("tenant", tenant)
                .meter()
                .measure()
                .iterator()
                .next()
                .getValue();
    }

    @Test
    void messagesBytesAndThrottlingsAreThoseOfTheTenant() {
        try (TestNode node = new TestNode(BY_USER, TestNode.onAnyPort(TestNode.LIMITS))) {
            node.server
                    .tenants()
                    .accounts()
                    .countedBy(new TenantMeters(
                            2,
                            tenant -> tenant.equals(TenantId.DEFAULT) || tenant.equals(BIRDS),
                            tenant -> false,
                            node.server.tenants().accounts(),
                            Holdings.NONE,
                            node.meters));
            node.server
                    .tenants()
                    .replace(Map.of(
                            BIRDS,
                            TenantSettings.builder()
                                    .set(TenantSetting.MAX_TENANT_BANDWIDTH_IN, 1_000)
                                    .build()));
            try (TestClient bird = client(node, "a", "birds/a");
                    TestClient other = client(node, "b", "b")) {
                bird.subscribe(1, "t", Qos.AT_MOST_ONCE);
                bird.send(TestClient.publish(0, Qos.AT_MOST_ONCE, false, "t", "x".repeat(3_000)));
                bird.receive(Publish.class);
                other.send(TestClient.publish(1, Qos.AT_LEAST_ONCE, false, "t", "y"));
                other.receive(PubAck.class);
                node.server.tenants().accounts().tick(); // registers the series of birds

                assertThat(value(node, "connections", "birds")).isEqualTo(1);
                assertThat(value(node, "publishes.in", "birds")).isEqualTo(1);
                assertThat(value(node, "publishes.out", "birds")).isEqualTo(1);
                assertThat(value(node, "received.bytes", "birds")).isBetween(3_000.0, 3_100.0);
                assertThat(value(node, "sent.bytes", "birds")).isBetween(3_000.0, 3_100.0);
                assertThat(value(node, "throttlings", "birds")).isEqualTo(1);
                assertThat(value(node, "publishes.in", "default")).isEqualTo(1);
                assertThat(value(node, "publishes.out", "default")).isZero();
                assertThat(value(node, "throttlings", "default")).isZero();
                assertThat(value(node, "publishes.in", "(other)")).isZero();
            }
            Await.until("it has left", () -> value(node, "connections", "birds") == 0);
        }
    }
}
