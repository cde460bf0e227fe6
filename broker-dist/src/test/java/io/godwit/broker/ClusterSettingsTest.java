package io.godwit.broker;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.godwit.broker.config.ConfigException;
import io.godwit.cluster.ClusterConfig;
import io.godwit.cluster.HostPort;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ClusterSettingsTest {
    @TempDir
    private Path directory;

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "clusterConfig:\n",
                "clusterConfig: {env: , host: , port: 8899, clusterDomainName: , seedEndpoints: }",
                "clusterConfig: {env: test, zone: a, tls: {plain: true}}"
            })
    void whoNamesNoOtherNodeRunsAlone(String yaml) throws Exception {
        BrokerConfig config = load(yaml);
        assertThat(ClusterSettings.isClustered(config)).isFalse();
        assertThat(ClusterSettings.warnings(config)).isEmpty();
    }

    /**
     * It is taken as it stands; but since it does not say that nodes need no certificates, only this machine's can
     * join.
     */
    @Test
    void theMinimalFileMakesANodeOfThisMachine() throws Exception {
        BrokerConfig config = load("""
                bootstrap: true
                mqttServerConfig:
                  tcpListener:
                    port: 1883
                clusterConfig:
                  env:
                  host:
                  port: 8899
                  clusterDomainName:
                  seedEndpoints: a:8899,b:8899
                """);
        assertThat(ClusterSettings.isClustered(config)).isTrue();
        assertThat(ClusterSettings.cluster(config))
                .isEqualTo(new ClusterConfig(
                        "",
                        "127.0.0.1",
                        8899,
                        8900,
                        "",
                        List.of(new HostPort("a", 8899), new HostPort("b", 8899)),
                        null,
                        16 << 20));
        assertThat(ClusterSettings.warnings(config)).singleElement().asString().contains("on this machine only");
    }

    @Test
    void everyKeyHasItsPlace() throws Exception {
        BrokerConfig config = load("""
                clusterConfig:
                  env: prod
                  host: 127.0.0.7
                  port: 9000
                  rpcPort: 9100
                  clusterDomainName: godwit.example
                  seedEndpoints: a:8899, [::1]:8900
                  zone: rack-1
                  tls: {plain: true}
                """);
        assertThat(ClusterSettings.cluster(config))
                .isEqualTo(new ClusterConfig(
                        "prod",
                        "127.0.0.7",
                        9000,
                        9100,
                        "godwit.example",
                        List.of(new HostPort("a", 8899), new HostPort("::1", 8900)),
                        null,
                        16 << 20));
        assertThat(ClusterSettings.warnings(config)).as("loopback").isEmpty();
    }

    /** Otherwise one large message would stop a group. */
    @Test
    void theLargestPacketOfAnyListenerFitsIntoAMessage() throws Exception {
        BrokerConfig config = load("""
                mqttServerConfig:
                  tcpListener: [{port: 1}, {port: 2, maxPacketBytes: 268435455}]
                clusterConfig: {host: 127.0.0.1}
                """);
        assertThat(ClusterSettings.cluster(config).maxMessageBytes()).isGreaterThan(268_435_455 + (1 << 20));
    }

    @Test
    void plainIsOnlyWhereItWasSaid() throws Exception {
        assertThat(errors("clusterConfig: {host: 10.0.0.1}"))
                .singleElement()
                .asString()
                .contains("clusterConfig.host:", "clusterConfig.tls.certFile", "clusterConfig.tls.plain");
        BrokerConfig config = load("clusterConfig: {host: 10.0.0.1, tls: {plain: true}}");
        assertThat(ClusterSettings.cluster(config).tls()).isNull();
        assertThat(ClusterSettings.warnings(config))
                .singleElement()
                .asString()
                .contains("clusterConfig.tls.plain is true: everybody");
        BrokerConfig anywhere = load("clusterConfig: {seedEndpoints: a:1, tls: {plain: true}}");
        assertThat(ClusterSettings.cluster(anywhere).host()).isEmpty();
    }

    @Test
    void whatDoesNotFitIsTold() {
        assertThat(errors("clusterConfig: {host: 127.0.0.1, tls: {certFile: a.pem, plain: true}}"))
                .anyMatch(e -> e.startsWith("clusterConfig.tls.keyFile: must name a file"))
                .anyMatch(e -> e.startsWith("clusterConfig.tls.trustCertsFile: must name a file"))
                .anyMatch(e -> e.startsWith("clusterConfig.tls.plain: must not be true"))
                .hasSize(3);
        assertThat(errors("clusterConfig: {host: 127.0.0.1, tls: {requiredName: node}}"))
                .singleElement()
                .asString()
                .startsWith("clusterConfig.tls.requiredName: has no effect");
        assertThat(errors("clusterConfig: {host: 127.0.0.1, port: 9000, rpcPort: 9000}"))
                .singleElement()
                .asString()
                .startsWith("clusterConfig.rpcPort: must be another port");
        assertThat(errors("clusterConfig: {host: 127.0.0.1, port: 65535}"))
                .singleElement()
                .asString()
                .startsWith("clusterConfig.rpcPort:");
        assertThat(errors("clusterConfig: {host: nowhere.invalid, tls: {plain: true}}"))
                .singleElement()
                .asString()
                .contains("clusterConfig.host nowhere.invalid does not resolve");
        assertThat(errors("clusterConfig: {hosts: 127.0.0.1, tls: {plane: true, certfile: a}}"))
                .anyMatch(e -> e.endsWith("clusterConfig.host"))
                .anyMatch(e -> e.endsWith("clusterConfig.tls.plain"))
                .anyMatch(e -> e.endsWith("clusterConfig.tls.certFile"))
                .hasSize(3);
        assertThat(errors("clusterConfig: {seedEndpoints: a}"))
                .singleElement()
                .asString()
                .startsWith("clusterConfig.seedEndpoints: must be host:port");
    }

    @Test
    void certificatesAreReadRelativeToTheFileAndCheckedBeforeTheStart() throws Exception {
        String yaml = "clusterConfig: {seedEndpoints: a:1, "
                + "tls: {certFile: a.pem, keyFile: /k.pem, trustCertsFile: ca.pem, requiredName: node}}";
        assertThat(errors(yaml))
                .singleElement()
                .asString()
                .isEqualTo("clusterConfig.tls: no such file: " + directory.resolve("a.pem"));
    }

    private List<String> errors(String yaml) {
        return catchThrowableOfType(ConfigException.class, () -> load(yaml)).errors();
    }

    private BrokerConfig load(String yaml) throws ConfigException, IOException {
        return ConfigLoader.load(Files.writeString(directory.resolve("test.yml"), yaml), Map.of());
    }
}
