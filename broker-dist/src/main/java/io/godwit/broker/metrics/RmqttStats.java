package io.godwit.broker.metrics;

import com.google.protobuf.InvalidProtocolBufferException;
import io.godwit.api.port.Answer;
import io.godwit.api.port.NodeFigures;
import io.godwit.api.port.NotServingException;
import io.godwit.api.port.StatsSource;
import io.godwit.broker.clients.ClusterNodes;
import io.godwit.broker.metrics.wire.FiguresRequest;
import io.godwit.broker.metrics.wire.Kind;
import io.godwit.kv.KvNode;
import io.godwit.kv.NodeOperations.NodeInfo;
import io.grpc.CallOptions;
import io.grpc.Channel;
import io.grpc.ServerServiceDefinition;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.grpc.stub.ClientCalls;
import io.grpc.stub.ServerCalls;
import io.grpc.stub.StreamObserver;
import io.micrometer.core.instrument.MeterRegistry;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.IntSupplier;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Figures of all nodes under RMQTT's names: each node tells its own ({@link RmqttFigures}), and asks the others for
 * theirs ({@link #service}). Has a thread that looks at the meters, every second for the largest values and for each
 * question; questions under way are bounded, so what waits for it is too. Closed by whoever wires the broker.
 */
public final class RmqttStats implements StatsSource, AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(RmqttStats.class);
    /** Of API requests, and of other nodes; each. */
    static final int MAX_QUESTIONS = 8;

    private final String name;
    private final RmqttFigures own;
    private final ClusterNodes nodes;
    private final IntSupplier retainReplicas;
    private final ScheduledThreadPoolExecutor thread;
    // atomic: begun and ended on any thread
    private final AtomicInteger asked = new AtomicInteger();
    private final AtomicInteger answered = new AtomicInteger();

    /**
     * @param name of this node, for people
     * @param retainReplicas on how many nodes each retained message is wanted
     */
    RmqttStats(MeterRegistry meters, String name, ClusterNodes nodes, IntSupplier retainReplicas) {
        this.name = name;
        this.own = new RmqttFigures(meters, System::nanoTime);
        this.nodes = nodes;
        this.retainReplicas = retainReplicas;
        this.thread = new ScheduledThreadPoolExecutor(1, task -> {
            Thread made = new Thread(task, "figures");
            made.setDaemon(true);
            return made;
        });
        thread.setExecuteExistingDelayedTasksAfterShutdownPolicy(false);
    }

    /** Of {@code node}, whose retain store says how many nodes have each retained message. */
    public static RmqttStats of(KvNode node, MeterRegistry meters, ClusterNodes nodes) {
        String self = node.operations().self();
        String rpc = node.operations().nodes().stream()
                .filter(each -> each.storeId().equals(self))
                .map(NodeInfo::rpc)
                .findFirst()
                .orElse("");
        return new RmqttStats(
                meters,
                rpc.isEmpty() ? self : rpc,
                nodes,
                () -> node.wantedVoters().getOrDefault("retain", 1));
    }

    /** Begins to look for the largest values; when the meters are there. */
    @SuppressWarnings("FutureReturnValueIgnored") // ends with the thread
    public void start() {
        thread.scheduleWithFixedDelay(this::look, 1, 1, TimeUnit.SECONDS);
    }

    private void look() {
        try {
            own.look();
        } catch (RuntimeException e) { // the thread's outermost frame: it is to look again
            LOG.warn("figures not looked at", e);
        }
    }

    /** What other nodes ask; for the node's RPC server. */
    public ServerServiceDefinition service() {
        return ServerServiceDefinition.builder(FiguresWire.SERVICE)
                .addMethod(FiguresWire.READ, ServerCalls.asyncUnaryCall(this::answer))
                .build();
    }

    /** On an event loop, which it leaves at once. */
    private void answer(byte[] request, StreamObserver<byte[]> caller) {
        if (request.length > FiguresWire.MAX_QUESTION_BYTES) {
            caller.onError(Status.INVALID_ARGUMENT
                    .withDescription("a question of " + request.length + " bytes")
                    .asRuntimeException());
            return;
        }
        if (answered.incrementAndGet() > MAX_QUESTIONS) {
            answered.decrementAndGet();
            caller.onError(Status.RESOURCE_EXHAUSTED
                    .withDescription("the node answers " + MAX_QUESTIONS + " questions about figures already")
                    .asRuntimeException());
            return;
        }
        supply(() -> FiguresWire.answer(name, figures(kindOf(request)))).whenComplete((answer, failure) -> {
            answered.decrementAndGet();
            if (failure == null) {
                caller.onNext(answer);
                caller.onCompleted();
            } else {
                caller.onError(statusOf(failure));
            }
        });
    }

    private static Kind kindOf(byte[] bytes) {
        try {
            FiguresRequest request = FiguresRequest.parseFrom(bytes);
            if (request.getVersion() != FiguresWire.VERSION) {
                throw Status.FAILED_PRECONDITION
                        .withDescription("the node answers version " + FiguresWire.VERSION
                                + " of questions about figures, not " + Integer.toUnsignedString(request.getVersion()))
                        .asRuntimeException();
            }
            return request.getKind();
        } catch (InvalidProtocolBufferException e) {
            throw Status.INVALID_ARGUMENT.withDescription(e.getMessage()).asRuntimeException();
        }
    }

    private static StatusRuntimeException statusOf(Throwable failure) {
        Throwable cause =
                failure instanceof CompletionException && failure.getCause() != null ? failure.getCause() : failure;
        if (cause instanceof StatusRuntimeException status) {
            return status;
        } else if (cause instanceof RejectedExecutionException) {
            return Status.UNAVAILABLE.withDescription("the node is stopping").asRuntimeException();
        }
        LOG.warn("question about figures failed", cause);
        return Status.INTERNAL.withDescription(cause.toString()).asRuntimeException();
    }

    private Map<String, Number> figures(Kind kind) {
        return switch (kind) {
            case STATS -> own.statsNow();
            case METRICS -> own.metricsNow();
            case KIND_UNSPECIFIED, UNRECOGNIZED ->
                throw Status.INVALID_ARGUMENT
                        .withDescription("figures of what kind?")
                        .asRuntimeException();
        };
    }

    /** On the thread of the figures. */
    private <T> CompletableFuture<T> supply(Supplier<T> work) {
        try {
            return CompletableFuture.supplyAsync(work, thread);
        } catch (RejectedExecutionException e) {
            return CompletableFuture.failedFuture(e);
        }
    }

    @Override
    public CompletableFuture<Answer<List<NodeFigures>>> stats(Duration within) {
        return ask(Kind.STATS, within);
    }

    @Override
    public CompletableFuture<Answer<List<NodeFigures>>> metrics(Duration within) {
        return ask(Kind.METRICS, within);
    }

    private CompletableFuture<Answer<List<NodeFigures>>> ask(Kind kind, Duration within) {
        if (asked.incrementAndGet() > MAX_QUESTIONS) {
            asked.decrementAndGet();
            return CompletableFuture.failedFuture(new NotServingException(
                    "this node asks " + MAX_QUESTIONS + " questions about figures already; ask again later"));
        }
        Map<String, CompletableFuture<NodeFigures>> all = new TreeMap<>();
        all.put(nodes.self(), supply(() -> new NodeFigures(nodes.self(), name, FiguresWire.RUNNING, figures(kind))));
        for (String node : new TreeSet<>(nodes.others())) {
            all.computeIfAbsent(node, id -> askOther(id, kind, within));
        }
        all.replaceAll((node, answer) -> answer.copy().orTimeout(within.toNanos(), TimeUnit.NANOSECONDS));
        return CompletableFuture.allOf(all.values().toArray(CompletableFuture<?>[]::new))
                .handle((done, failure) -> {
                    asked.decrementAndGet();
                    return collected(all);
                });
    }

    private Answer<List<NodeFigures>> collected(Map<String, CompletableFuture<NodeFigures>> all) {
        List<NodeFigures> figures = new ArrayList<>();
        List<String> missing = new ArrayList<>();
        all.forEach((node, answer) -> {
            try {
                figures.add(answer.join()); // it is done
            } catch (CompletionException e) {
                if (node.equals(nodes.self()) && e.getCause() instanceof RejectedExecutionException) {
                    throw new NotServingException("this node is stopping");
                }
                LOG.debug("no figures node={} cause={}", node, String.valueOf(e.getCause()));
                missing.add(node);
            }
        });
        return new Answer<>(figures, missing);
    }

    private CompletableFuture<NodeFigures> askOther(String node, Kind kind, Duration within) {
        Channel channel = nodes.to(node);
        if (channel == null) {
            return CompletableFuture.failedFuture(
                    Status.UNAVAILABLE.withDescription("not connected").asRuntimeException());
        }
        CompletableFuture<byte[]> answer = new CompletableFuture<>();
        CallOptions options = CallOptions.DEFAULT
                .withDeadlineAfter(within.toNanos(), TimeUnit.NANOSECONDS)
                .withMaxInboundMessageSize(FiguresWire.MAX_BYTES);
        ClientCalls.asyncUnaryCall(
                channel.newCall(FiguresWire.READ, options), FiguresWire.request(kind), new StreamObserver<>() {
                    @Override
                    public void onNext(byte[] value) {
                        answer.complete(value);
                    }

                    @Override
                    public void onError(Throwable failure) {
                        answer.completeExceptionally(failure);
                    }

                    @Override
                    public void onCompleted() {
                        answer.completeExceptionally(new IllegalArgumentException("no answer")); // or does nothing
                    }
                });
        return answer.thenApplyAsync(bytes -> read(node, bytes), thread);
    }

    private static NodeFigures read(String node, byte[] bytes) {
        try {
            return FiguresWire.figures(node, bytes);
        } catch (InvalidProtocolBufferException e) {
            throw new CompletionException(e);
        }
    }

    @Override
    public Map<String, Number> sum(List<NodeFigures> figures) {
        // not more than there are nodes to have one
        return FigureSums.of(
                figures, Math.min(retainReplicas.getAsInt(), nodes.others().size() + 1));
    }

    /** What is under way fails. */
    @Override
    public void close() {
        thread.shutdown();
    }
}
