package io.godwit.broker.effective;

import io.godwit.broker.settings.cluster.ClusterTlsSection;
import io.godwit.broker.settings.cluster.ClusterWaitsSection;
import io.godwit.cluster.Cluster;
import io.godwit.cluster.config.ClusterConfig;
import io.godwit.cluster.config.ClusterConfig.TlsFiles;
import io.godwit.cluster.config.ClusterException;
import io.godwit.kv.client.SilentNode;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * How this node takes part in a cluster: {@code clusterConfig}. A node is clustered if the section names its host,
 * other nodes or a domain; otherwise it runs alone and opens no port for others.
 *
 * <p>Nodes prove their identity by TLS unless the section says {@code plain}. With neither and no host, the node binds
 * to loopback, so that no outsider joins by mistake.
 */
public final class ClusterSettings {
    private static final int MAX_PORT = 65_535;
    /** What a log entry may hold besides one largest packet. */
    private static final int ENTRY_BYTES = 4 << 20;

    private static final String LOOPBACK = "127.0.0.1";

    /** The keys for TLS; all are needed. */
    private static final List<String> TLS_FILES =
            List.of("clusterConfig.tls.certFile", "clusterConfig.tls.keyFile", "clusterConfig.tls.trustCertsFile");

    private ClusterSettings() {}

    /** Whether this node is part of a cluster. */
    public static boolean isClustered(BrokerConfig config) {
        return !config.cluster().host().isEmpty()
                || !config.cluster().clusterDomainName().isEmpty()
                || !config.cluster().seedEndpoints().isEmpty();
    }

    /** @param config of a node that {@link #isClustered}, without {@link #errors} */
    static ClusterConfig cluster(BrokerConfig config) {
        return new ClusterConfig(
                config.cluster().env(),
                isOnThisMachineOnly(config) ? LOOPBACK : config.cluster().host(),
                config.cluster().port(),
                rpcPort(config),
                config.cluster().clusterDomainName(),
                config.cluster().seedEndpoints(),
                tls(config),
                maxMessageBytes(config));
    }

    /**
     * The largest message between nodes, in bytes. It also bounds the mutations of a node that runs alone, which may
     * join a cluster later.
     */
    static int maxMessageBytes(BrokerConfig config) {
        return Math.max(ClusterConfig.DEFAULT_MAX_MESSAGE_BYTES, largestPacket(config) + ENTRY_BYTES);
    }

    public static int rpcPort(BrokerConfig config) {
        int given = config.cluster().rpcPort();
        return given == 0 ? config.cluster().port() + 1 : given;
    }

    /** The largest packet over all listeners, in bytes. */
    public static int largestPacket(BrokerConfig config) {
        return config.listeners().stream()
                .filter(ListenerSection::isEnabled)
                .mapToInt(section -> section.keys().limits().maxPacketBytes())
                .reduce(config.mqtt().connections().maxPacketBytes(), Math::max);
    }

    private static boolean hasTls(BrokerConfig config) {
        return missingFiles(config).size() < TLS_FILES.size();
    }

    private static @Nullable TlsFiles tls(BrokerConfig config) {
        Path certificate = config.file(config.cluster().tls().certFile());
        Path key = config.file(config.cluster().tls().keyFile());
        Path authority = config.file(config.cluster().tls().trustCertsFile());
        return certificate == null || key == null || authority == null
                ? null
                : new TlsFiles(
                        certificate, key, authority, config.cluster().tls().requiredName());
    }

    /** Whether the section names no certificates, no {@code plain} and no host. */
    private static boolean isOnThisMachineOnly(BrokerConfig config) {
        return !hasTls(config)
                && !config.cluster().tls().plain()
                && config.cluster().host().isEmpty();
    }

    /**
     * Blocks, since it resolves names and reads files.
     *
     * @return one line per error, each naming its key
     */
    public static List<String> errors(BrokerConfig config) {
        if (!isClustered(config)) {
            return List.of();
        }
        List<String> errors = new ArrayList<>();
        if (rpcPort(config) > MAX_PORT || rpcPort(config) == config.cluster().port()) {
            errors.add("clusterConfig.rpcPort" + ": must be at most " + MAX_PORT + " and differ from "
                    + "clusterConfig.port, was " + rpcPort(config));
        }
        int clientIdSeconds = config.cluster().waits().clientIdSeconds();
        int silentSeconds = config.cluster().waits().silentMemberSeconds();
        if (silentSeconds >= clientIdSeconds) {
            errors.add("clusterConfig.waits.silentMemberSeconds: must be less than clusterConfig.waits.clientIdSeconds,"
                    + " which is " + clientIdSeconds + ", was " + silentSeconds);
        }
        boolean isPlain = config.cluster().tls().plain();
        if (hasTls(config)) {
            missingFiles(config).forEach(key -> errors.add(key + ": must name a file, as the others do"));
            if (isPlain) {
                errors.add("clusterConfig.tls.plain" + ": must not be true where certificates are named");
            }
        } else {
            if (!config.cluster().tls().requiredName().isEmpty()) {
                errors.add("clusterConfig.tls.requiredName" + ": has no effect without certificates");
            }
            if (!isPlain && !isLoopback(config.cluster().host())) {
                errors.add("clusterConfig.host" + ": \"" + config.cluster().host()
                        + "\" is reachable by others, and anyone of them could join as a node: name certificates ("
                        + String.join(", ", TLS_FILES) + "), or set "
                        + "clusterConfig.tls.plain" + " if everybody who reaches it can be trusted");
            }
        }
        if (errors.isEmpty()) {
            try {
                Cluster.check(cluster(config));
            } catch (ClusterException e) {
                errors.add(String.valueOf(e.getMessage()));
            }
        }
        return errors;
    }

    /** The TLS keys that are empty. */
    private static List<String> missingFiles(BrokerConfig config) {
        ClusterTlsSection tls = config.cluster().tls();
        List<String> files = List.of(tls.certFile(), tls.keyFile(), tls.trustCertsFile());
        return IntStream.range(0, files.size())
                .filter(i -> files.get(i).isEmpty())
                .mapToObj(TLS_FILES::get)
                .toList();
    }

    private static boolean isLoopback(String host) {
        try {
            // an empty name resolves to the loopback address
            return Stream.of(InetAddress.getAllByName(host)).allMatch(InetAddress::isLoopbackAddress);
        } catch (UnknownHostException e) {
            return false; // Cluster.check reports an unknown host once the security of the cluster is configured
        }
    }

    /** Warnings for the operator, repeated at every start. */
    static List<String> warnings(BrokerConfig config) {
        if (!isClustered(config)) {
            return List.of();
        }
        List<String> warnings = new ArrayList<>(shortWaits(config.cluster().waits()));
        if (isOnThisMachineOnly(config)) {
            warnings.add(
                    "clusterConfig names neither certificates nor a host, so only nodes on this machine can join: set "
                            + "clusterConfig.tls.certFile" + " and the other files of tls, or "
                            + "clusterConfig.tls.plain"
                            + " if everybody who reaches a node can be trusted");
        } else if (config.cluster().tls().plain()
                && !isLoopback(config.cluster().host())) {
            warnings.add("clusterConfig.tls.plain" + " is true: everybody who reaches the cluster's ports may "
                    + "read and change everything");
        }
        return warnings;
    }

    /** No errors: the loss of a node refuses some publishes then, which their clients repeat. */
    private static List<String> shortWaits(ClusterWaitsSection waits) {
        List<String> warnings = new ArrayList<>();
        if (waits.heldMessageSeconds() <= waits.linkSeconds()) {
            warnings.add("clusterConfig.waits.heldMessageSeconds is " + waits.heldMessageSeconds()
                    + ", not longer than clusterConfig.waits.linkSeconds, which is " + waits.linkSeconds()
                    + ": publishes may be refused when a node is lost");
        }
        long leastChoice = waits.confirmationSeconds() + SilentNode.PATIENCE.toSeconds();
        if (waits.sharedChoiceSeconds() < leastChoice) {
            warnings.add("clusterConfig.waits.sharedChoiceSeconds is " + waits.sharedChoiceSeconds() + ", less than "
                    + leastChoice + " (clusterConfig.waits.confirmationSeconds and "
                    + SilentNode.PATIENCE.toSeconds() + "): publishes may be refused when a node is silent");
        }
        return warnings;
    }
}
