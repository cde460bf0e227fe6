package io.godwit.mqtt.transport;

import io.godwit.mqtt.codec.PacketDecoder;
import io.godwit.mqtt.codec.PacketReadHandler;
import io.godwit.plugin.event.EventListener;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.AdaptiveRecvByteBufAllocator;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.WriteBufferWaterMark;
import io.netty.channel.socket.SocketChannel;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.function.Function;

/** Accepts MQTT connections over TCP on one address. */
public final class TcpListener {
    private static final int BACKLOG = 4096;
    private static final int MAX_READ_BYTES = 64 * 1024;

    private final Channel channel;

    private TcpListener(Channel channel) {
        this.channel = channel;
    }

    /**
     * Binds; blocks until that is done.
     *
     * @param handlers gives each new connection its handler, on the connection's loop
     * @param open counts the connections
     */
    public static TcpListener bind(
            InetSocketAddress address,
            EventLoops loops,
            TransportConfig config,
            MqttMetrics metrics,
            EventListener events,
            OpenCount open,
            Function<Connection, PacketHandler> handlers)
            throws IOException {
        ServerBootstrap bootstrap = new ServerBootstrap()
                .group(loops.group())
                .channel(loops.serverChannel())
                .option(ChannelOption.SO_BACKLOG, BACKLOG)
                .option(ChannelOption.SO_REUSEADDR, true)
                .childOption(ChannelOption.TCP_NODELAY, true)
                .childOption(
                        ChannelOption.WRITE_BUFFER_WATER_MARK,
                        new WriteBufferWaterMark(config.maxUnwrittenBytes() / 2, config.maxUnwrittenBytes()))
                .childOption(
                        ChannelOption.RECVBUF_ALLOCATOR, new AdaptiveRecvByteBufAllocator(128, 2048, MAX_READ_BYTES))
                .childHandler(new ChannelInitializer<SocketChannel>() {
                    @Override
                    protected void initChannel(SocketChannel channel) {
                        LoopContext loop = LoopContext.current();
                        if (loop == null) {
                            throw new IllegalStateException("not on an event loop: " + Thread.currentThread());
                        }
                        PacketDecoder decoder = PacketDecoder.forServer(config.maxPacketBytes());
                        open.enter();
                        MqttConnection connection =
                                new MqttConnection(channel, loop, config, metrics, events, decoder, open::leave);
                        connection.setHandler(handlers.apply(connection));
                        channel.pipeline()
                                .addLast(new ReadMeter(connection), new PacketReadHandler(decoder), connection);
                    }
                });
        ChannelFuture bound = bootstrap.bind(address).awaitUninterruptibly();
        if (!bound.isSuccess()) {
            throw new IOException(
                    "cannot listen on " + address + ": " + bound.cause().getMessage(), bound.cause());
        }
        return new TcpListener(bound.channel());
    }

    /** Where it listens, with the port that was chosen when 0 was asked for. */
    public InetSocketAddress address() {
        return (InetSocketAddress) channel.localAddress();
    }

    /** Accepts no more; blocks until that is so. */
    public void close() {
        channel.close().awaitUninterruptibly();
    }
}
