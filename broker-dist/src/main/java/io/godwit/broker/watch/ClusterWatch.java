package io.godwit.broker.watch;

import io.godwit.api.port.NotServingException;
import io.godwit.api.port.watch.WatchFeed;
import io.godwit.api.port.watch.WatchSource;
import io.godwit.broker.clients.ClusterNodes;
import io.godwit.broker.watch.question.EventQuestion;
import io.godwit.broker.watch.question.TraceQuestion;
import io.godwit.broker.watch.question.WatchQuestion;
import io.godwit.broker.watch.question.WatchWire;
import io.godwit.broker.watch.tap.EventTap;
import io.godwit.broker.watch.tap.TraceTap;
import io.godwit.broker.watch.top.ClusterTop;
import io.grpc.ServerServiceDefinition;
import io.grpc.stub.ServerCallStreamObserver;
import io.grpc.stub.ServerCalls;
import io.grpc.stub.StreamObserver;
import java.time.Duration;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Watches all nodes for the operators of this node, and this node for operators of others ({@link #service}). Any
 * thread, except {@link #close}, which is for the thread that ends the broker.
 */
public final class ClusterWatch implements WatchSource, AutoCloseable {
    /** Bounds of feeds at a time for operators of this node. */
    static final int MAX_EVENT_FEEDS = 32;

    static final int MAX_TRACE_FEEDS = 4;

    /**
     * The part of {@link #MAX_TRACE_FEEDS} that operators of one tenant may use, so that they leave some for others.
     */
    static final int MAX_TENANT_TRACE_FEEDS = 2;

    /** The part of {@link #MAX_TRACE_FEEDS} for traces that are limited to a tenant; the rest is for all tenants. */
    static final int MAX_TENANTS_TRACE_FEEDS = 3;

    private static final Logger LOG = LoggerFactory.getLogger(ClusterWatch.class);
    private static final long END_SECONDS = 2;

    private final ClusterNodes nodes;
    private final OwnWatches own;
    private final LongSupplier nanoClock;
    private final WatchThread thread = new WatchThread();
    private final Set<NodesFeed> feeds = ConcurrentHashMap.newKeySet();

    public ClusterWatch(EventTap events, TraceTap traces, ClusterNodes nodes) {
        this(events, traces, nodes, System::nanoTime);
    }

    ClusterWatch(EventTap events, TraceTap traces, ClusterNodes nodes, LongSupplier nanoClock) {
        this.nodes = nodes;
        this.nanoClock = nanoClock;
        this.own = new OwnWatches(events, traces, nanoClock);
    }

    /** The service for the node's RPC server, including the method of {@code top}. */
    public ServerServiceDefinition service(ClusterTop top) {
        return top.addTo(builder()).build();
    }

    ServerServiceDefinition service() {
        return builder().build();
    }

    private ServerServiceDefinition.Builder builder() {
        return ServerServiceDefinition.builder(WatchWire.SERVICE)
                .addMethod(WatchWire.WATCH, ServerCalls.asyncServerStreamingCall(this::serve));
    }

    private void serve(byte[] request, StreamObserver<byte[]> caller) {
        new ServedWatch(own, thread, (ServerCallStreamObserver<byte[]>) caller).begin(request);
    }

    @Override
    public Optional<WatchFeed> events(EventFilter filter, Duration longest) {
        return open(EventQuestion.of(filter), filter.node(), longest, MAX_EVENT_FEEDS);
    }

    @Override
    public WatchFeed trace(TraceFilter filter, Duration longest) {
        if (filter.tenant().isPresent()
                && feeds.stream().filter(each -> each.traces(filter.tenant())).count() >= MAX_TENANT_TRACE_FEEDS) {
            throw new NotServingException(
                    "operators of the tenant trace " + MAX_TENANT_TRACE_FEEDS + " times already; end one");
        }
        if (filter.tenant().isPresent()
                && feeds.stream().filter(NodesFeed::tracesTenant).count() >= MAX_TENANTS_TRACE_FEEDS) {
            throw new NotServingException(
                    "operators of this node trace tenants " + MAX_TENANTS_TRACE_FEEDS + " times already; end one");
        }
        return open(TraceQuestion.of(filter), Optional.empty(), longest, MAX_TRACE_FEEDS)
                .orElseThrow();
    }

    private Optional<WatchFeed> open(WatchQuestion question, Optional<String> node, Duration longest, int most) {
        if (node.isPresent()
                && !node.get().equals(nodes.self())
                && !nodes.others().contains(node.get())) {
            return Optional.empty();
        }
        if (feeds.stream().filter(each -> each.isAbout(question.getClass())).count() >= most) {
            throw new NotServingException("operators of this node watch that " + most + " times already; end one");
        }
        NodesFeed[] made = new NodesFeed[1];
        NodesFeed feed =
                new NodesFeed(nodes, own, thread, question, node, longest, nanoClock, () -> feeds.remove(made[0]));
        made[0] = feed;
        feeds.add(feed);
        if (!thread.run(feed::open)) {
            feeds.remove(feed);
            throw new NotServingException("this node is stopping");
        }
        return Optional.of(feed);
    }

    /** The number of open feeds. */
    int feeds() {
        return feeds.size();
    }

    /** Ends all feeds of this node. */
    @Override
    public void close() {
        CountDownLatch ended = new CountDownLatch(1);
        boolean isBegun = thread.run(() -> {
            feeds.forEach(NodesFeed::end);
            ended.countDown();
        });
        try {
            if (isBegun && !ended.await(END_SECONDS, TimeUnit.SECONDS)) {
                LOG.warn("watches not ended within seconds={}", END_SECONDS);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        thread.close();
    }
}
