package io.godwit.cluster.rpc;

import io.godwit.cluster.config.ClusterException;
import io.godwit.cluster.thread.RpcThreads;
import io.godwit.cluster.trust.ClusterTls;
import io.godwit.cluster.trust.LocalPeers;
import io.grpc.Server;
import io.grpc.ServerServiceDefinition;
import io.grpc.netty.NettyServerBuilder;
import io.grpc.util.MutableHandlerRegistry;
import io.netty.channel.EventLoop;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * The gRPC server of a node, for Raft and for all services between nodes.
 *
 * <p>Handlers are called on event loops: for each call in order, and for each connection in the order in which requests
 * arrived. They must not block, so each handler hands over to its own threads.
 */
public final class RpcServer implements AutoCloseable {
    private static final int HANDSHAKE_SECONDS = 5;
    static final int KEEP_ALIVE_SECONDS = 5;

    private final InetSocketAddress address;
    private final RpcThreads threads;
    private final Server server;
    private final MutableHandlerRegistry services = new MutableHandlerRegistry();

    /** @param tls null for unencrypted connections, which a loopback address accepts from {@link LocalPeers} only */
    public RpcServer(InetSocketAddress address, @Nullable ClusterTls tls, RpcThreads threads, int maxMessageBytes)
            throws IOException {
        this(address, tls, LocalPeers.of(address.getAddress(), tls != null), threads, maxMessageBytes);
    }

    /** @param peers decides who may call; null for everybody who can connect */
    public RpcServer(
            InetSocketAddress address,
            @Nullable ClusterTls tls,
            @Nullable LocalPeers peers,
            RpcThreads threads,
            int maxMessageBytes)
            throws IOException {
        this.address = address;
        this.threads = threads;
        NettyServerBuilder builder = NettyServerBuilder.forAddress(address)
                .channelType(threads.serverChannelType())
                .bossEventLoopGroup(threads.loops())
                .workerEventLoopGroup(threads.loops())
                .directExecutor()
                .fallbackHandlerRegistry(services)
                .maxInboundMessageSize(maxMessageBytes)
                .handshakeTimeout(HANDSHAKE_SECONDS, TimeUnit.SECONDS)
                .keepAliveTime(KEEP_ALIVE_SECONDS, TimeUnit.SECONDS)
                .keepAliveTimeout(KEEP_ALIVE_SECONDS, TimeUnit.SECONDS)
                .permitKeepAliveTime(1, TimeUnit.SECONDS)
                .permitKeepAliveWithoutCalls(true);
        if (tls != null) {
            builder.sslContext(tls.serverContext());
        }
        if (peers != null) {
            LocalPeersOnly.guard(builder, peers);
        }
        this.server = builder.build();
    }

    /** The event loop that calls this, of a connection of the server or of a channel; null on other threads. */
    public @Nullable EventLoop currentLoop() {
        return threads.current();
    }

    /** Whether a loop that waits less than a millisecond for a timer leaves the processor to others. */
    public boolean hasFineTimers() {
        return threads.hasFineTimers();
    }

    /** Offers a service from now on. Any thread, before or after the start. */
    public void add(ServerServiceDefinition service) {
        services.addService(service);
    }

    /** Stops offering a service: new calls fail, calls in progress go on. Any thread. */
    public void remove(ServerServiceDefinition service) {
        services.removeService(service);
    }

    public void start() throws ClusterException {
        try {
            server.start();
        } catch (IOException e) {
            throw new ClusterException("RPC server does not start at " + address + ": " + e.getMessage(), e);
        }
    }

    /** Cancels the calls in progress. Returns when the port is free or after some seconds. */
    @Override
    public void close() {
        server.shutdownNow();
        try {
            server.awaitTermination(5, TimeUnit.SECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
