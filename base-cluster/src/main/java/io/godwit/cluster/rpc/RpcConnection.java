package io.godwit.cluster.rpc;

import io.godwit.cluster.config.ClusterConfig;
import io.godwit.cluster.config.ClusterException;
import io.godwit.cluster.config.HostPort;
import io.godwit.cluster.thread.RpcThreads;
import io.godwit.cluster.trust.ClusterTls;
import io.grpc.CallOptions;
import io.grpc.Channel;
import io.grpc.ClientCall;
import io.grpc.ClientInterceptor;
import io.grpc.ClientInterceptors;
import io.grpc.ForwardingClientCall.SimpleForwardingClientCall;
import io.grpc.ManagedChannel;
import io.grpc.Metadata;
import io.grpc.MethodDescriptor;
import io.grpc.netty.NettyChannelBuilder;
import io.netty.channel.ChannelOption;
import java.io.IOException;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * A connection to one node from a program that is not a member, such as an operator's tool. It connects at the first
 * call. The caller who opened it closes it.
 */
public final class RpcConnection implements AutoCloseable {
    private static final int CONNECT_MILLIS = 5_000;
    /** Interval of the keep-alive that detects, during a long call, that a node has stopped answering. */
    private static final int KEEP_ALIVE_SECONDS = 20;

    private static final int MAX_MESSAGE_BYTES = 64 << 20;

    private final RpcThreads threads = RpcThreads.portable();
    private final ManagedChannel managed;
    private final Channel channel;

    private RpcConnection(HostPort address, @Nullable ClusterTls tls, ClientInterceptor... interceptors)
            throws IOException {
        NettyChannelBuilder builder = NettyChannelBuilder.forAddress(address.host(), address.port())
                .channelType(threads.channelType())
                .eventLoopGroup(threads.loops())
                .directExecutor()
                .withOption(ChannelOption.CONNECT_TIMEOUT_MILLIS, CONNECT_MILLIS)
                .maxInboundMessageSize(MAX_MESSAGE_BYTES)
                .keepAliveTime(KEEP_ALIVE_SECONDS, TimeUnit.SECONDS)
                .keepAliveTimeout(KEEP_ALIVE_SECONDS, TimeUnit.SECONDS)
                .disableRetry()
                .disableServiceConfigLookUp();
        if (tls == null) {
            builder.usePlaintext();
        } else {
            builder.sslContext(tls.clientContext());
        }
        this.managed = builder.build();
        this.channel = ClientInterceptors.intercept(managed, interceptors);
    }

    /** Opens a connection to a node of this machine. */
    public static RpcConnection local(LocalAccess access) throws IOException {
        return new RpcConnection(access.address(), null, new TokenSent(access.token()));
    }

    /**
     * Opens a connection to a node of a cluster, at its RPC port.
     *
     * @param tls a certificate of the cluster's authority; null for a cluster without TLS
     * @throws ClusterException if a file is missing, damaged, expired or does not fit the others; names the file
     */
    public static RpcConnection to(HostPort address, ClusterConfig.@Nullable TlsFiles tls) throws IOException {
        return new RpcConnection(address, tls == null ? null : ClusterTls.load(tls));
    }

    public Channel channel() {
        return channel;
    }

    private record TokenSent(String token) implements ClientInterceptor {
        @Override
        public <Q, A> ClientCall<Q, A> interceptCall(MethodDescriptor<Q, A> method, CallOptions options, Channel next) {
            return new SimpleForwardingClientCall<>(next.newCall(method, options)) {
                @Override
                public void start(Listener<A> listener, Metadata headers) {
                    headers.put(LocalRpcServer.TOKEN, token);
                    super.start(listener, headers);
                }
            };
        }
    }

    @Override
    public void close() {
        managed.shutdownNow();
        try {
            managed.awaitTermination(2, TimeUnit.SECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        threads.close();
    }
}
