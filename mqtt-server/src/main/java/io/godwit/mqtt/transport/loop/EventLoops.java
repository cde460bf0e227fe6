package io.godwit.mqtt.transport.loop;

import io.godwit.mqtt.transport.config.TransportConfig;
import io.godwit.mqtt.transport.packing.PackedLoopGroup;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.IoHandlerFactory;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.ServerChannel;
import io.netty.channel.epoll.Epoll;
import io.netty.channel.epoll.EpollIoHandler;
import io.netty.channel.epoll.EpollServerSocketChannel;
import io.netty.channel.local.LocalIoHandler;
import io.netty.channel.local.LocalServerChannel;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.netty.channel.uring.IoUring;
import io.netty.channel.uring.IoUringIoHandler;
import io.netty.channel.uring.IoUringServerSocketChannel;
import io.netty.util.concurrent.DefaultThreadFactory;
import io.netty.util.concurrent.EventExecutor;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The event loops that serve connections, each with its {@link LoopContext}. */
public final class EventLoops {
    private static final Logger LOG = LoggerFactory.getLogger(EventLoops.class);

    private static final long CUT_SECONDS = 5;

    private final EventLoopGroup group;
    private final @Nullable PackedLoopGroup packed;
    private final Class<? extends ServerChannel> serverChannel;
    private final List<LoopContext> contexts = new ArrayList<>();

    public EventLoops(TransportConfig config) {
        int count = config.eventLoops() > 0
                ? config.eventLoops()
                : Runtime.getRuntime().availableProcessors();
        IoHandlerFactory io;
        if (config.io() == TransportConfig.Io.IN_MEMORY) {
            io = LocalIoHandler.newFactory();
            serverChannel = LocalServerChannel.class;
        } else if (config.io() == TransportConfig.Io.IO_URING && IoUring.isAvailable()) {
            io = IoUringIoHandler.newFactory();
            serverChannel = IoUringServerSocketChannel.class;
        } else if (Epoll.isAvailable()) {
            io = EpollIoHandler.newFactory();
            serverChannel = EpollServerSocketChannel.class;
        } else {
            io = NioIoHandler.newFactory();
            serverChannel = NioServerSocketChannel.class;
        }
        DefaultThreadFactory threads = new DefaultThreadFactory("mqtt-loop");
        boolean isPacked = config.packLoops() && count > 1 && serverChannel == EpollServerSocketChannel.class;
        packed = isPacked ? new PackedLoopGroup(count, threads, io) : null;
        group = packed == null ? new MultiThreadIoEventLoopGroup(count, threads, io) : packed;
        for (EventExecutor loop : group) {
            LoopContext context = new LoopContext(
                    contexts.size(), loop, (task, nanos) -> loop.schedule(task, nanos, TimeUnit.NANOSECONDS));
            contexts.add(context);
            if (packed == null) {
                loop.execute(context::bindToCurrentThread);
            } else {
                packed.onServed(context.index(), context::bindToCurrentThread);
            }
            loop.scheduleAtFixedRate(context::sweep, 1, 1, TimeUnit.SECONDS);
        }
        if (packed != null) {
            packed.startPacking();
        }
        LOG.info("event loops count={} transport={}", count, serverChannel.getSimpleName());
    }

    /** In order; each is confined to its loop, as its class describes. */
    public List<LoopContext> contexts() {
        return List.copyOf(contexts);
    }

    public int count() {
        return contexts.size();
    }

    /** Number of threads that run the loops now, 1 to {@link #count}. Any thread. */
    public int activeThreads() {
        return packed == null ? contexts.size() : packed.activeThreads();
    }

    public EventLoopGroup group() {
        return group;
    }

    public Class<? extends ServerChannel> serverChannel() {
        return serverChannel;
    }

    /** Tells every connection to drain. Any thread. */
    public void shutDownConnections() {
        contexts.forEach(LoopContext::shutDownPresent);
    }

    /**
     * Ends all present connections without waiting for requests under way; those whose clients have not closed their
     * end after {@code patience} are cut. Any thread.
     *
     * @return complete, on a loop, once all of them have ended
     */
    public CompletableFuture<Void> endConnections(Duration patience) {
        return CompletableFuture.allOf(contexts.stream()
                .map(context -> context.endPresent(patience.toNanos()))
                .toArray(CompletableFuture[]::new));
    }

    /**
     * Ends all present connections at an even rate over a time; connections still open {@code patience} after that are
     * cut. Any thread.
     *
     * @return complete, on a loop, once all of them have ended
     */
    public CompletableFuture<Void> endConnections(Duration over, Duration patience) {
        List<CompletableFuture<List<TickListener>>> present =
                contexts.stream().map(LoopContext::present).toList();
        return CompletableFuture.allOf(present.toArray(CompletableFuture[]::new))
                .thenCompose(all -> {
                    long now = System.nanoTime();
                    List<Deque<SpreadEnd.Leaving>> leaving = SpreadEnd.spread(
                            present.stream().map(CompletableFuture::join).toList(), now, over.toNanos());
                    long cutNanos = now + over.toNanos() + patience.toNanos();
                    CompletableFuture<?>[] ended = new CompletableFuture<?>[contexts.size()];
                    for (int i = 0; i < ended.length; i++) {
                        ended[i] = contexts.get(i).end(leaving.get(i), cutNanos);
                    }
                    return CompletableFuture.allOf(ended);
                });
    }

    /** Sets the server that MQTT 5.0 clients are referred to when they are sent away. Any thread. */
    public void referTo(String otherServer) {
        for (LoopContext context : contexts) {
            context.execute(() -> context.otherServer(otherServer));
        }
    }

    /**
     * After a standstill, makes each loop handle no packets until {@code proof} shows that this node serves, see
     * {@link Standstill}. Any thread; all loops call {@code proof}.
     */
    public void dependOn(BooleanSupplier proof) {
        for (LoopContext context : contexts) {
            context.execute(() -> context.dependOn(proof));
        }
    }

    /** Tells every loop whether memory is short. Any thread. */
    public void setMemoryShort(boolean isShort) {
        for (LoopContext context : contexts) {
            context.execute(() -> context.setMemoryShort(isShort));
        }
    }

    /**
     * Closes remaining sockets and stops the threads; returns when they have ended. The sockets go first, while the
     * loops still run the work of a close: a session that has ended may still have a lingering socket, and its
     * pipeline's buffers must be released.
     */
    public void close() {
        CompletableFuture<?> none = CompletableFuture.allOf(
                contexts.stream().map(LoopContext::cutAll).toArray(CompletableFuture[]::new));
        try {
            none.get(CUT_SECONDS, TimeUnit.SECONDS);
        } catch (TimeoutException e) {
            LOG.warn("sockets still open after {} s end with their event loops", CUT_SECONDS);
        } catch (ExecutionException e) {
            throw new IllegalStateException("the count of sockets never fails", e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        group.shutdownGracefully(0, 5, TimeUnit.SECONDS).awaitUninterruptibly(10, TimeUnit.SECONDS);
    }
}
