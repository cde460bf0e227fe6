package io.godwit.cluster.link.stream;

import io.godwit.cluster.rpc.RpcChannels;
import io.godwit.cluster.rpc.RpcServer;
import java.util.concurrent.Executor;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The threads and the gRPC service of the links of a node. */
public final class LinkRuntime implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(LinkRuntime.class);
    private static final long END_SECONDS = 2;

    private final RpcServer server;
    private final GrpcLinks.Loops loops;
    private final RpcChannels channels;
    private final ScheduledThreadPoolExecutor thread = new ScheduledThreadPoolExecutor(1, daemons("links"));
    private final ThreadPoolExecutor pool;
    /** Runs the receivers of the CONTROL lanes. */
    private final ThreadPoolExecutor control = pool(1, "link-control");

    private @Nullable GrpcLinks service;

    public LinkRuntime(RpcServer server, RpcChannels channels, int threads) {
        this.server = server;
        this.loops = GrpcLinks.Loops.of(server);
        this.channels = channels;
        this.pool = pool(threads, "link");
        thread.setExecuteExistingDelayedTasksAfterShutdownPolicy(false);
    }

    private static ThreadPoolExecutor pool(int threads, String name) {
        return new ThreadPoolExecutor(
                threads, threads, 0, TimeUnit.SECONDS, new LinkedBlockingQueue<>(), daemons(name));
    }

    private static ThreadFactory daemons(String name) {
        AtomicInteger number = new AtomicInteger(); // several threads call the factory
        return task -> {
            Thread made = new Thread(task, name + "-" + number.incrementAndGet());
            made.setDaemon(true);
            return made;
        };
    }

    public Executor thread() {
        return thread;
    }

    public Executor pool() {
        return pool;
    }

    public Executor control() {
        return control;
    }

    public LinkCarrier carrier() {
        return (nodeId, events) -> GrpcLinks.dial(channels.to(nodeId), loops, events);
    }

    @SuppressWarnings("FutureReturnValueIgnored") // the task ends with the thread
    public void start(Function<LinkStream, LinkStream.Events> accept, Runnable tick, long everyMillis) {
        GrpcLinks offered = new GrpcLinks(loops, accept);
        service = offered;
        server.add(offered.definition());
        channels.onConnected(nodeId -> tick.run());
        thread.scheduleWithFixedDelay(tick, everyMillis, everyMillis, TimeUnit.MILLISECONDS);
    }

    @Override
    public void close() {
        GrpcLinks offered = service;
        if (offered != null) {
            server.remove(offered.definition());
        }
        channels.close();
        thread.shutdownNow();
        pool.shutdownNow();
        control.shutdownNow();
        try {
            if (!pool.awaitTermination(END_SECONDS, TimeUnit.SECONDS)
                    || !control.awaitTermination(END_SECONDS, TimeUnit.SECONDS)) {
                LOG.warn("receivers of links still run after seconds={}", END_SECONDS);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
