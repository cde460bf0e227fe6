package io.godwit.broker.effective;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.godwit.broker.check.ConfigLoader;
import io.godwit.broker.cluster.NodeWaits;
import io.godwit.broker.config.ConfigException;
import io.godwit.cluster.config.ClusterConfig;
import io.godwit.cluster.config.HostPort;
import io.godwit.cluster.link.LinkSettings;
import io.godwit.dist.DistConfig;
import io.godwit.inbox.carrier.home.HomeSettings;
import io.godwit.kv.client.SilentNode;
import io.godwit.mqtt.session.core.SessionConfig;
import io.godwit.plugin.event.EventListener;
import io.godwit.retain.RetainConfig;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
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
     * The file is accepted unchanged; but as it does not say that nodes need no certificates, only nodes on this
     * machine can join.
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
        assertThat(ClusterSettings.warnings(config)).singleElement().asString().contains("only nodes on this machine");
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
        assertThat(ClusterSettings.warnings(config))
                .as("a loopback address needs no warning")
                .isEmpty();
    }

    @Test
    void everyWaitHasItsPlace() throws Exception {
        BrokerConfig config = load("""
                clusterConfig:
                  waits:
                    confirmationSeconds: 11
                    sharedChoiceSeconds: 26
                    routeSeconds: 12
                    proofSeconds: 13
                    clientIdSeconds: 25
                    silentMemberSeconds: 14
                    homeSeconds: 15
                    homeMovedSeconds: 16
                    homeLostSeconds: 17
                    connectionSeconds: 18
                    linkSeconds: 19
                    heldMessageSeconds: 27
                    retainedSeconds: 20s
                    handOverSeconds: 21
                    leaveSeconds: 1m
                """);
        NodeWaits waits = new NodeWaits(config.cluster().waits(), EventListener.NONE, new SimpleMeterRegistry());
        assertThat(List.of(
                        waits.confirmation(),
                        BrokerSettings.dist(config).routeTimeout(),
                        waits.proof(),
                        waits.silentMember(),
                        waits.home(),
                        waits.connection(),
                        waits.link(),
                        BrokerSettings.retain(config).timeout(),
                        waits.handOver(),
                        waits.clientId(),
                        waits.sharedChoice(),
                        waits.heldMessage(),
                        waits.leave()))
                .extracting(Duration::toSeconds)
                .containsExactly(11L, 12L, 13L, 14L, 15L, 18L, 19L, 20L, 21L, 25L, 26L, 27L, 60L);
        assertThat(BrokerSettings.mqtt(config).session().homes()).isEqualTo(new SessionConfig.Homes(16, 17));
    }

    /**
     * Time-outs that refuse or disconnect a client of another node must be longer than the time until all ranges are
     * served again.
     */
    @Test
    void whatEndsAClientOutlastsASilentNode() throws Exception {
        BrokerConfig config = load("");
        NodeWaits waits = new NodeWaits(config.cluster().waits(), EventListener.NONE, new SimpleMeterRegistry());
        SessionConfig.Homes homes = BrokerSettings.mqtt(config).session().homes();
        assertThat(List.of(
                        BrokerSettings.dist(config).routeTimeout(),
                        waits.proof(),
                        waits.clientId(),
                        waits.home(),
                        Duration.ofSeconds(homes.movedPatience()),
                        Duration.ofSeconds(homes.lostPatience()),
                        waits.link(),
                        waits.sharedChoice(),
                        waits.heldMessage(),
                        BrokerSettings.retain(config).timeout()))
                .allMatch(wait -> wait.compareTo(SilentNode.PATIENCE) >= 0);
        assertThat(SilentNode.PATIENCE).isGreaterThan(SilentNode.SERVED_AGAIN);
    }

    /** The defaults are the former constants, which the parts still have without a configuration. */
    @Test
    void theWaitsHaveTheDefaultsOfTheirParts() throws Exception {
        BrokerConfig config = load("");
        NodeWaits waits = new NodeWaits(config.cluster().waits(), EventListener.NONE, new SimpleMeterRegistry());
        assertThat(waits.connection())
                .as("with less time, wills of connected clients would be published")
                .isGreaterThan(waits.link().plusSeconds(2));
        assertThat(waits.heldMessage())
                .as("with less time, publishes would be refused when a node is lost")
                .isGreaterThan(waits.link().plusSeconds(2));
        assertThat(waits.sharedChoice())
                .as("with less time, publishes would be refused when a node is silent")
                .isGreaterThanOrEqualTo(waits.confirmation().plus(SilentNode.PATIENCE));
        assertThat(BrokerSettings.dist(config).routeTimeout()).isEqualTo(DistConfig.DEFAULT.routeTimeout());
        assertThat(BrokerSettings.retain(config)).isEqualTo(RetainConfig.DEFAULT);
        assertThat(BrokerSettings.mqtt(config).session().homes()).isEqualTo(SessionConfig.Homes.DEFAULTS);
        assertThat(waits.home().toMillis()).isEqualTo(HomeSettings.DEFAULT.waitMillis());
        assertThat(waits.link()).isEqualTo(LinkSettings.of("test").silence());
    }

    @Test
    void aWaitThatIsTooShortForTheLossOfANodeIsWarnedOf() throws Exception {
        String yaml = "clusterConfig: {host: 127.0.0.1, waits: {linkSeconds: %d, heldMessageSeconds: %d,"
                + " confirmationSeconds: %d, sharedChoiceSeconds: %d}}";
        assertThat(ClusterSettings.warnings(load(yaml.formatted(40, 41, 7, 22))))
                .isEmpty();
        assertThat(ClusterSettings.warnings(load(yaml.formatted(40, 40, 7, 21))))
                .satisfiesExactly(
                        held -> assertThat(held)
                                .startsWith("clusterConfig.waits.heldMessageSeconds is 40, not longer than"
                                        + " clusterConfig.waits.linkSeconds, which is 40:"),
                        choice -> assertThat(choice)
                                .startsWith("clusterConfig.waits.sharedChoiceSeconds is 21, less than 22 "));
        assertThat(ClusterSettings.warnings(load("clusterConfig: {waits: {heldMessageSeconds: 1}}")))
                .as("a node alone")
                .isEmpty();
    }

    /** Otherwise one large message would block a group. */
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
                .startsWith("clusterConfig.rpcPort: must be at most");
        assertThat(errors("clusterConfig: {host: 127.0.0.1, port: 65535}"))
                .singleElement()
                .asString()
                .startsWith("clusterConfig.rpcPort:");
        assertThat(errors("clusterConfig: {host: nowhere.invalid, tls: {plain: true}}"))
                .singleElement()
                .asString()
                .contains("clusterConfig.host nowhere.invalid does not resolve");
        assertThat(errors("clusterConfig: {host: 127.0.0.1, waits: {clientIdSeconds: 5, silentMemberSeconds: 5}}"))
                .singleElement()
                .asString()
                .startsWith("clusterConfig.waits.silentMemberSeconds: must be less than");
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
