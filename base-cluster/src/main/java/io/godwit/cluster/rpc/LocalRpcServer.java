package io.godwit.cluster.rpc;

import io.godwit.cluster.config.HostPort;
import io.godwit.cluster.thread.DaemonThreads;
import io.grpc.Metadata;
import io.grpc.Server;
import io.grpc.ServerCall;
import io.grpc.ServerCallHandler;
import io.grpc.ServerInterceptor;
import io.grpc.ServerServiceDefinition;
import io.grpc.Status;
import io.grpc.netty.NettyServerBuilder;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.SecureRandom;
import java.util.HexFormat;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Services of a node for programs of the same machine, whether or not the node is in a cluster. Listens on a loopback
 * port that the system chooses; callers need the {@link LocalAccess} from its file.
 *
 * <p>Handlers are called on one event loop and must not block. The thread that wires the broker opens and closes it.
 */
public final class LocalRpcServer implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(LocalRpcServer.class);
    private static final int TOKEN_BYTES = 32;

    /** Metadata key of the token that each call must show. */
    static final Metadata.Key<String> TOKEN = Metadata.Key.of("godwit-token", Metadata.ASCII_STRING_MARSHALLER);

    private final Path file;
    private final EventLoopGroup loop;
    private final Server server;

    private LocalRpcServer(Path file, EventLoopGroup loop, Server server) {
        this.file = file;
        this.loop = loop;
        this.server = server;
    }

    /**
     * Starts the server and writes its address and token to {@code file}.
     *
     * @throws IOException if no port is free or the file cannot be written
     */
    public static LocalRpcServer start(List<ServerServiceDefinition> services, Path file) throws IOException {
        String token = newToken();
        EventLoopGroup loop =
                new MultiThreadIoEventLoopGroup(1, DaemonThreads.named("local-rpc"), NioIoHandler.newFactory());
        Server server = NettyServerBuilder.forAddress(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))
                .channelType(NioServerSocketChannel.class)
                .bossEventLoopGroup(loop)
                .workerEventLoopGroup(loop)
                .directExecutor()
                .intercept(new TokenCheck(token))
                .permitKeepAliveTime(1, TimeUnit.SECONDS)
                .addServices(services)
                .build();
        LocalRpcServer local = new LocalRpcServer(file, loop, server);
        try {
            server.start();
            String host = InetAddress.getLoopbackAddress().getHostAddress();
            new LocalAccess(new HostPort(host, server.getPort()), token).write(file);
        } catch (IOException e) {
            local.close();
            throw new IOException("cannot serve programs of this machine through " + file + ": " + e, e);
        }
        return local;
    }

    private static String newToken() {
        byte[] random = new byte[TOKEN_BYTES];
        new SecureRandom().nextBytes(random);
        return HexFormat.of().formatHex(random);
    }

    private static final class TokenCheck implements ServerInterceptor {
        private final byte[] token;

        TokenCheck(String token) {
            this.token = token.getBytes(StandardCharsets.US_ASCII);
        }

        @Override
        public <Q, A> ServerCall.Listener<Q> interceptCall(
                ServerCall<Q, A> call, Metadata headers, ServerCallHandler<Q, A> next) {
            String shown = headers.get(TOKEN);
            if (shown != null && MessageDigest.isEqual(shown.getBytes(StandardCharsets.US_ASCII), token)) {
                return next.startCall(call, headers);
            }
            call.close(Status.UNAUTHENTICATED.withDescription("the token is not this node's"), new Metadata());
            return new ServerCall.Listener<>() {};
        }
    }

    /** Removes the file and cancels the calls in progress. Returns when the port is free or after some seconds. */
    @Override
    public void close() {
        try {
            Files.deleteIfExists(file);
        } catch (IOException e) {
            LOG.warn("file not removed file={} cause={}", file, e.toString());
        }
        server.shutdownNow();
        try {
            server.awaitTermination(5, TimeUnit.SECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        loop.shutdownGracefully(0, 2, TimeUnit.SECONDS).awaitUninterruptibly(5, TimeUnit.SECONDS);
    }
}
