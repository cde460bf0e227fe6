package io.godwit.api.route.figure;

import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

/**
 * Shares answers that need all nodes: equal requests during one, or within a second of its beginning, get the same
 * answer. So ten dashboards cost as much as one. Confined to the event loop.
 *
 * @param <K> identifies the request
 */
final class SharedAnswers<K, V> {
    private static final long FRESH_NANOS = TimeUnit.SECONDS.toNanos(1);

    private final LongSupplier nanoClock;
    private final int most;
    private final Map<K, Asked<V>> known = new HashMap<>();

    private record Asked<V>(CompletableFuture<V> answer, long begunAt) {
        boolean isShared(long now) {
            return !answer.isDone() || !answer.isCompletedExceptionally() && now - begunAt < FRESH_NANOS;
        }
    }

    /**
     * @param most answers to different requests that are kept; further requests are not shared, and the ports limit
     *     them
     */
    SharedAnswers(LongSupplier nanoClock, int most) {
        this.nanoClock = nanoClock;
        this.most = most;
    }

    /**
     * @param question asks the nodes, when there is no recent answer; receivers must not change its answer
     * @return another future for each call
     */
    CompletableFuture<V> get(K key, Supplier<CompletableFuture<V>> question) {
        long now = nanoClock.getAsLong();
        known.values().removeIf(each -> !each.isShared(now));
        Asked<V> asked = known.get(key);
        if (asked == null) {
            asked = new Asked<>(question.get(), now);
            if (known.size() < most) {
                known.put(key, asked);
            }
        }
        return asked.answer().copy();
    }

    /** Number of kept answers. */
    int size() {
        return known.size();
    }
}
