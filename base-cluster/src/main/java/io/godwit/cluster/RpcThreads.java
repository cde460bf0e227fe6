package io.godwit.cluster;

import io.netty.channel.EventLoop;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.nio.NioIoHandler;
import io.netty.util.concurrent.EventExecutor;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** The event loops that the RPC server and all channels of a node share. */
final class RpcThreads implements AutoCloseable {
    private static final int MAX_LOOPS = 4;

    private final EventLoopGroup loops = new MultiThreadIoEventLoopGroup(
            Math.min(MAX_LOOPS, Math.max(2, Runtime.getRuntime().availableProcessors())),
            DaemonThreads.named("rpc"),
            NioIoHandler.newFactory());

    EventLoopGroup loops() {
        return loops;
    }

    /** The event loop that calls this; null on other threads. */
    @Nullable
    EventLoop current() {
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
