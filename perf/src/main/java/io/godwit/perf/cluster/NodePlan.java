package io.godwit.perf.cluster;

import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;

/**
 * One broker of a cluster: its ports and the places of its files. Immutable.
 *
 * @param number from 1
 * @param port of 127.0.0.1, for clients
 * @param memberPort of 127.0.0.1, for the membership
 * @param rpcPort of 127.0.0.1, for RPC between nodes
 * @param home its directory, below that of the cluster
 */
record NodePlan(int number, int port, int memberPort, int rpcPort, Path home) {
    static final String HOST = "127.0.0.1";
    /** All nodes start together, so no replica needs to wait until its node has been a member for 30 seconds. */
    private static final String STORE = "{balanceSettings: [replica-count.settleSeconds=1]}";

    Path configFile() {
        return home.resolve("standalone.yml");
    }

    Path data() {
        return home.resolve("data");
    }

    Path log() {
        return home.resolve("log");
    }

    /** The broker's log. */
    Path logFile() {
        return log().resolve("godwit.log");
    }

    /** The file for the output of the start script and the JVM. */
    Path output() {
        return home.resolve("start.out");
    }

    /**
     * The text of its configuration file. A single node has no {@code clusterConfig}.
     *
     * @param all the nodes of the cluster, including this one
     * @param environment distinguishes this cluster from others on the machine
     * @param certificate of all nodes; empty: they communicate without TLS
     */
    String configuration(List<NodePlan> all, String environment, Optional<NodeCertificate> certificate) {
        StringBuilder yaml = new StringBuilder("""
                mqttServerConfig:
                  maxConnBandwidth: 0
                  tcpListener: {host: %s, port: %d}
                apiServerConfig: {enable: false}
                """.formatted(HOST, port));
        if (all.size() > 1) {
            String seeds =
                    all.stream().map(node -> HOST + ":" + node.memberPort).collect(Collectors.joining(","));
            yaml.append("""
                    storeConfig:
                      dist: %1$s
                      inbox: %1$s
                      retain: %1$s
                    """.formatted(STORE));
            yaml.append("""
                    clusterConfig:
                      env: %s
                      host: %s
                      port: %d
                      rpcPort: %d
                      seedEndpoints: %s
                    """.formatted(environment, HOST, memberPort, rpcPort, seeds));
            certificate.ifPresent(
                    files -> yaml.append("  tls: {certFile: \"%s\", keyFile: \"%s\", trustCertsFile: \"%s\"}\n"
                            .formatted(files.certificateFile(), files.keyFile(), files.certificateFile())));
        }
        return yaml.toString();
    }
}
