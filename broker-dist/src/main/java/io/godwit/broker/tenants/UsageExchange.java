package io.godwit.broker.tenants;

import com.google.protobuf.InvalidProtocolBufferException;
import io.godwit.broker.clients.ClusterNodes;
import io.godwit.plugin.client.TenantId;
import io.grpc.CallOptions;
import io.grpc.Channel;
import io.grpc.ServerServiceDefinition;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.grpc.stub.ClientCalls;
import io.grpc.stub.ServerCalls;
import io.grpc.stub.StreamObserver;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Exchanges the use of tenants between nodes: {@link #service} answers others, and {@link #ask} asks them. An answer is
 * valid until the next one, at most for five seconds. Thread-safe. Closed by the thread that wires the broker.
 */
public final class UsageExchange implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(UsageExchange.class);
    private static final long DEADLINE_MILLIS = 900;
    private static final long MAX_AGE_NANOS = TimeUnit.SECONDS.toNanos(5);

    /** Bound of waiting questions of other nodes; each node asks twice a second. */
    private static final int MAX_WAITING = 64;

    private record Told(Map<TenantId, TenantUse> uses, long askedNanos) {}

    private final ClusterNodes nodes;
    private final LongSupplier nanoClock;
    /** A thread of its own, since an answer about many tenants takes a while, and RPC threads carry Raft too. */
    private final ThreadPoolExecutor answering;

    /** The last answer of each node. Written by RPC threads, read by any. */
    private final Map<String, Told> told = new ConcurrentHashMap<>();

    /** Volatile: set once by the thread that wires the broker. */
    private volatile Function<TenantId, TenantUse> own = tenant -> TenantUse.NONE;

    /** Volatile: set once by the thread that wires the broker. */
    private volatile Runnable heard = () -> {};

    public UsageExchange(ClusterNodes nodes, LongSupplier nanoClock) {
        this.nodes = nodes;
        this.nanoClock = nanoClock;
        this.answering =
                new ThreadPoolExecutor(1, 1, 5, TimeUnit.SECONDS, new ArrayBlockingQueue<>(MAX_WAITING), task -> {
                    Thread named = new Thread(task, "tenant-usage-answers");
                    named.setDaemon(true);
                    return named;
                });
        answering.allowCoreThreadTimeOut(true);
    }

    /** @param uses provides the answers of this node; called on a thread of this object, must return at once */
    void tell(Function<TenantId, TenantUse> uses) {
        own = uses;
    }

    /** @param next called after each answer of another node, on any thread; must return at once */
    void onAnswer(Runnable next) {
        heard = next;
    }

    /** The service for the node's RPC server. */
    public ServerServiceDefinition service() {
        return ServerServiceDefinition.builder(UsageWire.SERVICE)
                .addMethod(UsageWire.READ, ServerCalls.asyncUnaryCall(this::answer))
                .build();
    }

    private void answer(byte[] request, StreamObserver<byte[]> caller) {
        try {
            answering.execute(() -> answerHere(request, caller));
        } catch (RejectedExecutionException e) {
            caller.onError(Status.RESOURCE_EXHAUSTED
                    .withDescription(MAX_WAITING + " questions wait")
                    .asRuntimeException());
        }
    }

    private void answerHere(byte[] request, StreamObserver<byte[]> caller) {
        byte[] answer;
        try {
            answer = UsageWire.answer(UsageWire.tenants(request), own);
        } catch (StatusRuntimeException e) {
            caller.onError(e);
            return;
        }
        caller.onNext(answer);
        caller.onCompleted();
    }

    /** Asks all other nodes about tenants, and forgets answers that are too old. Returns at once. */
    void ask(Collection<TenantId> tenants) {
        Set<String> known = nodes.others();
        long now = nanoClock.getAsLong();
        told.entrySet()
                .removeIf(each ->
                        !known.contains(each.getKey()) || now - each.getValue().askedNanos() > MAX_AGE_NANOS);
        if (tenants.isEmpty() || known.isEmpty()) {
            return;
        }
        byte[] request = UsageWire.request(tenants);
        known.forEach(node -> ask(node, request, now));
    }

    private void ask(String node, byte[] request, long now) {
        Channel channel = nodes.to(node);
        if (channel == null) {
            return;
        }
        CallOptions options = CallOptions.DEFAULT
                .withDeadlineAfter(DEADLINE_MILLIS, TimeUnit.MILLISECONDS)
                .withMaxInboundMessageSize(UsageWire.MAX_BYTES);
        ClientCalls.asyncUnaryCall(channel.newCall(UsageWire.READ, options), request, new StreamObserver<>() {
            @Override
            public void onNext(byte[] answer) {
                answered(node, answer, now);
            }

            @Override
            public void onError(Throwable failure) {
                LOG.debug("no usage of tenants node={} cause={}", node, failure.toString());
            }

            @Override
            public void onCompleted() {
                // onNext has the answer
            }
        });
    }

    private void answered(String node, byte[] answer, long askedNanos) {
        if (!nodes.others().contains(node)) {
            return; // it has left since it was asked
        }
        try {
            Told next = new Told(UsageWire.uses(answer), askedNanos);
            // a late answer may arrive after the answer to a later question
            told.merge(node, next, (a, b) -> b.askedNanos() - a.askedNanos() >= 0 ? b : a);
            heard.run();
        } catch (InvalidProtocolBufferException | IllegalArgumentException e) {
            LOG.debug("usage of tenants not understood node={} cause={}", node, e.toString());
        }
    }

    /** The use of a tenant on each other node with a valid answer. Any thread; returns at once. */
    List<TenantUse> others(TenantId tenant) {
        if (told.isEmpty()) {
            return List.of();
        }
        return told.values().stream()
                .map(each -> each.uses().getOrDefault(tenant, TenantUse.NONE))
                .toList();
    }

    @Override
    public void close() {
        answering.shutdownNow();
    }
}
