package io.godwit.broker.check;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.godwit.broker.config.ConfigException;
import io.godwit.broker.conversion.Converted;
import io.godwit.broker.conversion.ForeignFile;
import io.godwit.broker.effective.BrokerConfig;
import io.godwit.broker.effective.ListenerSection;
import io.godwit.broker.tenants.TenantFile;
import io.godwit.mqtt.certificates.TestAuthority;
import io.godwit.plugin.client.TenantId;
import io.godwit.plugin.tenant.TenantSetting;
import io.godwit.plugin.tenant.TenantSettings;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A broker starts with the configurations that are created from files of other brokers. */
class ImportedConfigTest {
    @TempDir
    private Path directory;

    @BeforeEach
    void lay() throws Exception {
        TestAuthority authority = new TestAuthority("root");
        TestAuthority.write(directory, "server", authority.issue("CN=server"));
        TestAuthority.writePem(directory.resolve("root.crt"), authority.certificate());
        for (String name : List.of("mosquitto.conf", "passwords", "rules", "standalone-v3.yml", "standalone-v4.yml")) {
            try (InputStream in = Objects.requireNonNull(ForeignFile.class.getResourceAsStream(name), name)) {
                Files.copy(in, directory.resolve(name));
            }
        }
    }

    private BrokerConfig imported(ForeignFile from, String name) throws Exception {
        Converted made = from.convert(directory.resolve(name), directory);
        Path file = Files.writeString(directory.resolve("made.yml"), made.yaml());
        for (Map.Entry<String, String> each : made.besides().entrySet()) {
            Files.writeString(directory.resolve(each.getKey()), each.getValue());
        }
        return ConfigLoader.load(file, Map.of());
    }

    @ParameterizedTest
    @CsvSource({"MOSQUITTO,mosquitto.conf", "BIFROMQ,standalone-v3.yml", "BIFROMQ,standalone-v4.yml"})
    void passesTheCheck(ForeignFile from, String name) throws Exception {
        assertThat(StartCheck.errors(imported(from, name), directory.resolve("plugins")))
                .isEmpty();
    }

    @Test
    void hasWhatTheOtherFileSaid() throws Exception {
        BrokerConfig config = imported(ForeignFile.MOSQUITTO, "mosquitto.conf");
        assertThat(config.mqtt().sendMaximum()).isEqualTo(20);
        assertThat(config.auth().provider()).isEqualTo("file");
        assertThat(config.listeners().stream()
                        .filter(ListenerSection::isEnabled)
                        .map(ListenerSection::port))
                .containsExactly(1883, 8883, 9001);
    }

    /** The lines of the file beside, and those that a note tells. */
    @Test
    void limitsOfMosquittoHoldForTheTenantOfAll() throws Exception {
        Files.writeString(directory.resolve("limits.conf"), """
                allow_anonymous true
                retain_available false
                listener 1883
                max_qos 1
                accept_protocol_versions 4
                """);
        BrokerConfig config = imported(ForeignFile.MOSQUITTO, "limits.conf");
        assertThat(StartCheck.errors(config, directory.resolve("plugins"))).isEmpty();
        TenantSettings settings = Objects.requireNonNull(
                TenantFile.read(directory.resolve(config.tenants().file())).get(TenantId.DEFAULT));
        assertThat(settings.get(TenantSetting.MAX_QOS)).hasValue(1);
        assertThat(settings.get(TenantSetting.RETAIN)).hasValue(0);
        assertThat(settings.get(TenantSetting.PROTOCOLS)).hasValue(TenantSetting.PROTOCOLS.parse("3.1.1"));

        Path told = Files.writeString(directory.resolve("told.yml"), "tenants: {default: {protocols: [3.1.1, 5.0]}}");
        assertThat(TenantFile.read(told)).containsOnlyKeys(TenantId.DEFAULT);
    }

    /** BifroMQ's own file used as ours: the error for each of its keys names our key for it. */
    @Test
    void keysOfBifromqAreAnsweredByOurs() throws IOException {
        Path file = Files.writeString(directory.resolve("theirs.yml"), """
                authProviderFQN: com.example.Auth
                resourceThrottlerFQN: com.example.Throttler
                settingProviderFQN: com.example.Settings
                clusterConfig: {env: Test}
                mqttServerConfig: {connTimeoutSec: 20, tcpListener: {port: 1883}}
                stateStoreConfig: {queryThreads: 1}
                mqttServiceConfig: {}
                userPropsCustomizerFactoryConfig: {com.example.Customizer: {site: north}}
                clientBalancerFQN: com.example.Balancer
                """);
        assertThatThrownBy(() -> ConfigLoader.load(file, Map.of()))
                .isInstanceOf(ConfigException.class)
                .hasMessageContainingAll(
                        "authProviderFQN: unknown key (line 1), here it is authConfig.provider, and names a plugin",
                        "resourceThrottlerFQN: unknown key (line 2), here it is tenantConfig.resourceThrottler, and",
                        "settingProviderFQN: unknown key (line 3), here it is tenantConfig.settingsProvider, and names",
                        "mqttServerConfig.connTimeoutSec: unknown key (line 5), here it is",
                        "stateStoreConfig: unknown key (line 6), there is no such setting here",
                        "mqttServiceConfig: unknown key (line 7), here it is mqttServerConfig",
                        "userPropsCustomizerFactoryConfig: unknown key (line 8), here it is pluginConfig.user",
                        "clientBalancerFQN: unknown key (line 9), here it is redirectConfig.balancer, and names",
                        "has keys of BifroMQ; \"bin/godwit-admin config import --from bifromq\" makes a file of it");
    }

    /** With a typo, or below a section, the answer is the same. */
    @ParameterizedTest
    @CsvSource({
        "authProvderFQN,authConfig.provider",
        "resourceThrottlerFqn,tenantConfig.resourceThrottler",
        "settingsProviderFQN,tenantConfig.settingsProvider",
        "clientBalancerFQ,redirectConfig.balancer",
        "userPropCustomizerFactoryConfig,pluginConfig.userProperties",
    })
    void aMistypedKeyOfBifromqIsAnsweredByOurs(String key, String ours) throws IOException {
        for (String text : List.of(key + ": a.B\n", "mqttServerConfig:\n  " + key + ": a.B\n")) {
            Path file = Files.writeString(directory.resolve("theirs.yml"), text);
            assertThatThrownBy(() -> ConfigLoader.load(file, Map.of()))
                    .isInstanceOf(ConfigException.class)
                    .hasMessageContaining(key + ": unknown key (line ")
                    .hasMessageContaining("here it is " + ours + ", and names a plugin");
        }
    }

    @Test
    void aMistypedKeyOfOursIsAnsweredByTheNearest() throws IOException {
        Path file = Files.writeString(directory.resolve("ours.yml"), "tenantConfig: {settingProvider: plans}\n");
        assertThatThrownBy(() -> ConfigLoader.load(file, Map.of()))
                .isInstanceOf(ConfigException.class)
                .hasMessageContaining("the nearest valid one is tenantConfig.settingsProvider")
                .hasMessageNotContaining("BifroMQ");
    }
}
