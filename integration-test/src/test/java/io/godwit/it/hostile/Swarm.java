package io.godwit.it.hostile;

import io.netty.bootstrap.Bootstrap;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.nio.NioSocketChannel;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.IntFunction;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Thousands of connections at once, all on one thread, which do what their {@link Manner} says: raw bytes, no client. A
 * connection that could not be made counts as closed.
 */
public final class Swarm implements AutoCloseable {
    /** How many connects are under way at once: the broker's queue of those to be accepted is not what we test. */
    private static final int CONNECTING = 100;

    private final EventLoopGroup loop = new MultiThreadIoEventLoopGroup(1, NioIoHandler.newFactory());
    private final AtomicInteger opened = new AtomicInteger();
    private final AtomicInteger closed = new AtomicInteger();
    /** Where its connections come from, by turns; empty for wherever the system puts them. */
    private final List<InetAddress> sources;

    private final AtomicInteger nextSource = new AtomicInteger();

    public Swarm() {
        this(List.of());
    }

    /** @param sources addresses of this machine that its connections come from, by turns */
    Swarm(List<InetAddress> sources) {
        this.sources = List.copyOf(sources);
    }

    /** What one connection does; all calls come on the swarm's thread. */
    public interface Manner {
        void opened(Peer peer);

        /** @param bytes borrowed */
        default void received(Peer peer, ByteBuf bytes) {}

        default void closed() {}

        /** Says so much and waits. */
        static Manner saying(byte[] bytes) {
            return peer -> peer.send(bytes);
        }
    }

    /** The swarm's end of a connection. Thread-safe. */
    public static final class Peer {
        private final Channel channel;

        Peer(Channel channel) {
            this.channel = channel;
        }

        public void send(byte[] bytes) {
            channel.writeAndFlush(Unpooled.wrappedBuffer(bytes), channel.voidPromise());
        }

        /** Later, unless the connection has ended by then. */
        void later(long millis, Runnable action) {
            channel.eventLoop()
                    .schedule(
                            () -> {
                                if (channel.isActive()) {
                                    action.run();
                                }
                            },
                            millis,
                            TimeUnit.MILLISECONDS);
        }

        /** Bytes handed to {@link #send} that the socket has not taken. */
        boolean isFull() {
            return !channel.isWritable();
        }

        void read(boolean whether) {
            channel.config().setAutoRead(whether);
        }

        boolean isOpen() {
            return channel.isActive();
        }

        void close() {
            channel.close();
        }
    }

    /** Those that have stood at some time. */
    int opened() {
        return opened.get();
    }

    /** Those that have ended, by either side. */
    int closed() {
        return closed.get();
    }

    /** Makes {@code count} connections; returns at once. */
    void open(InetSocketAddress address, int count, IntFunction<Manner> manners) {
        AtomicInteger next = new AtomicInteger();
        for (int i = 0; i < CONNECTING; i++) {
            loop.execute(() -> openNext(address, next, count, manners));
        }
    }

    private void openNext(InetSocketAddress address, AtomicInteger next, int count, IntFunction<Manner> manners) {
        int number = next.getAndIncrement();
        if (number < count) {
            open(address, manners.apply(number)).addListener(done -> openNext(address, next, count, manners));
        }
    }

    /**
     * Keeps {@code count} connections: one that ends is opened anew after {@code pauseMillis}, until the swarm is
     * closed. Returns at once.
     */
    void keep(InetSocketAddress address, int count, long pauseMillis, IntFunction<Manner> manners) {
        keep(address, count, () -> pauseMillis, manners);
    }

    /** @param pauseMillis asked before each pause, on the swarm's thread */
    void keep(InetSocketAddress address, int count, LongSupplier pauseMillis, IntFunction<Manner> manners) {
        for (int i = 0; i < count; i++) {
            keepOne(address, i, pauseMillis, manners);
        }
    }

    private void keepOne(InetSocketAddress address, int number, LongSupplier pauseMillis, IntFunction<Manner> manners) {
        Manner manner = manners.apply(number);
        open(address, new Manner() {
            @Override
            public void opened(Peer peer) {
                manner.opened(peer);
            }

            @Override
            public void received(Peer peer, ByteBuf bytes) {
                manner.received(peer, bytes);
            }

            @Override
            public void closed() {
                manner.closed();
                if (!loop.isShuttingDown()) {
                    loop.schedule(
                            () -> keepOne(address, number, pauseMillis, manners),
                            pauseMillis.getAsLong(),
                            TimeUnit.MILLISECONDS);
                }
            }
        });
    }

    public ChannelFuture open(InetSocketAddress address, Manner manner) {
        ChannelFuture connected = new Bootstrap()
                .group(loop)
                .channel(NioSocketChannel.class)
                .option(ChannelOption.TCP_NODELAY, true)
                .handler(new ChannelInitializer<>() {
                    @Override
                    protected void initChannel(Channel channel) {
                        channel.pipeline().addLast(new Handler(manner));
                    }
                })
                .connect(address, source());
        connected.addListener(done -> {
            if (!done.isSuccess()) {
                closed.incrementAndGet();
                manner.closed();
            }
        });
        return connected;
    }

    private @Nullable SocketAddress source() {
        return sources.isEmpty()
                ? null
                : new InetSocketAddress(sources.get(Math.floorMod(nextSource.getAndIncrement(), sources.size())), 0);
    }

    /** Closes all. */
    @Override
    public void close() {
        loop.shutdownGracefully(0, 5, TimeUnit.SECONDS).awaitUninterruptibly(20, TimeUnit.SECONDS);
    }

    private final class Handler extends ChannelInboundHandlerAdapter {
        private final Manner manner;

        Handler(Manner manner) {
            this.manner = manner;
        }

        @Override
        public void channelActive(ChannelHandlerContext ctx) {
            opened.incrementAndGet();
            manner.opened(new Peer(ctx.channel()));
        }

        @Override
        public void channelRead(ChannelHandlerContext ctx, Object msg) {
            ByteBuf bytes = (ByteBuf) msg;
            try {
                manner.received(new Peer(ctx.channel()), bytes);
            } finally {
                bytes.release();
            }
        }

        @Override
        public void channelInactive(ChannelHandlerContext ctx) {
            closed.incrementAndGet();
            manner.closed();
        }

        /** Resets, mostly. */
        @Override
        public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
            ctx.close();
        }
    }
}
