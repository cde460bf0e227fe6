package io.godwit.api.route;

import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

/**
 * Answers that all nodes are asked for: whoever asks for the same while one is under way, or within a second from its
 * beginning, gets that one. So ten dashboards cost as much as one. Confined to the event loop.
 *
 * @param <K> what is asked for
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
     * @param most different questions whose answers are kept; further ones are asked each by itself, which the ports
     *     bound
     */
    SharedAnswers(LongSupplier nanoClock, int most) {
        this.nanoClock = nanoClock;
        this.most = most;
    }

    /**
     * @param question what is asked when nobody has lately; its answer is not changed by who gets it
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

    /** How many answers are kept. */
    int size() {
        return known.size();
    }
}
