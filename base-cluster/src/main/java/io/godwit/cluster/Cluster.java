package io.godwit.cluster;

import io.godwit.cluster.config.ClusterConfig;
import io.godwit.cluster.config.ClusterException;
import io.godwit.cluster.member.ClusterMembership;
import io.godwit.cluster.member.MembershipTiming;
import io.godwit.cluster.member.NodeIdentity;
import io.godwit.cluster.member.SeedResolver;
import io.godwit.cluster.rpc.RpcChannels;
import io.godwit.cluster.rpc.RpcServer;
import io.godwit.cluster.thread.RpcThreads;
import io.godwit.cluster.trust.ClusterTls;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * A node's part in the cluster: membership, RPC server and channels, made from one configuration. Opened and closed by
 * the thread that wires the broker, which may block.
 */
public final class Cluster implements AutoCloseable {
    private final ClusterConfig config;
    private final String selfId;
    private final @Nullable ClusterTls tls;
    private final RpcThreads threads;
    private final RpcServer server;
    private final RpcChannels channels;
    private final ClusterMembership membership;

    /**
     * Creates the parts; nothing listens yet.
     *
     * @throws ClusterException if the configuration cannot be used: a name that does not resolve, a certificate that
     *     other nodes would refuse
     */
    public static Cluster open(ClusterConfig config, NodeIdentity identity) throws IOException {
        ClusterConfig.TlsFiles files = config.tls();
        return new Cluster(
                config,
                identity,
                files == null ? null : ClusterTls.load(files),
                MembershipTiming.DEFAULT,
                InetAddress::getAllByName);
    }

    /**
     * Checks whether {@link #open} would accept {@code config}, as far as possible while another process runs. Blocks.
     *
     * @throws ClusterException as {@link #open}
     */
    public static void check(ClusterConfig config) throws ClusterException {
        ClusterConfig.TlsFiles files = config.tls();
        if (files != null) {
            ClusterTls.load(files);
        }
        config.advertised();
    }

    Cluster(
            ClusterConfig config,
            NodeIdentity identity,
            @Nullable ClusterTls tls,
            MembershipTiming timing,
            SeedResolver.Names names)
            throws IOException {
        this.config = config;
        this.selfId = identity.nodeId();
        this.tls = tls;
        this.membership = new ClusterMembership(config, identity, tls, timing, names);
        this.threads = new RpcThreads();
        InetAddress bind = ClusterConfig.bindAddress(config.advertised());
        this.server =
                new RpcServer(new InetSocketAddress(bind, config.rpcPort()), tls, threads, config.maxMessageBytes());
        this.channels = new RpcChannels(identity.nodeId(), tls, threads, config.maxMessageBytes());
        membership.addListener(channels.following());
    }

    /**
     * Starts the RPC server, then joins. Services should have been added before, because a member can be called as soon
     * as it has joined.
     *
     * @return as {@link ClusterMembership#start}
     * @throws ClusterException if the RPC port is taken
     */
    public CompletableFuture<Void> start() throws ClusterException {
        server.start();
        return membership.start();
    }

    public ClusterMembership membership() {
        return membership;
    }

    public RpcServer server() {
        return server;
    }

    public RpcChannels channels() {
        return channels;
    }

    /**
     * Additional channels to the other members, on separate connections, for traffic that must neither wait behind nor
     * delay the traffic of {@link #channels()}. The caller closes them before the cluster.
     */
    public RpcChannels newChannels() throws IOException {
        RpcChannels made = new RpcChannels(selfId, tls, threads, config.maxMessageBytes());
        membership.addListener(made.following());
        return made;
    }

    /** Largest message between nodes. */
    public int maxMessageBytes() {
        return config.maxMessageBytes();
    }

    /** Leaves the cluster, then stops RPC. */
    @Override
    public void close() {
        membership.close();
        channels.close();
        server.close();
        threads.close();
    }

    /** See {@link ClusterMembership#crash}. */
    void crash() throws IOException {
        membership.crash();
        channels.close();
        server.close();
        threads.close();
    }
}
