package io.godwit.cluster.thread;

import io.netty.channel.Channel;
import io.netty.channel.EventLoop;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.IoHandlerFactory;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.ServerChannel;
import io.netty.channel.epoll.Epoll;
import io.netty.channel.epoll.EpollIoHandler;
import io.netty.channel.epoll.EpollServerSocketChannel;
import io.netty.channel.epoll.EpollSocketChannel;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.netty.channel.socket.nio.NioSocketChannel;
import io.netty.util.concurrent.EventExecutor;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * The event loops that the RPC server and all channels of a node share. They use epoll where the system has it: its
 * timers are finer than a millisecond, which links between nodes need, while a selector of the JDK would spin.
 */
public final class RpcThreads implements AutoCloseable {
    private static final int MAX_LOOPS = 4;

    private final boolean isEpoll;
    private final EventLoopGroup loops;

    public RpcThreads() {
        this(Epoll.isAvailable());
    }

    private RpcThreads(boolean isEpoll) {
        this.isEpoll = isEpoll;
        IoHandlerFactory io = isEpoll ? EpollIoHandler.newFactory() : NioIoHandler.newFactory();
        this.loops = new MultiThreadIoEventLoopGroup(
                Math.min(MAX_LOOPS, Math.max(2, Runtime.getRuntime().availableProcessors())),
                DaemonThreads.named("rpc"),
                io);
    }

    /** For a program that makes few calls: loads no native library. */
    public static RpcThreads portable() {
        return new RpcThreads(false);
    }

    public EventLoopGroup loops() {
        return loops;
    }

    public Class<? extends Channel> channelType() {
        return isEpoll ? EpollSocketChannel.class : NioSocketChannel.class;
    }

    public Class<? extends ServerChannel> serverChannelType() {
        return isEpoll ? EpollServerSocketChannel.class : NioServerSocketChannel.class;
    }

    /** Whether a loop that waits less than a millisecond for a timer leaves the processor to others. */
    public boolean hasFineTimers() {
        return isEpoll;
    }

    /** The event loop that calls this; null on other threads. */
    public @Nullable EventLoop current() {
        for (EventExecutor each : loops) {
            if (each.inEventLoop()) {
                return (EventLoop) each;
            }
        }
        return null;
    }

    @Override
    public void close() {
        loops.shutdownGracefully(0, 2, TimeUnit.SECONDS).awaitUninterruptibly(5, TimeUnit.SECONDS);
    }
}
