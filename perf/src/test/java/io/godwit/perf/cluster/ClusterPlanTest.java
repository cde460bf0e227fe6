package io.godwit.perf.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.yaml.snakeyaml.Yaml;

class ClusterPlanTest {
    @TempDir
    private Path home;

    private UnpackedDistribution distribution;

    @BeforeEach
    void distribution() throws Exception {
        distribution = FakeDistribution.make(home.resolve("dist"), FakeDistribution.SERVING, 3);
    }

    private ClusterPlan plan(int nodes, int voters) {
        List<Integer> ports = IntStream.range(21_000, 21_000 + ClusterPlan.portsFor(nodes))
                .boxed()
                .toList();
        return ClusterPlan.of(settings(nodes, voters), Path.of("/somewhere/cluster-7"), ports);
    }

    private ClusterSetup settings(int nodes, int voters) {
        return new ClusterSetup(distribution, nodes, voters, "512m", List.of("-Da=b"), false, false);
    }

    private static Map<String, Object> read(ClusterPlan plan, NodePlan node, Optional<NodeCertificate> certificate) {
        return new Yaml().load(node.configuration(plan.nodes(), plan.environment(), certificate));
    }

    @Test
    void eachNodeHasPortsAndADirectoryOfItsOwn() {
        List<NodePlan> nodes = plan(3, 3).nodes();

        assertThat(nodes)
                .flatExtracting(NodePlan::port, NodePlan::memberPort, NodePlan::rpcPort)
                .hasSize(9)
                .doesNotHaveDuplicates();
        assertThat(nodes)
                .extracting(NodePlan::home)
                .containsExactly(
                        Path.of("/somewhere/cluster-7/n1"),
                        Path.of("/somewhere/cluster-7/n2"),
                        Path.of("/somewhere/cluster-7/n3"));
    }

    @Test
    void allNodesNameTheSameSeedsAndListenOnTheLoopbackAddress() {
        ClusterPlan plan = plan(3, 3);

        assertThat(plan.nodes()).allSatisfy(node -> {
            Map<String, Object> yaml = read(plan, node, Optional.empty());
            assertThat(yaml).containsOnlyKeys("mqttServerConfig", "apiServerConfig", "storeConfig", "clusterConfig");
            assertThat(yaml.get("mqttServerConfig"))
                    .isEqualTo(Map.of(
                            "maxConnBandwidth", 0, "tcpListener", Map.of("host", "127.0.0.1", "port", node.port())));
            assertThat(yaml.get("clusterConfig"))
                    .isEqualTo(Map.of(
                            "env",
                            "cluster-7",
                            "host",
                            "127.0.0.1",
                            "port",
                            node.memberPort(),
                            "rpcPort",
                            node.rpcPort(),
                            "seedEndpoints",
                            "127.0.0.1:21001,127.0.0.1:21004,127.0.0.1:21007"));
        });
    }

    /** Else the start takes half a minute longer. */
    @Test
    void replicasDoNotWaitForNewNodesToSettle() {
        ClusterPlan plan = plan(3, 3);
        Map<String, Object> store = Map.of("balanceSettings", List.of("replica-count.settleSeconds=1"));

        assertThat(read(plan, plan.nodes().get(0), Optional.empty()).get("storeConfig"))
                .isEqualTo(Map.of("dist", store, "inbox", store, "retain", store));
    }

    @Test
    void aNodeAloneIsInNoCluster() {
        ClusterPlan plan = plan(1, 1);

        assertThat(read(plan, plan.nodes().get(0), Optional.empty()))
                .containsOnlyKeys("mqttServerConfig", "apiServerConfig");
        assertThat(plan.jvmOptions()).isEqualTo("-Da=b");
    }

    @Test
    void votersAndHeapAreOptionsOfEachBroker() {
        assertThat(plan(3, 1).jvmOptions()).isEqualTo("-Dinbox_store_replica_voter_count=1 -Da=b");
        assertThat(plan(3, 1).heapOptions()).isEqualTo("-Xmx512m");
    }

    @Test
    void keysOfTheConfigurationAreVariablesOfEachBroker() {
        ClusterSetup settings = settings(1, 1).with(Map.of("mqttServerConfig.maxPacketBytes", "24MB"), "1m");
        ClusterPlan plan = ClusterPlan.of(settings, Path.of("/somewhere/cluster-7"), List.of(1, 2, 3));

        assertThat(plan.variables()).isEqualTo(Map.of("GODWIT_MQTT_SERVER_CONFIG_MAX_PACKET_BYTES", "24MB"));
        assertThat(plan(1, 1).variables()).isEmpty();
    }

    @ParameterizedTest
    @CsvSource({"1g, -Xmx1g", "512m, -Xmx512m", "513m, -Xmx513m", "600000k, -Xmx600000k", "1m, -Xmx512m"})
    void whoNeedsMoreHeapGetsIt(String least, String option) {
        ClusterSetup settings = settings(1, 1).with(Map.of(), least);

        assertThat(ClusterPlan.of(settings, Path.of("/c"), List.of(1, 2, 3)).heapOptions())
                .isEqualTo(option);
    }

    @Test
    void nodesWithACertificateTrustItAlone() {
        ClusterPlan plan = plan(2, 2);
        Optional<NodeCertificate> certificate =
                Optional.of(new NodeCertificate(Path.of("/c d/node.crt"), Path.of("/c d/node.key")));

        assertThat(read(plan, plan.nodes().get(1), certificate).get("clusterConfig"))
                .asInstanceOf(org.assertj.core.api.InstanceOfAssertFactories.MAP)
                .containsEntry(
                        "tls",
                        Map.of(
                                "certFile", "/c d/node.crt",
                                "keyFile", "/c d/node.key",
                                "trustCertsFile", "/c d/node.crt"));
    }

    @ParameterizedTest
    @CsvSource({
        "0, 1, --nodes must be 1 to 9",
        "10, 3, --nodes must be 1 to 9",
        "3, 0, --voters must be 1 to 3 of 3 nodes",
        "3, 4, --voters must be 1 to 3 of 3 nodes",
        "9, 8, --voters must be 1 to 7 of 9 nodes",
        "1, 2, --voters must be 1 to 1 of 1 node"
    })
    void aClusterThatCannotBeIsRefusedInWords(int nodes, int voters, String said) {
        assertThatThrownBy(() -> settings(nodes, voters))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining(said);
    }

    @Test
    void aHeapWithoutUnitIsRefused() {
        assertThatThrownBy(() -> new ClusterSetup(distribution, 3, 3, "1024", List.of(), false, false))
                .hasMessageContaining("--heap must be a size as 512m or 2g, was 1024");
    }

    @Test
    void aDirectoryWithoutStartScriptIsNoDistribution() {
        assertThatThrownBy(() -> new UnpackedDistribution(home))
                .hasMessageContaining("no Godwit distribution in " + home);
    }

    @Test
    void onlyStoredSessionsHaveTheVotersThatAreAskedFor() {
        assertThat(settings(5, 1).votersOf(Store.INBOX)).isEqualTo(1);
        assertThat(settings(5, 1).votersOf(Store.DIST)).isEqualTo(3);
        assertThat(settings(2, 1).votersOf(Store.RETAIN)).isEqualTo(2);
    }
}
