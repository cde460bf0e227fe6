package io.godwit.broker.watch.top;

import com.google.protobuf.InvalidProtocolBufferException;
import io.godwit.api.port.ClusterAnswer;
import io.godwit.api.port.NotServingException;
import io.godwit.api.port.figure.TopSource;
import io.godwit.broker.clients.ClusterNodes;
import io.godwit.common.failure.Failures;
import io.godwit.mqtt.MqttServer;
import io.grpc.CallOptions;
import io.grpc.Channel;
import io.grpc.Context;
import io.grpc.Deadline;
import io.grpc.ServerServiceDefinition;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.grpc.stub.ClientCalls;
import io.grpc.stub.ServerCalls;
import io.grpc.stub.StreamObserver;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.Executor;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The slowest subscribers and the busiest clients and topics of all nodes: asks every member for its lists and merges
 * them. A thread that decodes and merges exists only while there are questions. Created and closed by the thread that
 * wires the broker; all other calls on any thread.
 */
public final class ClusterTop implements TopSource, AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(ClusterTop.class);
    /** Bounds of questions at a time: from operators of this node, and from all other nodes together. */
    static final int MAX_QUESTIONS = 4;

    static final int MAX_SERVED = 16;
    private static final long IDLE_SECONDS = 10;
    private static final Duration LONGEST = Duration.ofSeconds(30);

    private final ThreadPoolExecutor thread =
            new ThreadPoolExecutor(1, 1, IDLE_SECONDS, TimeUnit.SECONDS, new LinkedBlockingQueue<>(), task -> {
                Thread made = new Thread(task, "top");
                made.setDaemon(true);
                return made;
            });

    private final ClusterNodes nodes;
    private final NodeTop own;
    /** Atomic: changed when questions begin and end, on any thread. */
    private final AtomicInteger asked = new AtomicInteger();

    private final AtomicInteger served = new AtomicInteger();

    public ClusterTop(MqttServer server, ClusterNodes nodes) {
        this(nodes, executor -> new OwnTop(server, executor));
    }

    /** @param own the lists of this node, merged on the executor that it is given */
    ClusterTop(ClusterNodes nodes, Function<Executor, NodeTop> own) {
        thread.allowCoreThreadTimeOut(true);
        this.nodes = nodes;
        this.own = own.apply(thread);
    }

    /** Adds the method that other nodes call. */
    public ServerServiceDefinition.Builder addTo(ServerServiceDefinition.Builder service) {
        return service.addMethod(TopWire.TOP, ServerCalls.asyncUnaryCall(this::serve));
    }

    // ---- calls from other nodes

    private void serve(byte[] request, StreamObserver<byte[]> caller) {
        if (served.incrementAndGet() > MAX_SERVED) {
            served.decrementAndGet();
            caller.onError(Status.RESOURCE_EXHAUSTED
                    .withDescription("the node answers " + MAX_SERVED + " questions about the busiest already")
                    .asRuntimeException());
            return;
        }
        Duration within = timeLeft(Context.current().getDeadline());
        CompletableFuture.completedFuture(request)
                .thenApplyAsync(TopWire::question, this::execute)
                .thenCompose(question -> own.top(question, within))
                .thenApply(TopWire::answer)
                .whenComplete((answer, failure) -> {
                    served.decrementAndGet();
                    if (failure == null) {
                        caller.onNext(answer);
                        caller.onCompleted();
                    } else {
                        caller.onError(statusOf(failure));
                    }
                });
    }

    private void execute(Runnable task) {
        try {
            thread.execute(task);
        } catch (RejectedExecutionException e) {
            throw Status.UNAVAILABLE.withDescription("the node is stopping").asRuntimeException();
        }
    }

    private static Duration timeLeft(@Nullable Deadline deadline) {
        long nanos = deadline == null ? Long.MAX_VALUE : deadline.timeRemaining(TimeUnit.NANOSECONDS);
        return Duration.ofNanos(Math.max(1, Math.min(nanos, LONGEST.toNanos())));
    }

    private static StatusRuntimeException statusOf(Throwable failure) {
        Throwable cause = Failures.cause(failure);
        return cause instanceof StatusRuntimeException status
                ? status
                : Status.UNAVAILABLE.withDescription(cause.toString()).asRuntimeException();
    }

    // ---- calls for operators

    @Override
    public CompletableFuture<ClusterAnswer<List<SlowSubscriber>>> slowSubscribers(
            Optional<String> tenant, int limit, Duration within) {
        return ask(new TopKind.Question(TopKind.SLOW_SUBSCRIBERS, tenant, limit), within)
                .thenApply(lists -> {
                    record At(String node, TopItem item) {}
                    List<At> all = new ArrayList<>();
                    lists.value().forEach((node, items) -> items.forEach(item -> all.add(new At(node, item))));
                    List<SlowSubscriber> slowest = all.stream()
                            .sorted((a, b) ->
                                    TopItem.order(TopKind.SLOW_SUBSCRIBERS).compare(a.item, b.item))
                            .limit(limit)
                            .map(at -> new SlowSubscriber(
                                    at.item.tenant(),
                                    at.item.name(),
                                    at.node,
                                    at.item.number(0),
                                    at.item.number(1),
                                    at.item.number(2)))
                            .toList();
                    return new ClusterAnswer<>(slowest, lists.missingNodes());
                });
    }

    @Override
    public CompletableFuture<ClusterAnswer<List<BusyClient>>> clients(
            Optional<String> tenant, boolean isByBytes, int limit, Duration within) {
        TopKind kind = isByBytes ? TopKind.CLIENTS_BY_BYTES : TopKind.CLIENTS_BY_MESSAGES;
        return merged(
                kind,
                tenant,
                limit,
                within,
                item -> new BusyClient(
                        item.tenant(),
                        item.name(),
                        item.number(2),
                        item.number(3),
                        item.number(4),
                        item.number(5),
                        item.number(1)));
    }

    @Override
    public CompletableFuture<ClusterAnswer<List<BusyTopic>>> topics(
            Optional<String> tenant, int limit, Duration within) {
        return merged(
                TopKind.TOPICS,
                tenant,
                limit,
                within,
                item -> new BusyTopic(item.tenant(), item.name(), item.number(0), item.number(4), item.number(1)));
    }

    private <T> CompletableFuture<ClusterAnswer<List<T>>> merged(
            TopKind kind, Optional<String> tenant, int limit, Duration within, Function<TopItem, T> told) {
        return ask(new TopKind.Question(kind, tenant, TopKind.Question.MAX_LIMIT), within)
                .thenApply(lists -> {
                    record Key(String tenant, String name) {}
                    Map<Key, TopItem> sums = new HashMap<>();
                    lists.value()
                            .values()
                            .forEach(items -> items.forEach(
                                    item -> sums.merge(new Key(item.tenant(), item.name()), item, TopItem::plus)));
                    List<T> top = sums.values().stream()
                            .sorted(TopItem.order(kind))
                            .limit(limit)
                            .map(told)
                            .toList();
                    return new ClusterAnswer<>(top, lists.missingNodes());
                });
    }

    /** The lists of the nodes, by node. */
    private CompletableFuture<ClusterAnswer<Map<String, List<TopItem>>>> ask(
            TopKind.Question question, Duration within) {
        if (asked.incrementAndGet() > MAX_QUESTIONS) {
            asked.decrementAndGet();
            return CompletableFuture.failedFuture(new NotServingException(
                    "this node asks " + MAX_QUESTIONS + " questions about the busiest already; ask again later"));
        }
        Map<String, CompletableFuture<List<TopItem>>> all = new TreeMap<>();
        all.put(nodes.self(), begin(own, question, within));
        for (String node : new TreeSet<>(nodes.others())) {
            Channel channel = nodes.to(node);
            all.computeIfAbsent(node, id -> begin((asking, time) -> askPeer(channel, asking, time), question, within));
        }
        return CompletableFuture.allOf(all.values().toArray(CompletableFuture<?>[]::new))
                .handle((done, failure) -> all)
                .whenComplete((done, failure) -> asked.decrementAndGet())
                .thenApplyAsync(ClusterTop::collected, this::executeForOperators);
    }

    private void executeForOperators(Runnable task) {
        try {
            thread.execute(task);
        } catch (RejectedExecutionException e) {
            throw new NotServingException("this node is stopping");
        }
    }

    private static CompletableFuture<List<TopItem>> begin(NodeTop node, TopKind.Question question, Duration within) {
        try {
            return node.top(question, within).copy().orTimeout(within.toNanos(), TimeUnit.NANOSECONDS);
        } catch (RuntimeException e) { // a question that throws must not count as under way forever
            return CompletableFuture.failedFuture(e);
        }
    }

    private static ClusterAnswer<Map<String, List<TopItem>>> collected(
            Map<String, CompletableFuture<List<TopItem>>> all) {
        Map<String, List<TopItem>> told = new TreeMap<>();
        List<String> missing = new ArrayList<>();
        all.forEach((node, answer) -> {
            try {
                told.put(node, answer.join()); // does not block: all answers are complete
            } catch (CompletionException e) {
                LOG.debug("no list node={} cause={}", node, String.valueOf(Failures.cause(e)));
                missing.add(node);
            }
        });
        return new ClusterAnswer<>(told, missing);
    }

    private CompletableFuture<List<TopItem>> askPeer(
            @Nullable Channel channel, TopKind.Question question, Duration within) {
        if (channel == null) {
            return CompletableFuture.failedFuture(
                    Status.UNAVAILABLE.withDescription("not connected").asRuntimeException());
        }
        CompletableFuture<byte[]> answer = new CompletableFuture<>();
        CallOptions options = CallOptions.DEFAULT
                .withDeadlineAfter(within.toNanos(), TimeUnit.NANOSECONDS)
                .withMaxInboundMessageSize(TopWire.MAX_ANSWER_BYTES);
        ClientCalls.asyncUnaryCall(
                channel.newCall(TopWire.TOP, options), TopWire.request(question), new StreamObserver<>() {
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
        return answer.thenApplyAsync(
                bytes -> {
                    try {
                        return TopWire.items(bytes, question);
                    } catch (InvalidProtocolBufferException e) {
                        throw new CompletionException(e);
                    }
                },
                thread);
    }

    /** Ends questions under way; later ones fail. */
    @Override
    public void close() {
        thread.shutdown();
    }
}
