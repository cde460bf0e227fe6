package io.godwit.broker;

import io.godwit.cluster.Cluster;
import io.godwit.cluster.ClusterConfig;
import io.godwit.cluster.ClusterConfig.TlsFiles;
import io.godwit.cluster.ClusterException;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * How this node takes part in a cluster: {@code clusterConfig}. It does when the file says where it or others are to be
 * found; without, it runs alone and opens no port for others.
 *
 * <p>Nodes prove who they are by TLS, unless the file says that they need not. Where it says nothing of either, they
 * are reached from this machine only: nobody from outside becomes a node by mistake.
 */
final class ClusterSettings {
    private static final int MAX_PORT = 65_535;
    /** What a log entry may have beside one largest packet. */
    private static final int ENTRY_BYTES = 4 << 20;

    private static final String LOOPBACK = "127.0.0.1";

    /** Of these, TLS needs all. */
    private static final List<Setting<String>> TLS_FILES = List.of(
            FileSettings.CLUSTER_CERT_FILE, FileSettings.CLUSTER_KEY_FILE, FileSettings.CLUSTER_TRUST_CERTS_FILE);

    private ClusterSettings() {}

    /** Whether this node is one of a cluster. */
    static boolean isClustered(BrokerConfig config) {
        return !config.get(FileSettings.CLUSTER_HOST).isEmpty()
                || !config.get(FileSettings.CLUSTER_DOMAIN_NAME).isEmpty()
                || !config.get(FileSettings.SEED_ENDPOINTS).isEmpty();
    }

    /**
     * Whether publishes of QoS 1 and 2 may be answered with success. A node of a cluster cannot rule out that others
     * hold live sessions that it does not reach, also while it sees no other: a cut link looks the same.
     */
    static boolean acknowledgesPublishes(BrokerConfig config) {
        return !isClustered(config) || config.get(FileSettings.ACKNOWLEDGE_UNREACHED);
    }

    /** Of a node that {@link #isClustered}, with a configuration that has no {@link #errors}. */
    static ClusterConfig cluster(BrokerConfig config) {
        return new ClusterConfig(
                config.get(FileSettings.CLUSTER_ENV),
                isOnThisMachineOnly(config) ? LOOPBACK : config.get(FileSettings.CLUSTER_HOST),
                config.get(FileSettings.CLUSTER_PORT),
                rpcPort(config),
                config.get(FileSettings.CLUSTER_DOMAIN_NAME),
                config.get(FileSettings.SEED_ENDPOINTS),
                tls(config),
                maxMessageBytes(config));
    }

    /**
     * The largest message between nodes, which bounds the mutations of a node alone too: it may become one of several.
     */
    static int maxMessageBytes(BrokerConfig config) {
        return Math.max(ClusterConfig.DEFAULT_MAX_MESSAGE_BYTES, largestPacket(config) + ENTRY_BYTES);
    }

    static int rpcPort(BrokerConfig config) {
        int given = config.get(FileSettings.CLUSTER_RPC_PORT);
        return given == 0 ? config.get(FileSettings.CLUSTER_PORT) + 1 : given;
    }

    private static int largestPacket(BrokerConfig config) {
        return config.listeners().stream()
                .filter(ListenerSection::isEnabled)
                .mapToInt(section -> section.get(FileSettings.MAX_PACKET_BYTES, config))
                .reduce(config.get(FileSettings.MAX_PACKET_BYTES), Math::max);
    }

    private static boolean hasTls(BrokerConfig config) {
        return TLS_FILES.stream().anyMatch(file -> !config.get(file).isEmpty());
    }

    private static @Nullable TlsFiles tls(BrokerConfig config) {
        Path certificate = config.file(config.get(FileSettings.CLUSTER_CERT_FILE));
        Path key = config.file(config.get(FileSettings.CLUSTER_KEY_FILE));
        Path authority = config.file(config.get(FileSettings.CLUSTER_TRUST_CERTS_FILE));
        return certificate == null || key == null || authority == null
                ? null
                : new TlsFiles(certificate, key, authority, config.get(FileSettings.CLUSTER_REQUIRED_NAME));
    }

    /** Whether nothing was said of who may be a node, nor where this one is to be reached. */
    private static boolean isOnThisMachineOnly(BrokerConfig config) {
        return !hasTls(config)
                && !config.get(FileSettings.CLUSTER_PLAIN)
                && config.get(FileSettings.CLUSTER_HOST).isEmpty();
    }

    /** One line per error, each naming its key. Blocks: names are looked up and files read. */
    static List<String> errors(BrokerConfig config) {
        if (!isClustered(config)) {
            return List.of();
        }
        List<String> errors = new ArrayList<>();
        if (rpcPort(config) > MAX_PORT || rpcPort(config) == config.get(FileSettings.CLUSTER_PORT)) {
            errors.add(FileSettings.CLUSTER_RPC_PORT.key() + ": must be another port than "
                    + FileSettings.CLUSTER_PORT.key() + ", and one that exists, was " + rpcPort(config));
        }
        boolean isPlain = config.get(FileSettings.CLUSTER_PLAIN);
        if (hasTls(config)) {
            missingFiles(config).forEach(file -> errors.add(file.key() + ": must name a file, as the others do"));
            if (isPlain) {
                errors.add(FileSettings.CLUSTER_PLAIN.key() + ": must not be true where certificates are named");
            }
        } else {
            if (!config.get(FileSettings.CLUSTER_REQUIRED_NAME).isEmpty()) {
                errors.add(FileSettings.CLUSTER_REQUIRED_NAME.key() + ": has no effect without certificates");
            }
            if (!isPlain && !isLoopback(config.get(FileSettings.CLUSTER_HOST))) {
                errors.add(FileSettings.CLUSTER_HOST.key() + ": \"" + config.get(FileSettings.CLUSTER_HOST)
                        + "\" is reached by others, who would be taken for nodes unasked: name certificates ("
                        + String.join(", ", TLS_FILES.stream().map(Setting::key).toList()) + "), or set "
                        + FileSettings.CLUSTER_PLAIN.key() + " where everybody who reaches it is to be trusted");
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

    private static List<Setting<String>> missingFiles(BrokerConfig config) {
        return TLS_FILES.stream().filter(file -> config.get(file).isEmpty()).toList();
    }

    private static boolean isLoopback(String host) {
        try {
            // the loopback address is what an empty name stands for
            return Stream.of(InetAddress.getAllByName(host)).allMatch(InetAddress::isLoopbackAddress);
        } catch (UnknownHostException e) {
            return false; // told as what it is, once it is said how nodes prove who they are
        }
    }

    /** What an operator should know of it at every start. */
    static List<String> warnings(BrokerConfig config) {
        if (!isClustered(config)) {
            return List.of();
        }
        return Stream.concat(access(config).stream(), Stream.of(promises(config)))
                .toList();
    }

    private static String promises(BrokerConfig config) {
        return config.get(FileSettings.ACKNOWLEDGE_UNREACHED)
                ? FileSettings.ACKNOWLEDGE_UNREACHED.key()
                        + " is true: publishes are acknowledged though live sessions "
                        + "on other nodes, and persistent ones whose route this node lacks, do not get them"
                : "this node is one of a cluster: publishes of QoS 1 and 2 are refused, since live sessions on other "
                        + "nodes would not get them; QoS 0 is served. See "
                        + FileSettings.ACKNOWLEDGE_UNREACHED.key();
    }

    private static List<String> access(BrokerConfig config) {
        if (isOnThisMachineOnly(config)) {
            return List.of(
                    "clusterConfig names neither certificates nor a host, so nodes on this machine only can join: set "
                            + FileSettings.CLUSTER_CERT_FILE.key() + " and what goes with it, or "
                            + FileSettings.CLUSTER_PLAIN.key()
                            + " where everybody who reaches a node is to be trusted");
        }
        return config.get(FileSettings.CLUSTER_PLAIN) && !isLoopback(config.get(FileSettings.CLUSTER_HOST))
                ? List.of(FileSettings.CLUSTER_PLAIN.key() + " is true: everybody who reaches the cluster's ports may "
                        + "read and change everything")
                : List.of();
    }
}
