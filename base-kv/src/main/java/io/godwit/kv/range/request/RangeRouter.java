package io.godwit.kv.range.request;

import io.godwit.kv.client.Deadline;
import io.godwit.kv.client.LeaderRequest;
import io.godwit.kv.client.RangeClient;
import io.godwit.kv.client.RangeException;
import io.godwit.kv.client.RangeException.Cause;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.locks.Lock;
import java.util.function.Function;
import java.util.function.IntFunction;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/** Finds the range of a key among the ranges of a store on this node, and follows splits. Thread-safe. */
public final class RangeRouter implements RangeClient, Forwarding {
    private final RangeTable table = new RangeTable();
    private final LongSupplier nanoClock;

    /** @param nanoClock the clock of the deadlines of requests */
    public RangeRouter(LongSupplier nanoClock) {
        this.nanoClock = nanoClock;
    }

    /** Routes by the present bounds of {@code ranges}. */
    public void route(Collection<? extends RoutedRange> ranges) {
        table.replace(ranges);
    }

    @Override
    public CompletableFuture<byte[]> mutate(byte[] key, byte[] mutation, Deadline deadline) {
        return mutate(new ClientMutation(key, mutation, false, deadline));
    }

    @Override
    public CompletableFuture<byte[]> relieve(byte[] key, byte[] mutation, Deadline deadline) {
        return mutate(new ClientMutation(key, mutation, true, deadline));
    }

    private CompletableFuture<byte[]> mutate(ClientMutation mutation) {
        if (mutation.deadlineNanos() - nanoClock.getAsLong() <= 0) {
            return CompletableFuture.failedFuture(new RangeException(Cause.TIMEOUT, "deadline passed before the call"));
        }
        Lock lock = table.lock();
        try {
            RoutedRange range = table.rangeOf(mutation.key());
            if (range == null) {
                mutation.refuse(notHere());
            } else {
                range.requests().mutate(mutation);
            }
        } finally {
            lock.unlock();
        }
        return mutation.answer();
    }

    @Override
    public CompletableFuture<byte[]> query(byte[] key, byte[] query, Deadline deadline) {
        return query(ReadGate.Query.of(key, query, deadline));
    }

    @Override
    public CompletableFuture<byte[]> query(byte[] key, byte @Nullable [] end, byte[] query, Deadline deadline) {
        return query(ReadGate.Query.ofInterval(key, end, query, deadline));
    }

    private CompletableFuture<byte[]> query(ReadGate.Query query) {
        if (query.deadlineNanos() - nanoClock.getAsLong() <= 0) {
            return CompletableFuture.failedFuture(new RangeException(Cause.TIMEOUT, "deadline passed before the call"));
        }
        ask(query);
        return query.answer();
    }

    @Override
    public void ask(ReadGate.Query query) {
        RoutedRange range = table.rangeOf(query.key());
        if (range == null) {
            query.answer().completeExceptionally(notHere());
        } else {
            range.requests().query(query);
        }
    }

    @Override
    public void submit(byte[] key, LeaderRequest request) {
        Lock lock = table.lock();
        try {
            submitTo(table.rangeOf(key), key, request);
        } finally {
            lock.unlock();
        }
    }

    @Override
    public void submitParts(int count, IntFunction<byte[]> keys, Function<int[], LeaderRequest> requests) {
        Lock lock = table.lock();
        try {
            byte[][] starts = table.starts();
            int[][] parts = new int[starts.length + 1][];
            int[] sizes = new int[starts.length + 1];
            for (int i = 0; i < count; i++) {
                int part = RangeTable.indexOf(starts, keys.apply(i)) + 1;
                int[] members = parts[part];
                if (members == null) {
                    members = new int[Math.min(count, 16)];
                } else if (sizes[part] == members.length) {
                    members = Arrays.copyOf(members, Math.min(count, members.length * 2));
                }
                members[sizes[part]++] = i;
                parts[part] = members;
            }
            for (int part = 0; part < parts.length; part++) {
                if (sizes[part] > 0) {
                    int[] members = Arrays.copyOf(parts[part], sizes[part]);
                    byte[] key = keys.apply(members[0]);
                    submitTo(table.rangeOf(key), key, requests.apply(members));
                }
            }
        } finally {
            lock.unlock();
        }
    }

    private static void submitTo(@Nullable RoutedRange range, byte[] key, LeaderRequest request) {
        if (range == null) {
            request.fail(request.waitsForLeader() ? notHere() : Waiting.notLed());
        } else {
            range.requests().submit(key, request);
        }
    }

    @Override
    public void forward(Waiting request) {
        RoutedRange range = table.rangeOf(request.key());
        if (range == null) {
            request.refuse(notHere());
        } else {
            range.requests().takeForwarded(request);
        }
    }

    private static RangeException notHere() {
        return new RangeException(Cause.TIMEOUT, "no range of the key is on this node");
    }

    @Override
    public List<byte[]> rangeKeys(byte[] start, byte @Nullable [] end) {
        byte[][] starts = table.starts();
        List<byte[]> keys = new ArrayList<>();
        keys.add(start);
        for (int i = RangeTable.indexOf(starts, start) + 1; i < starts.length; i++) {
            if (end != null && Arrays.compareUnsigned(starts[i], end) >= 0) {
                break;
            }
            keys.add(starts[i]);
        }
        return keys;
    }
}
