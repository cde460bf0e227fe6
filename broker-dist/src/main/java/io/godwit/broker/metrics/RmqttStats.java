package io.godwit.broker.metrics;

import com.google.protobuf.InvalidProtocolBufferException;
import io.godwit.api.port.ClusterAnswer;
import io.godwit.api.port.NotServingException;
import io.godwit.api.port.figure.HistorySource;
import io.godwit.api.port.figure.NodeFigures;
import io.godwit.api.port.figure.NodeHistory;
import io.godwit.api.port.figure.StatsSource;
import io.godwit.broker.clients.ClusterNodes;
import io.godwit.broker.metrics.wire.FiguresRequest;
import io.godwit.broker.metrics.wire.Kind;
import io.godwit.common.failure.Failures;
import io.godwit.kv.KvNode;
import io.godwit.kv.operate.NodeOperations.NodeInfo;
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
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The figures of all nodes under RMQTT's names, and the last hour of each node. A node computes its own ({@link
 * RmqttFigures}, {@link LastHour}), and asks the others ({@link #service}). A thread reads the meters, once a second
 * and for each question; its queue is bounded, since questions under way are. Closed by the thread that wires the
 * broker.
 */
public final class RmqttStats implements StatsSource, HistorySource, AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(RmqttStats.class);
    /** Bound of questions under way: of the API, and as many of other nodes. */
    static final int MAX_QUESTIONS = 8;

    private final String name;
    private final RmqttFigures own;
    private final LastHour lastHour;
    private final ClusterNodes nodes;
    private final IntSupplier retainReplicas;
    private final ScheduledThreadPoolExecutor thread;
    // atomic: questions begin and end on any thread
    private final AtomicInteger asked = new AtomicInteger();
    private final AtomicInteger answered = new AtomicInteger();

    /**
     * @param name of this node, for people
     * @param retainReplicas on how many nodes each retained message should be stored
     * @param millis since 1970, never steps back
     */
    RmqttStats(MeterRegistry meters, String name, ClusterNodes nodes, IntSupplier retainReplicas, LongSupplier millis) {
        this.name = name;
        this.own = new RmqttFigures(meters, System::nanoTime);
        this.lastHour = new LastHour(meters, millis, System::nanoTime);
        this.nodes = nodes;
        this.retainReplicas = retainReplicas;
        this.thread = new ScheduledThreadPoolExecutor(1, task -> {
            Thread made = new Thread(task, "figures");
            made.setDaemon(true);
            return made;
        });
        thread.setExecuteExistingDelayedTasksAfterShutdownPolicy(false);
    }

    /**
     * For {@code node}, whose retain store determines the number of replicas.
     *
     * @param millis since 1970, never steps back
     */
    public static RmqttStats of(KvNode node, MeterRegistry meters, ClusterNodes nodes, LongSupplier millis) {
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
                () -> node.wantedVoters().getOrDefault("retain", 1),
                millis);
    }

    /** Begins to update the largest values and to take samples. Called when the meters exist. */
    @SuppressWarnings("FutureReturnValueIgnored") // ends with the thread
    public void start() {
        thread.scheduleWithFixedDelay(this::look, 1, 1, TimeUnit.SECONDS);
    }

    private void look() {
        try {
            own.look();
            lastHour.look();
        } catch (RuntimeException | Error e) { // the thread's outermost frame: must not end the schedule
            LOG.warn("collecting figures failed", e);
        }
    }

    /** The service for the node's RPC server. */
    public ServerServiceDefinition service() {
        return ServerServiceDefinition.builder(FiguresWire.SERVICE)
                .addMethod(FiguresWire.READ, ServerCalls.asyncUnaryCall(this::answer))
                .build();
    }

    /** Called on an event loop; works on the thread. */
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
        supply(() -> answerTo(question(request))).whenComplete((answer, failure) -> {
            answered.decrementAndGet();
            if (failure == null) {
                caller.onNext(answer);
                caller.onCompleted();
            } else {
                caller.onError(statusOf(failure));
            }
        });
    }

    private static FiguresRequest question(byte[] bytes) {
        try {
            FiguresRequest request = FiguresRequest.parseFrom(bytes);
            if (request.getVersion() != FiguresWire.VERSION) {
                throw Status.FAILED_PRECONDITION
                        .withDescription("the node answers version " + FiguresWire.VERSION
                                + " of questions about figures, not " + Integer.toUnsignedString(request.getVersion()))
                        .asRuntimeException();
            }
            return request;
        } catch (InvalidProtocolBufferException e) {
            throw Status.INVALID_ARGUMENT.withDescription(e.getMessage()).asRuntimeException();
        }
    }

    private static StatusRuntimeException statusOf(Throwable failure) {
        Throwable cause = Failures.cause(failure);
        if (cause instanceof StatusRuntimeException status) {
            return status;
        } else if (cause instanceof RejectedExecutionException) {
            return Status.UNAVAILABLE.withDescription("the node is stopping").asRuntimeException();
        }
        LOG.warn("question about figures failed", cause);
        return Status.INTERNAL.withDescription(cause.toString()).asRuntimeException();
    }

    private byte[] answerTo(FiguresRequest question) {
        return question.getKind() == Kind.HISTORY
                ? HistoryWire.answer(name, lastHour.boundsMillis(), lastHour.since(question.getSinceMillis()))
                : FiguresWire.answer(name, figures(question.getKind()));
    }

    private Map<String, Number> figures(Kind kind) {
        return switch (kind) {
            case STATS -> own.statsNow();
            case METRICS -> own.metricsNow();
            case HISTORY -> throw new IllegalArgumentException("no figures");
            case KIND_UNSPECIFIED, UNRECOGNIZED ->
                throw Status.INVALID_ARGUMENT
                        .withDescription("the kind of figures is not known")
                        .asRuntimeException();
        };
    }

    /** Runs work on the thread. */
    private <T> CompletableFuture<T> supply(Supplier<T> work) {
        try {
            return CompletableFuture.supplyAsync(work, thread);
        } catch (RejectedExecutionException e) {
            return CompletableFuture.failedFuture(e);
        }
    }

    @Override
    public CompletableFuture<ClusterAnswer<List<NodeFigures>>> stats(Duration within) {
        return figures(Kind.STATS, within);
    }

    @Override
    public CompletableFuture<ClusterAnswer<List<NodeFigures>>> metrics(Duration within) {
        return figures(Kind.METRICS, within);
    }

    private CompletableFuture<ClusterAnswer<List<NodeFigures>>> figures(Kind kind, Duration within) {
        Question<NodeFigures> question =
                new Question<>(FiguresWire.request(kind), FiguresWire.MAX_BYTES, FiguresWire::figures);
        return ask(question, () -> new NodeFigures(nodes.self(), name, FiguresWire.RUNNING, figures(kind)), within);
    }

    @Override
    public CompletableFuture<ClusterAnswer<List<NodeHistory>>> history(long sinceMillis, Duration within) {
        Question<NodeHistory> question =
                new Question<>(HistoryWire.request(sinceMillis), HistoryWire.MAX_BYTES, HistoryWire::history);
        return ask(
                question,
                () -> new NodeHistory(nodes.self(), name, lastHour.boundsMillis(), lastHour.since(sinceMillis)),
                within);
    }

    /** Decodes the answer of a node. */
    private interface Reading<T> {
        T read(String node, byte[] answer) throws InvalidProtocolBufferException;
    }

    /** A question to other nodes, and the decoder of its answers. */
    @SuppressWarnings("ArrayRecordComponent") // never compared or changed
    private record Question<T>(byte[] bytes, int maxAnswerBytes, Reading<T> reading) {}

    /** @param here makes the answer of this node, on the thread */
    private <T> CompletableFuture<ClusterAnswer<List<T>>> ask(Question<T> question, Supplier<T> here, Duration within) {
        if (asked.incrementAndGet() > MAX_QUESTIONS) {
            asked.decrementAndGet();
            return CompletableFuture.failedFuture(new NotServingException(
                    "this node asks " + MAX_QUESTIONS + " questions about figures already; ask again later"));
        }
        Map<String, CompletableFuture<T>> all = new TreeMap<>();
        all.put(nodes.self(), supply(here));
        for (String node : new TreeSet<>(nodes.others())) {
            all.computeIfAbsent(node, id -> askOther(id, question, within));
        }
        all.replaceAll((node, answer) -> answer.copy().orTimeout(within.toNanos(), TimeUnit.NANOSECONDS));
        return CompletableFuture.allOf(all.values().toArray(CompletableFuture<?>[]::new))
                .handle((done, failure) -> {
                    asked.decrementAndGet();
                    return collected(all);
                });
    }

    private <T> ClusterAnswer<List<T>> collected(Map<String, CompletableFuture<T>> all) {
        List<T> told = new ArrayList<>();
        List<String> missing = new ArrayList<>();
        all.forEach((node, answer) -> {
            try {
                told.add(answer.join()); // does not block: all answers are complete
            } catch (CompletionException e) {
                if (node.equals(nodes.self()) && e.getCause() instanceof RejectedExecutionException) {
                    throw new NotServingException("this node is stopping");
                }
                LOG.debug("no figures node={} cause={}", node, String.valueOf(e.getCause()));
                missing.add(node);
            }
        });
        return new ClusterAnswer<>(told, missing);
    }

    private <T> CompletableFuture<T> askOther(String node, Question<T> question, Duration within) {
        Channel channel = nodes.to(node);
        if (channel == null) {
            return CompletableFuture.failedFuture(
                    Status.UNAVAILABLE.withDescription("not connected").asRuntimeException());
        }
        CompletableFuture<byte[]> answer = new CompletableFuture<>();
        CallOptions options = CallOptions.DEFAULT
                .withDeadlineAfter(within.toNanos(), TimeUnit.NANOSECONDS)
                .withMaxInboundMessageSize(question.maxAnswerBytes);
        ClientCalls.asyncUnaryCall(channel.newCall(FiguresWire.READ, options), question.bytes, new StreamObserver<>() {
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
                answer.completeExceptionally(new IllegalArgumentException("no answer")); // or a no-op
            }
        });
        return answer.thenApplyAsync(bytes -> read(node, question.reading, bytes), thread);
    }

    private static <T> T read(String node, Reading<T> reading, byte[] bytes) {
        try {
            return reading.read(node, bytes);
        } catch (InvalidProtocolBufferException e) {
            throw new CompletionException(e);
        }
    }

    @Override
    public Map<String, Number> sum(List<NodeFigures> figures) {
        // no more than there are nodes to store one
        return FigureSums.of(
                figures, Math.min(retainReplicas.getAsInt(), nodes.others().size() + 1));
    }

    /** Questions under way fail. */
    @Override
    public void close() {
        thread.shutdown();
    }
}
