package io.godwit.cluster.config;

import java.net.Inet4Address;
import java.net.InetAddress;
import java.net.NetworkInterface;
import java.net.SocketException;
import java.net.UnknownHostException;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The settings of a node's membership in a cluster.
 *
 * @param env nodes of different environments never join each other; the empty name is an environment too
 * @param host where other nodes reach this one; empty for the first address of this machine that others can reach. If
 *     it is not an address of this machine but is forwarded to it, this node listens on all addresses
 * @param port of the membership; {@code seeds} name this port
 * @param rpcPort port of gRPC, announced to the members
 * @param domainName a DNS name that resolves to members, looked up repeatedly; each address is tried at {@code port}.
 *     Empty for none
 * @param seeds members to ask for the others; this node may be among them
 * @param tls null sends everything unencrypted and accepts anybody as a node, so an operator must ask for it explicitly
 * @param maxMessageBytes largest message between nodes; must have room for the largest packet with its log entry
 */
public record ClusterConfig(
        String env,
        String host,
        int port,
        int rpcPort,
        String domainName,
        List<HostPort> seeds,
        @Nullable TlsFiles tls,
        int maxMessageBytes) {
    public static final int DEFAULT_MAX_MESSAGE_BYTES = 16 << 20;

    /**
     * PEM files; see {@code ClusterTls}.
     *
     * @param certificate the certificate of this node, followed by its chain
     * @param key the private key of this node, PKCS #8
     * @param authority the certificates of the authorities that sign the nodes' certificates
     * @param requiredName a DNS name that the certificate of every node must have; keeps holders of other certificates
     *     of the same authority out. Empty for none
     */
    public record TlsFiles(Path certificate, Path key, Path authority, String requiredName) {}

    public ClusterConfig {
        if (port < 1 || port > 65_535 || rpcPort < 1 || rpcPort > 65_535) {
            throw new IllegalArgumentException("ports must be 1 to 65535, were " + port + " and " + rpcPort);
        }
        if (port == rpcPort) {
            throw new IllegalArgumentException("membership and RPC need a port each, both were " + port);
        }
        if (maxMessageBytes < 1 << 20) {
            throw new IllegalArgumentException("largest message must be at least 1 MiB, was " + maxMessageBytes);
        }
        seeds = List.copyOf(seeds);
    }

    /**
     * The address at which other nodes reach this node. Blocks when {@code host} is a name.
     *
     * @throws ClusterException if the name does not resolve
     */
    public InetAddress advertised() throws ClusterException {
        try {
            return host.isEmpty() ? reachable() : InetAddress.getByName(host);
        } catch (UnknownHostException e) {
            throw new ClusterException("clusterConfig.host " + host + " does not resolve", e);
        }
    }

    /**
     * The address to listen on: {@code advertised}, or all addresses if {@code advertised} is not one of this machine.
     */
    public static InetAddress bindAddress(InetAddress advertised) throws ClusterException {
        try {
            // all of 127/8 is local, though the loopback interface lists only one address
            if (advertised.isLoopbackAddress() || NetworkInterface.getByInetAddress(advertised) != null) {
                return advertised;
            }
            return InetAddress.getByAddress(new byte[advertised.getAddress().length]);
        } catch (SocketException | UnknownHostException e) {
            throw new ClusterException("cannot tell whether " + advertised + " is an address of this machine", e);
        }
    }

    private static InetAddress reachable() throws ClusterException {
        try {
            return NetworkInterface.networkInterfaces()
                    .filter(ClusterConfig::isUsable)
                    .sorted(Comparator.comparingInt(NetworkInterface::getIndex))
                    .flatMap(NetworkInterface::inetAddresses)
                    .filter(address -> address instanceof Inet4Address && !address.isLinkLocalAddress())
                    .findFirst()
                    .orElseGet(InetAddress::getLoopbackAddress);
        } catch (SocketException e) {
            throw new ClusterException("clusterConfig.host is empty, and this machine's addresses cannot be read", e);
        }
    }

    private static boolean isUsable(NetworkInterface candidate) {
        try {
            return candidate.isUp() && !candidate.isLoopback();
        } catch (SocketException e) {
            return false; // the interface has disappeared
        }
    }
}
