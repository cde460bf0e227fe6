package io.godwit.dist.index.share;

import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Which member of a group has which keys (publishers, topics, or both). The hash of a key selects one of a fixed number
 * of buckets, and a bucket is given to a member when it is first used; so memory is bounded, and keys of one bucket
 * stay together. A bucket stays with its member when others join or leave, unless a newcomer is given a {@link #share}.
 *
 * <p>Every event loop reads and writes it without a lock. A bucket whose member has left is given to another by the
 * next key that needs it, so leaving costs nothing here.
 */
final class Affinity {
    /** More than the members of the largest group, so that each can get some. */
    static final int BUCKETS = 1 << 14;

    private final AtomicReferenceArray<@Nullable SharedMember> owners;

    /** @param buckets a power of two; 1 to give all keys to one member */
    Affinity(int buckets) {
        owners = new AtomicReferenceArray<>(buckets);
    }

    /**
     * The member of the bucket of {@code hash}.
     *
     * @param keepsAbsent whether a member keeps its keys while its client is not connected, or its queue is full
     * @param candidate a member that the group would choose now; null when there is none
     */
    @Nullable
    SharedMember owner(int hash, boolean keepsAbsent, Supplier<@Nullable SharedMember> candidate) {
        int bucket = mix(hash) & owners.length() - 1;
        while (true) {
            SharedMember owner = owners.get(bucket);
            if (owner != null && isKept(owner.tier(), keepsAbsent)) {
                return owner;
            }
            SharedMember next = fewerKeys(candidate.get(), candidate.get());
            if (next == null) {
                return owner != null && owner.tier() != SharedMember.Tier.LEFT ? owner : null;
            }
            if (owner != null && owner.tier().compareTo(next.tier()) <= 0) {
                return owner; // no better member
            }
            if (owners.compareAndSet(bucket, owner, next)) {
                moved(owner, next);
                return next;
            }
        }
    }

    /** Gives the bucket of {@code hash} to {@code next} if {@code from} has it; returns its member after that. */
    SharedMember give(int hash, SharedMember from, SharedMember next) {
        int bucket = mix(hash) & owners.length() - 1;
        if (owners.compareAndSet(bucket, from, next)) {
            moved(from, next);
            return next;
        }
        SharedMember owner = owners.get(bucket);
        return owner != null && owner.tier() != SharedMember.Tier.LEFT ? owner : next;
    }

    private static boolean isKept(SharedMember.Tier tier, boolean keepsAbsent) {
        return keepsAbsent ? tier != SharedMember.Tier.LEFT : tier.isAvailable();
    }

    /** The candidate with fewer keys, so that a newcomer catches up with the others. */
    private static @Nullable SharedMember fewerKeys(@Nullable SharedMember a, @Nullable SharedMember b) {
        if (a == null || b == null) {
            return a == null ? b : a;
        }
        return (long) a.keys.get() * b.weight() <= (long) b.keys.get() * a.weight() ? a : b;
    }

    /**
     * Gives {@code newcomer} its share of the buckets of the others. The cost over n joins is the buckets times log n.
     */
    void share(SharedMember newcomer, int members) {
        if (members < 2) {
            return;
        }
        ThreadLocalRandom random = ThreadLocalRandom.current();
        for (int i = owners.length() / members; i > 0; i--) {
            int bucket = random.nextInt(owners.length());
            SharedMember owner = owners.get(bucket);
            if (owner != null && owner != newcomer && owners.compareAndSet(bucket, owner, newcomer)) {
                moved(owner, newcomer);
            }
        }
    }

    private static void moved(@Nullable SharedMember from, SharedMember to) {
        if (from != null) {
            from.keys.decrementAndGet();
        }
        to.keys.incrementAndGet();
    }

    /** Spreads neighbouring values over all bits. */
    private static int mix(int value) {
        int mixed = (value ^ (value >>> 16)) * 0x85EBCA6B;
        mixed = (mixed ^ (mixed >>> 13)) * 0xC2B2AE35;
        return mixed ^ (mixed >>> 16);
    }
}
