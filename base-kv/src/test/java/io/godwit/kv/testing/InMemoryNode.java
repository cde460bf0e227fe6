package io.godwit.kv.testing;

import io.godwit.kv.client.Deadline;
import io.godwit.kv.client.LeaderRequest;
import io.godwit.kv.client.Leaders;
import io.godwit.kv.client.RangeClient;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import java.util.function.IntFunction;
import org.jspecify.annotations.Nullable;

/** One node of an {@link InMemoryRangeHost}; it knows the leaders at once, unless it was deposed without being told. */
public final class InMemoryNode implements RangeClient, Leaders {
    private final InMemoryRangeHost host;
    private final int number;

    InMemoryNode(InMemoryRangeHost host, int number) {
        this.host = host;
        this.number = number;
    }

    /** The id of a node. */
    public static String id(int number) {
        return "node" + number;
    }

    @Override
    public String here() {
        return id(number);
    }

    @Override
    public @Nullable String leaderOf(byte[] key) {
        int leader = host.leaderOf(key, number);
        return leader < 0 ? null : id(leader);
    }

    @Override
    public void onChange(Runnable listener) {
        host.onLeaders(listener);
    }

    @Override
    public void refresh() {}

    @Override
    public CompletableFuture<byte[]> mutate(byte[] key, byte[] mutation, Deadline deadline) {
        return host.mutate(key, mutation, deadline);
    }

    @Override
    public CompletableFuture<byte[]> relieve(byte[] key, byte[] mutation, Deadline deadline) {
        return host.relieve(key, mutation, deadline);
    }

    @Override
    public CompletableFuture<byte[]> query(byte[] key, byte[] query, Deadline deadline) {
        return host.query(key, query, deadline);
    }

    @Override
    public CompletableFuture<byte[]> query(byte[] key, byte @Nullable [] end, byte[] query, Deadline deadline) {
        return host.query(key, end, query, deadline);
    }

    @Override
    public void submit(byte[] key, LeaderRequest request) {
        host.submitAt(number, key, request);
    }

    @Override
    public void submitParts(int count, IntFunction<byte[]> keys, Function<int[], LeaderRequest> requests) {
        Map<List<Byte>, List<Integer>> parts = new LinkedHashMap<>();
        for (int i = 0; i < count; i++) {
            parts.computeIfAbsent(host.rangeStart(keys.apply(i)), start -> new ArrayList<>())
                    .add(i);
        }
        parts.values()
                .forEach(part -> submit(
                        keys.apply(part.get(0)),
                        requests.apply(part.stream().mapToInt(i -> i).toArray())));
    }

    @Override
    public List<byte[]> rangeKeys(byte[] start, byte @Nullable [] end) {
        return host.rangeKeys(start, end);
    }
}
