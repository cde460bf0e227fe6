package io.godwit.mqtt.transport;

import io.godwit.mqtt.codec.DecodeLimits;
import io.godwit.mqtt.transport.config.ListenerConfig;
import io.godwit.mqtt.transport.config.ListenerLimits;
import io.godwit.mqtt.transport.config.TransportConfig;
import io.godwit.mqtt.transport.limit.AcceptGuard;
import io.godwit.mqtt.transport.tls.ServerTls;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.AdaptiveRecvByteBufAllocator;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelOption;
import io.netty.channel.WriteBufferWaterMark;
import io.netty.channel.local.LocalAddress;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import org.jspecify.annotations.Nullable;

/** Accepts MQTT connections on one address. */
public final class Listener {
    private static final int BACKLOG = 4096;
    private static final int MAX_READ_BYTES = 64 * 1024;

    private final ListenerConfig config;
    private final @Nullable ServerTls tls;
    private final Acceptor acceptor;
    private final Channel channel;
    private final boolean isInMemory;

    private Listener(ListenerConfig config, @Nullable ServerTls tls, Acceptor acceptor, Channel channel) {
        this.config = config;
        this.tls = tls;
        this.acceptor = acceptor;
        this.channel = channel;
        this.isInMemory = !(channel.localAddress() instanceof InetSocketAddress);
    }

    /** Reads the certificates and binds; blocks meanwhile. */
    public static Listener bind(ListenerConfig config, ListenerServices services) throws IOException {
        ServerTls tls = config.tls() == null ? null : ServerTls.load(config.tls());
        Acceptor acceptor = new Acceptor(config, tls, services);
        int maxUnwritten = services.transport().maxUnwrittenBytes();
        boolean isInMemory = services.transport().io() == TransportConfig.Io.IN_MEMORY;
        ServerBootstrap bootstrap = new ServerBootstrap()
                .group(services.loops().group())
                .channel(services.loops().serverChannel())
                .childOption(
                        ChannelOption.WRITE_BUFFER_WATER_MARK, new WriteBufferWaterMark(maxUnwritten / 2, maxUnwritten))
                .childOption(
                        ChannelOption.RECVBUF_ALLOCATOR, new AdaptiveRecvByteBufAllocator(128, 2048, MAX_READ_BYTES))
                .handler(new AcceptGuard(config.name(), services.descriptors(), services.reports(), System::nanoTime))
                .childHandler(acceptor);
        if (!isInMemory) {
            bootstrap
                    .option(ChannelOption.SO_BACKLOG, BACKLOG)
                    .option(ChannelOption.SO_REUSEADDR, true)
                    .childOption(ChannelOption.TCP_NODELAY, true);
        }
        ChannelFuture bound = bootstrap
                .bind(isInMemory ? inMemoryAddress(config.address()) : config.address())
                .awaitUninterruptibly();
        if (!bound.isSuccess()) {
            if (tls != null) {
                tls.close();
            }
            throw new IOException(
                    "cannot listen on " + config.address() + ": "
                            + bound.cause().getMessage(),
                    bound.cause());
        }
        Listener listener = new Listener(config, tls, acceptor, bound.channel());
        if (tls != null) {
            services.certificates().add(listener.toString(), tls);
        }
        return listener;
    }

    /**
     * Where clients within the process reach the listener configured for {@code address}, with
     * {@link TransportConfig.Io#IN_MEMORY}.
     */
    public static SocketAddress inMemoryAddress(InetSocketAddress address) {
        return new LocalAddress("mqtt-" + address.getPort());
    }

    /** The address it listens on, with the chosen port if 0 was configured; in memory, the configured address. */
    public InetSocketAddress address() {
        return isInMemory ? config.address() : (InetSocketAddress) channel.localAddress();
    }

    /** The path of the request that opens a WebSocket; null for MQTT without WebSocket. */
    public @Nullable String webSocketPath() {
        return config.webSocketPath();
    }

    public boolean hasTls() {
        return config.tls() != null;
    }

    /** {@code transport host:port}. */
    @Override
    public String toString() {
        return (isInMemory ? "memory" : config.transport()) + " "
                + address().getAddress().getHostAddress() + ":" + address().getPort();
    }

    /** New connections get these limits; open ones keep the old ones, and count. Any thread. */
    public void reconfigure(ListenerLimits limits, DecodeLimits decodeLimits) {
        acceptor.reconfigure(limits, decodeLimits);
    }

    /** Stops accepting connections; blocks until that is done. */
    public void close() {
        channel.close().awaitUninterruptibly();
        if (tls != null) {
            tls.close();
        }
    }
}
