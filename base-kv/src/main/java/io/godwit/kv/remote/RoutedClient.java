package io.godwit.kv.remote;

import io.godwit.cluster.rpc.RpcChannels;
import io.godwit.kv.client.Deadline;
import io.godwit.kv.client.LeaderRequest;
import io.godwit.kv.client.RangeClient;
import io.godwit.kv.client.RangeException;
import io.godwit.kv.client.RangeException.Cause;
import io.godwit.kv.protocol.NodeProtocol;
import io.godwit.kv.range.replica.RangeExecutor;
import io.godwit.kv.remote.RangeCall.Kind;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.BooleanSupplier;
import java.util.function.Function;
import java.util.function.IntFunction;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The client of a store in a cluster: requests go to the leader of their range on any node. Leader requests reach
 * leaders on this node only.
 */
public final class RoutedClient implements RangeClient, AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(RoutedClient.class);

    private final Limits limits;
    private final RouteTable table;
    private final RangeClient local;
    private final GrpcCallPeers peers;
    private final RangeExecutor executor;
    private final RangeCalls calls;

    /**
     * The limits of a client.
     *
     * @param maxPendingBytes limit for all unanswered requests
     * @param maxRequestBytes limit for one request: a larger one would break the stream to its node, with all other
     *     requests on it
     * @param tooLarge counts requests above {@code maxRequestBytes}
     */
    public record Limits(long maxPendingBytes, int maxRequestBytes, LongAdder tooLarge) {}

    /**
     * The caller: this node's process.
     *
     * @param protocol the versions of the calls that it supports
     */
    public record Caller(String clusterId, String storeId, long incarnation, NodeProtocol protocol) {}

    /**
     * The way to leaders on other nodes.
     *
     * @param table the leaders of the ranges of the store
     * @param refresh asks other nodes for their leaderships
     */
    public record Peers(RouteTable table, RpcChannels channels, Runnable refresh) {}

    /**
     * What runs the client.
     *
     * @param pool runs it, one task at a time
     * @param timers passes tasks on when they are due
     */
    public record Threads(Executor pool, ScheduledExecutorService timers) {}

    /**
     * @param host accepts calls of leaders for the ranges of this node
     * @param local accepts leader requests for the ranges that this node leads
     */
    public RoutedClient(
            String store,
            Caller caller,
            Peers others,
            RangeHost host,
            RangeClient local,
            Threads threads,
            Limits limits) {
        this.limits = limits;
        this.table = others.table();
        this.local = local;
        this.peers = new GrpcCallPeers(
                others.channels(),
                caller.protocol(),
                new CallFrame.Hello(0, caller.clusterId(), store, caller.storeId(), caller.incarnation(), 0),
                host,
                others.refresh());
        this.executor = new RangeExecutor(
                threads.pool(), thrown -> LOG.error("task of the client failed store={}", store, thrown));
        this.calls = new RangeCalls(
                peers, new Jittered(executor, threads.timers()), System::nanoTime, limits.maxPendingBytes());
        table.onChange(routes -> executor.execute(() -> calls.routesChanged(routes)));
        executor.execute(() -> calls.routesChanged(table.routes()));
    }

    /** Numbers the calls before the executor gets them, so that the numbers of one thread's calls rise. */
    private final AtomicLong numbers = new AtomicLong();

    @Override
    public CompletableFuture<byte[]> mutate(byte[] key, byte[] mutation, Deadline deadline) {
        return call(Kind.MUTATE, key, null, mutation, deadline);
    }

    @Override
    public CompletableFuture<byte[]> relieve(byte[] key, byte[] mutation, Deadline deadline) {
        return call(Kind.RELIEVE, key, null, mutation, deadline);
    }

    @Override
    public CompletableFuture<byte[]> mutateAgain(byte[] key, byte[] mutation, Deadline deadline) {
        return call(Kind.MUTATE, key, null, mutation, deadline, true, () -> true);
    }

    @Override
    public CompletableFuture<byte[]> relieveAgain(byte[] key, byte[] mutation, Deadline deadline) {
        return relieveAgain(key, mutation, deadline, () -> true);
    }

    @Override
    public CompletableFuture<byte[]> relieveAgain(
            byte[] key, byte[] mutation, Deadline deadline, BooleanSupplier isWanted) {
        return call(Kind.RELIEVE, key, null, mutation, deadline, true, isWanted);
    }

    @Override
    public CompletableFuture<byte[]> query(byte[] key, byte[] query, Deadline deadline) {
        return call(Kind.QUERY, key, null, query, deadline);
    }

    @Override
    public CompletableFuture<byte[]> query(byte[] key, byte @Nullable [] end, byte[] query, Deadline deadline) {
        return call(Kind.QUERY_INTERVAL, key, end, query, deadline);
    }

    private CompletableFuture<byte[]> call(
            Kind kind, byte[] key, byte @Nullable [] end, byte[] payload, Deadline deadline) {
        return call(kind, key, end, payload, deadline, false, () -> true);
    }

    private CompletableFuture<byte[]> call(
            Kind kind,
            byte[] key,
            byte @Nullable [] end,
            byte[] payload,
            Deadline deadline,
            boolean isRepeatable,
            BooleanSupplier isWanted) {
        if (deadline.hasPassed(System.nanoTime())) {
            return CompletableFuture.failedFuture(new RangeException(Cause.TIMEOUT, "deadline passed before the call"));
        }
        if (payload.length > limits.maxRequestBytes()) {
            limits.tooLarge().increment();
            return CompletableFuture.failedFuture(new RangeException(
                    Cause.TOO_LARGE,
                    "a request may have " + limits.maxRequestBytes() + " bytes, not " + payload.length));
        }
        RangeCall call =
                new RangeCall(numbers.incrementAndGet(), kind, key, end, payload, deadline, isRepeatable, isWanted);
        executor.execute(() -> calls.call(call));
        return call.answer();
    }

    @Override
    public void submit(byte[] key, LeaderRequest request) {
        local.submit(key, request);
    }

    @Override
    public void submitParts(int count, IntFunction<byte[]> keys, Function<int[], LeaderRequest> requests) {
        local.submitParts(count, keys, requests);
    }

    @Override
    public List<byte[]> rangeKeys(byte[] start, byte @Nullable [] end) {
        return table.routes().rangeKeys(start, end);
    }

    /** Fails waiting requests with {@code CLOSED}, and sent ones with {@code TIMEOUT}. */
    @Override
    public void close() {
        executor.execute(() -> calls.close(new RangeException(Cause.CLOSED, "store is closing")));
        peers.close();
    }

    /** Adds jitter, because nodes that lost a leader together would otherwise ask together. */
    private record Jittered(RangeExecutor executor, ScheduledExecutorService timers) implements RangeCalls.Timer {
        @Override
        public void execute(Runnable task) {
            executor.execute(task);
        }

        @Override
        @SuppressWarnings("FutureReturnValueIgnored") // ends with the timers
        public void later(long millis, Runnable task) {
            long jittered = millis + ThreadLocalRandom.current().nextLong(millis / 2 + 1);
            timers.schedule(() -> executor.execute(task), jittered, TimeUnit.MILLISECONDS);
        }
    }
}
