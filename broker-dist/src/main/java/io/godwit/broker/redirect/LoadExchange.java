package io.godwit.broker.redirect;

import com.google.protobuf.InvalidProtocolBufferException;
import io.godwit.broker.clients.ClusterNodes;
import io.godwit.plugin.redirect.NodeLoad;
import io.godwit.plugin.redirect.NodeLoads;
import io.grpc.CallOptions;
import io.grpc.Channel;
import io.grpc.ServerServiceDefinition;
import io.grpc.StatusRuntimeException;
import io.grpc.stub.ClientCalls;
import io.grpc.stub.ServerCalls;
import io.grpc.stub.StreamObserver;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Exchanges the load of the nodes: {@link #service} answers other nodes, and after {@link #start} a thread asks the
 * others every second. Thread-safe. Closed by the thread that wires the broker.
 */
public final class LoadExchange implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(LoadExchange.class);
    private static final long INTERVAL_MILLIS = 1_000;
    private static final long DEADLINE_MILLIS = 900;
    /** Older loads are not used. */
    static final long MAX_AGE_NANOS = 5_000_000_000L;

    private record Told(NodeLoad load, long atNanos) {}

    private final ClusterNodes nodes;
    private final String serverReference;
    private final LongSupplier connections;
    private final BooleanSupplier isOpen;
    private final LongSupplier nanoClock;
    /** The last load of each node. Written by RPC threads, read by any. */
    private final Map<String, Told> told = new ConcurrentHashMap<>();

    private @Nullable ScheduledExecutorService thread;
    /** A copy made every second, so that only the thread sorts. Volatile: read by event loops. */
    private volatile List<Told> others = List.of();

    /**
     * @param serverReference the address by which clients reach this node; may be empty
     * @param connections the connections of this node; called on any thread
     * @param isOpen whether clients may be sent here; called on any thread
     */
    public LoadExchange(
            ClusterNodes nodes,
            String serverReference,
            LongSupplier connections,
            BooleanSupplier isOpen,
            LongSupplier nanoClock) {
        this.nodes = nodes;
        this.serverReference = serverReference;
        this.connections = connections;
        this.isOpen = isOpen;
        this.nanoClock = nanoClock;
    }

    /** The service for the node's RPC server. Answers at once, on the event loop. */
    public ServerServiceDefinition service() {
        return ServerServiceDefinition.builder(LoadWire.SERVICE)
                .addMethod(LoadWire.READ, ServerCalls.asyncUnaryCall(this::answer))
                .build();
    }

    private void answer(byte[] request, StreamObserver<byte[]> caller) {
        try {
            LoadWire.check(request);
        } catch (StatusRuntimeException e) {
            caller.onError(e);
            return;
        }
        caller.onNext(LoadWire.answer(own(), isOpen.getAsBoolean()));
        caller.onCompleted();
    }

    private NodeLoad own() {
        return new NodeLoad(nodes.self(), serverReference, connections.getAsLong());
    }

    /** Begins to ask the others. */
    @SuppressWarnings("FutureReturnValueIgnored") // runs until it is shut down
    public void start() {
        ScheduledExecutorService made = Executors.newSingleThreadScheduledExecutor(task -> {
            Thread named = new Thread(task, "node-loads");
            named.setDaemon(true);
            return named;
        });
        thread = made;
        made.scheduleWithFixedDelay(this::look, 0, INTERVAL_MILLIS, TimeUnit.MILLISECONDS);
    }

    /** One round: takes over the answers since the last round, and asks again. */
    void look() {
        try {
            Set<String> known = nodes.others();
            long now = nanoClock.getAsLong();
            told.entrySet()
                    .removeIf(each -> !known.contains(each.getKey())
                            || now - each.getValue().atNanos() > MAX_AGE_NANOS);
            others = told.values().stream()
                    .sorted(Comparator.comparing((Told each) -> each.load().nodeId()))
                    .toList();
            known.forEach(this::ask);
        } catch (RuntimeException | Error e) { // the thread's outermost frame: must not end the schedule
            LOG.warn("check of the loads of nodes failed", e);
        }
    }

    private void ask(String node) {
        Channel channel = nodes.to(node);
        if (channel == null) {
            return;
        }
        CallOptions options = CallOptions.DEFAULT
                .withDeadlineAfter(DEADLINE_MILLIS, TimeUnit.MILLISECONDS)
                .withMaxInboundMessageSize(LoadWire.MAX_BYTES);
        ClientCalls.asyncUnaryCall(channel.newCall(LoadWire.READ, options), LoadWire.request(), new StreamObserver<>() {
            @Override
            public void onNext(byte[] answer) {
                answered(node, answer);
            }

            @Override
            public void onError(Throwable failure) {
                LOG.debug("no load node={} cause={}", node, failure.toString());
            }

            @Override
            public void onCompleted() {
                // onNext has the answer
            }
        });
    }

    private void answered(String node, byte[] answer) {
        try {
            Optional<NodeLoad> load = LoadWire.load(node, answer);
            if (load.isPresent()) {
                told.put(node, new Told(load.get(), nanoClock.getAsLong()));
            } else {
                told.remove(node);
            }
        } catch (InvalidProtocolBufferException | IllegalArgumentException e) {
            LOG.debug("load not understood node={} cause={}", node, e.toString());
        }
    }

    /** The known loads. Any thread. */
    public NodeLoads loads() {
        long now = nanoClock.getAsLong();
        return new NodeLoads(
                own(),
                others.stream()
                        .filter(each -> now - each.atNanos() <= MAX_AGE_NANOS)
                        .map(Told::load)
                        .toList());
    }

    @Override
    public void close() {
        if (thread != null) {
            thread.shutdownNow();
        }
    }
}
