package io.godwit.cluster.rpc;

import io.godwit.cluster.config.HostPort;
import io.godwit.cluster.member.ClusterListener;
import io.godwit.cluster.member.Departure;
import io.godwit.cluster.member.Member;
import io.godwit.cluster.thread.DaemonThreads;
import io.godwit.cluster.thread.RpcThreads;
import io.godwit.cluster.trust.ClusterTls;
import io.grpc.Channel;
import io.grpc.ConnectivityState;
import io.grpc.ManagedChannel;
import io.grpc.netty.NettyChannelBuilder;
import io.netty.channel.ChannelOption;
import io.netty.handler.ssl.SslContext;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One channel to every other member, kept connected while the node is a member.
 *
 * <p>The channel to a crashed member is kept for some minutes, because the member may only have been cut off: calls on
 * a connection that still works go on, and other calls fail at once. If the member comes back while the old channel is
 * still connected, it gets a new channel: after a cut, TCP may wait as long again as the cut lasted before it
 * retransmits, and gRPC tests a connection only after 10 s or more.
 *
 * <p>A call on a channel that is not connected fails with UNAVAILABLE if the last connection attempt failed, and
 * otherwise waits for the attempt in progress. gRPC does not retry calls here. It would retry connections ever more
 * rarely, up to every two minutes; here it does so every second.
 */
public final class RpcChannels implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(RpcChannels.class);
    private static final int CONNECT_MILLIS = 2_000;
    private static final long CLOSE_SECONDS = 2;
    private static final long RETRY_MILLIS = 1_000;
    private static final long KEEP_CRASHED_NANOS = TimeUnit.MINUTES.toNanos(10);

    private record Peer(Member member, ManagedChannel channel) {}

    private final RpcThreads threads;
    private final @Nullable SslContext tls;
    private final int maxMessageBytes;
    private final String selfId;
    private final ScheduledThreadPoolExecutor thread =
            new ScheduledThreadPoolExecutor(1, DaemonThreads.named("rpc-channels"));
    private final List<Consumer<String>> listeners = new CopyOnWriteArrayList<>();
    /** By node id. Changed by the thread only, read by any thread. */
    private final Map<String, Peer> peers = new ConcurrentHashMap<>();
    /** When the members crashed whose channels are kept, by {@link System#nanoTime}. Used by the thread only. */
    private final Map<String, Long> crashed = new ConcurrentHashMap<>();

    public RpcChannels(String selfId, @Nullable ClusterTls tls, RpcThreads threads, int maxMessageBytes)
            throws IOException {
        this.selfId = selfId;
        this.tls = tls == null ? null : tls.clientContext();
        this.threads = threads;
        this.maxMessageBytes = maxMessageBytes;
        thread.setExecuteExistingDelayedTasksAfterShutdownPolicy(false);
        every();
    }

    @SuppressWarnings("FutureReturnValueIgnored") // the task ends with the thread
    private void every() {
        thread.scheduleWithFixedDelay(this::guardedTend, RETRY_MILLIS, RETRY_MILLIS, TimeUnit.MILLISECONDS);
    }

    /** The channel to a member; null if there is no such member or it is this node. Any thread. */
    public @Nullable Channel to(String nodeId) {
        Peer peer = peers.get(nodeId);
        return peer == null ? null : peer.channel();
    }

    /**
     * The member that the channel leads to, as it announced itself last; null if {@link #to} is. Any thread. A process
     * that was restarted at the same address may already answer while this still describes the one before.
     */
    public @Nullable Member member(String nodeId) {
        Peer peer = peers.get(nodeId);
        return peer == null ? null : peer.member();
    }

    /** Whether the channel to the member is connected now. Any thread. */
    public boolean isConnected(String nodeId) {
        Peer peer = peers.get(nodeId);
        return peer != null && isReady(peer);
    }

    /**
     * Adds {@code listener}, which is called with the node id whenever a connection to a node is made, on a thread that
     * it must not block.
     */
    public void onConnected(Consumer<String> listener) {
        listeners.add(listener);
    }

    /** A listener that opens and closes channels as members come and go. */
    public ClusterListener following() {
        return new ClusterListener() {
            @Override
            public void joined(Member member) {
                run(() -> connect(member));
            }

            @Override
            public void updated(Member member) {
                run(() -> peers.computeIfPresent(
                        member.nodeId(),
                        (id, known) -> known.member().incarnation() == member.incarnation()
                                ? new Peer(member, known.channel())
                                : known));
            }

            @Override
            public void gone(Member member, Departure departure) {
                run(() -> {
                    if (departure == Departure.LEFT) {
                        disconnect(member.nodeId());
                    } else {
                        crashed.put(member.nodeId(), System.nanoTime());
                    }
                });
            }
        };
    }

    private void connect(Member member) {
        if (member.nodeId().equals(selfId)) {
            return;
        }
        boolean isBack = crashed.remove(member.nodeId()) != null;
        Peer known = peers.get(member.nodeId());
        if (known != null && known.member().rpc().equals(member.rpc()) && !(isBack && isReady(known))) {
            peers.put(member.nodeId(), new Peer(member, known.channel()));
            known.channel().resetConnectBackoff();
            return;
        }
        ManagedChannel channel = build(member.rpc());
        peers.put(member.nodeId(), new Peer(member, channel));
        if (known != null) {
            known.channel().shutdownNow();
        }
        watch(member.nodeId(), channel);
    }

    private static boolean isReady(Peer peer) {
        return peer.channel().getState(false) == ConnectivityState.READY;
    }

    private ManagedChannel build(HostPort address) {
        NettyChannelBuilder builder = NettyChannelBuilder.forAddress(address.host(), address.port())
                .channelType(threads.channelType())
                .eventLoopGroup(threads.loops())
                .directExecutor()
                .withOption(ChannelOption.CONNECT_TIMEOUT_MILLIS, CONNECT_MILLIS)
                .maxInboundMessageSize(maxMessageBytes)
                .keepAliveTime(RpcServer.KEEP_ALIVE_SECONDS, TimeUnit.SECONDS)
                .keepAliveTimeout(RpcServer.KEEP_ALIVE_SECONDS, TimeUnit.SECONDS)
                .keepAliveWithoutCalls(true)
                .disableRetry()
                .disableServiceConfigLookUp();
        if (tls == null) {
            builder.usePlaintext();
        } else {
            builder.sslContext(tls);
        }
        return builder.build();
    }

    /** Keeps the channel connected, and reports each new connection. */
    private void watch(String nodeId, ManagedChannel channel) {
        ConnectivityState state = channel.getState(true);
        if (state == ConnectivityState.READY) {
            LOG.debug("connected node={}", nodeId);
            listeners.forEach(listener -> listener.accept(nodeId));
        }
        if (state != ConnectivityState.SHUTDOWN) {
            channel.notifyWhenStateChanged(state, () -> run(() -> watch(nodeId, channel)));
        }
    }

    private void guardedTend() {
        try {
            tend();
        } catch (RuntimeException | Error e) { // outermost frame: must not end the schedule
            LOG.error("check of the channels to other nodes failed", e);
        }
    }

    private void tend() {
        peers.values().stream()
                .map(Peer::channel)
                .filter(channel -> channel.getState(false) == ConnectivityState.TRANSIENT_FAILURE)
                .forEach(ManagedChannel::resetConnectBackoff);
        long now = System.nanoTime();
        List<String> forgotten = new ArrayList<>();
        crashed.forEach((nodeId, since) -> {
            if (now - since > KEEP_CRASHED_NANOS) {
                forgotten.add(nodeId);
            }
        });
        forgotten.forEach(this::disconnect);
    }

    private void disconnect(String nodeId) {
        crashed.remove(nodeId);
        Peer known = peers.remove(nodeId);
        if (known != null) {
            known.channel().shutdownNow();
        }
    }

    private void run(Runnable task) {
        try {
            thread.execute(task);
        } catch (RejectedExecutionException e) {
            LOG.debug("ignored: the channels are closed");
        }
    }

    /** Fails the calls in progress. Returns when the channels are closed or after some seconds. */
    @Override
    public void close() {
        thread.shutdownNow();
        try {
            boolean ended = thread.awaitTermination(CLOSE_SECONDS, TimeUnit.SECONDS);
            peers.values().forEach(peer -> peer.channel().shutdownNow());
            for (Peer peer : peers.values()) {
                ended &= peer.channel().awaitTermination(CLOSE_SECONDS, TimeUnit.SECONDS);
            }
            if (!ended) {
                LOG.warn("channels not closed within seconds={}", CLOSE_SECONDS);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        peers.clear();
    }
}
