package io.godwit.cluster;

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
 * How a node takes part in a cluster.
 *
 * @param env nodes of different environments never join each other; may be empty, which is an environment like any
 *     other
 * @param host where other nodes reach this one; empty for the first address of this machine that others can reach. When
 *     it is no address of this machine, but one that is forwarded to it, this node listens on all addresses
 * @param port of the membership, the one that {@code seeds} name
 * @param rpcPort of gRPC, announced to the members
 * @param domainName a DNS name that resolves to members, asked again and again; each is tried at {@code port}. Empty
 *     for none
 * @param seeds members to ask for the others; this node may be among them
 * @param tls null sends everything in the clear, and takes anybody for a node: to be asked for by name only
 * @param maxMessageBytes largest message between nodes; the largest packet with its log entry must fit
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
     * PEM files; see {@link ClusterTls}.
     *
     * @param certificate this node's, with the chain behind it
     * @param key its private key, PKCS #8
     * @param authority the certificates that all nodes' certificates come from
     * @param requiredName a DNS name that the certificate of every node must have, so that another certificate of the
     *     same authority does not make a node; empty for none
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
     * The address that others reach this node at. Blocks when {@code host} is a name.
     *
     * @throws ClusterException if the name does not resolve
     */
    InetAddress advertised() throws ClusterException {
        try {
            return host.isEmpty() ? reachable() : InetAddress.getByName(host);
        } catch (UnknownHostException e) {
            throw new ClusterException("clusterConfig.host " + host + " does not resolve", e);
        }
    }

    /** The address to listen on: {@code advertised}, or all when this machine does not have that one. */
    static InetAddress bindAddress(InetAddress advertised) throws ClusterException {
        try {
            // all of 127/8 is this machine, though the loopback interface names one address only
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
            return false; // went away meanwhile
        }
    }
}
