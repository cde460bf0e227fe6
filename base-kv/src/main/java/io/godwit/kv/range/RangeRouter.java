package io.godwit.kv.range;

import io.godwit.kv.client.Deadline;
import io.godwit.kv.client.LeaderRequest;
import io.godwit.kv.client.RangeClient;
import io.godwit.kv.client.RangeException;
import io.godwit.kv.client.RangeException.Cause;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** Finds the range of a key among the ranges of a store, all of them on this node. Immutable. */
public final class RangeRouter implements RangeClient {
    private final List<Range> ranges;
    private final byte[][] starts;

    /** @param ranges cover the key space without gap or overlap, in any order */
    public RangeRouter(List<Range> ranges) {
        this.ranges = ranges.stream()
                .sorted(Comparator.comparing((Range range) -> range.bounds().start(), Arrays::compareUnsigned))
                .toList();
        this.starts = this.ranges.stream().map(range -> range.bounds().start()).toArray(byte[][]::new);
    }

    @Override
    public CompletableFuture<byte[]> mutate(byte[] key, byte[] mutation, Deadline deadline) {
        return mutate(key, new ClientMutation(mutation, false, deadline));
    }

    @Override
    public CompletableFuture<byte[]> relieve(byte[] key, byte[] mutation, Deadline deadline) {
        return mutate(key, new ClientMutation(mutation, true, deadline));
    }

    private CompletableFuture<byte[]> mutate(byte[] key, ClientMutation mutation) {
        if (mutation.deadlineNanos() - System.nanoTime() <= 0) {
            return CompletableFuture.failedFuture(new RangeException(Cause.TIMEOUT, "deadline passed before the call"));
        }
        return rangeOf(key).mutate(mutation);
    }

    @Override
    public CompletableFuture<byte[]> query(byte[] key, byte[] query, Deadline deadline) {
        if (deadline.hasPassed(System.nanoTime())) {
            return CompletableFuture.failedFuture(new RangeException(Cause.TIMEOUT, "deadline passed before the call"));
        }
        return rangeOf(key).query(query, deadline);
    }

    @Override
    public void submit(byte[] key, LeaderRequest request) {
        rangeOf(key).submit(request);
    }

    @Override
    public List<byte[]> rangeKeys(byte[] start, byte @Nullable [] end) {
        List<byte[]> keys = new ArrayList<>();
        keys.add(start);
        for (int i = indexOf(start) + 1; i < starts.length; i++) {
            if (end != null && Arrays.compareUnsigned(starts[i], end) >= 0) {
                break;
            }
            keys.add(starts[i]);
        }
        return keys;
    }

    private Range rangeOf(byte[] key) {
        return ranges.get(indexOf(key));
    }

    private int indexOf(byte[] key) {
        int low = 0;
        int high = starts.length - 1;
        while (low < high) {
            int middle = (low + high + 1) >>> 1;
            if (Arrays.compareUnsigned(starts[middle], key) <= 0) {
                low = middle;
            } else {
                high = middle - 1;
            }
        }
        return low;
    }
}
