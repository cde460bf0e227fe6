package io.godwit.broker.effective;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.godwit.broker.check.ConfigLoader;
import io.godwit.broker.config.ConfigException;
import io.godwit.inbox.InboxConfig.DropPolicy;
import io.godwit.inbox.TenantQueue;
import io.godwit.mqtt.tenant.CertificatePart;
import io.godwit.mqtt.tenant.TenantConfig;
import io.godwit.mqtt.tenant.TenantSource;
import io.godwit.mqtt.tenant.UnknownTenant;
import io.godwit.plugin.tenant.TenantSetting;
import io.godwit.plugin.tenant.TenantSettings;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The tenants' part of the configuration file. */
class TenantsOfTest {
    @TempDir
    private Path directory;

    private BrokerConfig load(String yaml) throws Exception {
        return ConfigLoader.load(Files.writeString(directory.resolve("standalone.yml"), yaml), Map.of());
    }

    private List<String> errors(String yaml) throws IOException {
        Path file = Files.writeString(directory.resolve("standalone.yml"), yaml);
        return catchThrowableOfType(ConfigException.class, () -> ConfigLoader.load(file, Map.of()))
                .errors();
    }

    @Test
    void aListenerNamesATenantUnlessOthersDo() throws Exception {
        BrokerConfig config = load("mqttServerConfig: {tcpListener: [{port: 1883, tenant: birds}, {port: 1884}]}");
        assertThat(BrokerSettings.mqtt(config).listeners())
                .extracting(listener -> listener.tenant())
                .containsExactly("birds", "");
        assertThat(TenantsOf.naming(config))
                .isEqualTo(new TenantConfig(
                        List.of(TenantSource.LISTENER),
                        true,
                        false,
                        UnknownTenant.REFUSE,
                        "/",
                        "",
                        CertificatePart.SUBJECT_O,
                        null));
    }

    @Test
    void everyKeyIsRead() throws Exception {
        TenantConfig naming = TenantsOf.naming(load("""
                tenantConfig:
                  sources: [user-name, listener]
                  sourcesMustAgree: false
                  unnamed: refuse
                  unknown: accept
                  userNameSeparator: "@"
                  sniDomain: MQTT.example.org
                  certificatePart: san-uri
                  certificatePattern: "spiffe://example.org/([^/]+)"
                """));
        assertThat(naming.sources()).containsExactly(TenantSource.USER_NAME, TenantSource.LISTENER);
        assertThat(naming.mustAgree()).isFalse();
        assertThat(naming.refusesUnnamed()).isTrue();
        assertThat(naming.unknown()).isEqualTo(UnknownTenant.ACCEPT);
        assertThat(naming.separator()).isEqualTo("@");
        assertThat(naming.sniDomain()).isEqualTo("mqtt.example.org");
        assertThat(naming.part()).isEqualTo(CertificatePart.SAN_URI);
        assertThat(String.valueOf(naming.pattern())).isEqualTo("spiffe://example.org/([^/]+)");
    }

    @Test
    void whatCannotWorkIsAnError() throws Exception {
        assertThat(errors("""
                mqttServerConfig: {tcpListener: {tenant: birds}}
                tenantConfig: {sources: [sni, certificate]}
                """))
                .containsExactly(
                        "mqttServerConfig.tcpListener.tenant: has no effect unless tenantConfig.sources has listener",
                        "tenantConfig.sources: sni and certificate need a listener with TLS");
        assertThat(errors("mqttServerConfig: {tcpListener: {tenant: a b}}"))
                .singleElement()
                .asString()
                .contains("tcpListener.tenant", "1 to 64 letters");
        assertThat(errors("tenantConfig: {certificatePattern: \"no group\"}"))
                .singleElement()
                .asString()
                .contains("tenantConfig.certificatePattern", "one group");
    }

    @Test
    void aFileWithMistakesEndsTheStart() throws Exception {
        Files.writeString(directory.resolve("tenants.yml"), "tenants: {birds: {maxQos: 7}}");
        BrokerConfig config = load("tenantConfig: {file: tenants.yml}");
        assertThatThrownBy(() -> TenantsOf.check(config))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("tenants.birds.maxQos");
    }

    @Test
    void aQueueHasOfTheNodeWhatTheTenantDoesNotSay() throws Exception {
        BrokerConfig config = load("sessionConfig: {maxQueuedMessages: 5, overflowPolicy: drop-oldest}");
        assertThat(TenantsOf.queue(TenantSettings.NONE, config))
                .isEqualTo(new TenantQueue(5, DropPolicy.OLDEST, true, Long.MAX_VALUE));
        TenantSettings own = TenantSettings.builder()
                .set(TenantSetting.MAX_QUEUED_MESSAGES, 7)
                .set(TenantSetting.OVERFLOW_POLICY, 0)
                .set(TenantSetting.QUEUE_QOS0, false)
                .set(TenantSetting.MAX_TENANT_QUEUED_BYTES, 9)
                .build();
        assertThat(TenantsOf.queue(own, config)).isEqualTo(new TenantQueue(7, DropPolicy.NEWEST, false, 9));
    }
}
