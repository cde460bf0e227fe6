package io.godwit.dist.deliver;

import java.time.Duration;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Delivery tokens that were finished recently. A message may be distributed twice at once: by the node of a connection
 * that ends, and by the store that takes over the message. The first to succeed finishes the token; a copy of the other
 * may come later, from a node that stood still, or over a link that was down. Frames of a silent node are refused after
 * some ten seconds, and a publish waits 15 s at most, so {@link #KEEP} is long enough.
 *
 * <p>Holds at most {@link #MAX_TOKENS}, or fewer if ids are long: then the oldest is forgotten early. Not thread-safe.
 */
final class RecentTokens<V> {
    static final Duration KEEP = Duration.ofMinutes(2);
    static final int MAX_TOKENS = 100_000;

    private record Finished<V>(V value, long endNanos) {}

    private final LongSupplier nanoTime;
    private final TokenMemory<Finished<V>> tokens = new TokenMemory<>();

    RecentTokens(LongSupplier nanoTime) {
        this.nanoTime = nanoTime;
    }

    void put(String origin, long number, V value) {
        long now = nanoTime.getAsLong();
        forget(now);
        tokens.put(origin, number, new Finished<>(value, now + KEEP.toNanos()));
        while (tokens.isOver(MAX_TOKENS)) {
            tokens.forgetOldest();
        }
    }

    @Nullable
    V get(String origin, long number) {
        if (tokens.size() == 0) {
            return null;
        }
        forget(nanoTime.getAsLong());
        Finished<V> known = tokens.get(origin, number);
        return known == null ? null : known.value;
    }

    private void forget(long now) {
        for (Finished<V> oldest = tokens.oldest();
                oldest != null && now - oldest.endNanos >= 0;
                oldest = tokens.oldest()) {
            tokens.forgetOldest();
        }
    }

    int size() {
        return tokens.size();
    }
}
