package io.godwit.kv.remote;

import io.godwit.kv.client.Deadline;
import io.godwit.kv.client.RangeException;
import io.godwit.kv.client.RangeException.Cause;
import io.godwit.kv.range.leader.RouteToken;
import io.godwit.kv.remote.RangeCall.Kind;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.CompletableFuture;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/** A user of a store's ranges on any node, over connections that a simulation controls, on its one thread. */
public final class SimCaller {
    /** The connections. */
    public interface Network {
        /** See {@code CallPeers#send}. */
        boolean send(
                String storeId,
                RouteToken token,
                RangeCall call,
                BiConsumer<byte @Nullable [], @Nullable Throwable> answer);

        void refreshRoutes();

        void later(long millis, Runnable task);
    }

    private final RouteTable table = new RouteTable();
    private final Deque<Runnable> tasks = new ArrayDeque<>();
    private final RangeCalls calls;
    private long number;
    private boolean running;

    public SimCaller(Network network, LongSupplier nanoClock, long maxPendingBytes) {
        CallPeers peers = new CallPeers() {
            @Override
            public boolean send(String storeId, RouteToken token, RangeCall call, Consumer<CallReply> answer) {
                return network.send(
                        storeId, token, call, (value, failure) -> answer.accept(CallReply.of(value, failure)));
            }

            @Override
            public void refreshRoutes() {
                network.refreshRoutes();
            }
        };
        RangeCalls.Timer timer = new RangeCalls.Timer() {
            @Override
            public void execute(Runnable task) {
                tasks.add(task);
                run();
            }

            @Override
            public void later(long millis, Runnable task) {
                network.later(millis, () -> execute(task));
            }
        };
        calls = new RangeCalls(peers, timer, nanoClock, maxPendingBytes);
        table.onChange(routes -> timer.execute(() -> calls.routesChanged(routes)));
    }

    /** Runs tasks one after the other, none inside another. */
    private void run() {
        if (!running) {
            running = true;
            while (!tasks.isEmpty()) {
                tasks.remove().run();
            }
            running = false;
        }
    }

    /** The reports that it has got. */
    public RouteTable table() {
        return table;
    }

    public CompletableFuture<byte[]> mutate(byte[] key, byte[] mutation, long deadlineNanos) {
        return call(Kind.MUTATE, key, mutation, deadlineNanos);
    }

    public CompletableFuture<byte[]> query(byte[] key, byte[] query, long deadlineNanos) {
        return call(Kind.QUERY, key, query, deadlineNanos);
    }

    private CompletableFuture<byte[]> call(Kind kind, byte[] key, byte[] payload, long deadlineNanos) {
        RangeCall call = new RangeCall(++number, kind, key, null, payload, new Deadline(deadlineNanos));
        tasks.add(() -> calls.call(call));
        run();
        return call.answer();
    }

    /** The failure that a caller gets when a connection breaks. */
    public static RangeException brokenConnection() {
        return new RangeException(Cause.TIMEOUT, "the connection broke");
    }
}
