package io.godwit.dist.index.share;

import java.util.concurrent.atomic.AtomicReferenceArray;
import org.jspecify.annotations.Nullable;

/**
 * A table of the members that have been given buckets of keys. Memory is bounded, and keys of one bucket stay together.
 * A bucket stays with its member when others join or leave. When its member has left, the next key that needs it gives
 * it to another, so leaving costs nothing here. Every event loop reads and writes it without a lock.
 */
final class Affinity {
    private final AtomicReferenceArray<@Nullable SharedMember> owners;

    Affinity(int buckets) {
        owners = new AtomicReferenceArray<>(buckets);
    }

    /** The last member that was given the bucket; it may have left the group. Null for none. */
    @Nullable
    SharedMember get(int bucket) {
        return owners.get(bucket);
    }

    /** Gives the bucket to {@code next} if {@code from} has it. Returns whether it had. */
    boolean give(int bucket, @Nullable SharedMember from, @Nullable SharedMember next) {
        if (!owners.compareAndSet(bucket, from, next)) {
            return false;
        }
        if (from != null) {
            from.keys.decrementAndGet();
        }
        if (next != null) {
            next.keys.incrementAndGet();
        }
        return true;
    }
}
