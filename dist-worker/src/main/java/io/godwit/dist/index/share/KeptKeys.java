package io.godwit.dist.index.share;

import io.godwit.dist.index.share.SharedMember.Tier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The keys of a group that stay with their member when others join: all keys together (sticky), or by bucket (ordered
 * groups). One table has the buckets of live members of this node, also for messages that other nodes send to these.
 * The other table has those that this node has given to other nodes and to stored members. Each is made at first use.
 *
 * <p>Every event loop uses it without a lock, except to make a table.
 */
final class KeptKeys {
    private final int buckets;
    private final boolean keepsAbsent;
    private volatile @Nullable Affinity here;
    private volatile @Nullable Affinity others;

    /**
     * @param buckets 1 to keep all keys together
     * @param keepsAbsent whether a member keeps its keys while its client is not connected, or its queue is full
     */
    KeptKeys(int buckets, boolean keepsAbsent) {
        this.buckets = buckets;
        this.keepsAbsent = keepsAbsent;
    }

    private static @Nullable SharedMember in(@Nullable Affinity table, int bucket) {
        return table == null ? null : table.get(bucket);
    }

    private boolean isKept(@Nullable SharedMember owner) {
        return owner != null
                && (keepsAbsent ? owner.tier() != Tier.LEFT : owner.tier().isAvailable());
    }

    /**
     * The member that keeps the bucket; null when another may be chosen. A bucket that this node has not given away
     * stays with the live member that other nodes have chosen by sending messages here.
     */
    @Nullable
    SharedMember kept(int bucket) {
        SharedMember other = in(others, bucket);
        if (isKept(other)) {
            return other;
        }
        SharedMember mine = in(here, bucket);
        return isKept(mine) ? mine : null;
    }

    /** The last member that had the bucket; it may have left the group. Null when there is none. */
    @Nullable
    SharedMember last(int bucket) {
        SharedMember other = in(others, bucket);
        return other == null ? in(here, bucket) : other;
    }

    /** Gives a bucket to {@code next}, which is no live member of this node. Returns false if a member keeps it. */
    boolean giveTo(int bucket, SharedMember next) {
        Affinity table = othersMade();
        SharedMember before = table.get(bucket);
        return !isKept(before) && table.give(bucket, before, next);
    }

    /** No member but a live one of this node has the bucket any more, unless one keeps it. */
    void takeBack(int bucket) {
        Affinity table = others;
        SharedMember before = in(table, bucket);
        if (table != null && before != null && !isKept(before)) {
            table.give(bucket, before, null);
        }
    }

    /** {@code member}, which is no live one of this node, has the bucket no longer. */
    void release(int bucket, SharedMember member) {
        Affinity table = others;
        if (table != null && in(table, bucket) == member) {
            table.give(bucket, member, null);
        }
    }

    /** Gives the bucket to {@code next}, whoever has it; or, for a live member of this node, to any of these. */
    void replace(int bucket, SharedMember next) {
        if (next.isHere()) {
            here(bucket, () -> next);
        }
        Affinity table = next.isHere() ? others : othersMade();
        if (table != null) {
            table.give(bucket, table.get(bucket), next.isHere() ? null : next);
        }
    }

    /**
     * The live member of this node that has the bucket.
     *
     * @param candidate any live member; null when there is none
     */
    @Nullable
    SharedMember here(int bucket, Supplier<@Nullable SharedMember> candidate) {
        Affinity table = hereMade();
        while (true) {
            SharedMember owner = table.get(bucket);
            if (isKept(owner)) {
                return owner;
            }
            SharedMember next = fewerKeys(candidate.get(), candidate.get());
            if (next == null) {
                return owner != null && owner.tier() != Tier.LEFT ? owner : null;
            }
            if (owner != null && owner.tier().compareTo(next.tier()) <= 0) {
                return owner; // no better member
            }
            if (table.give(bucket, owner, next)) {
                return next;
            }
        }
    }

    /** The candidate with fewer keys, so that a newcomer catches up with the others. */
    private static @Nullable SharedMember fewerKeys(@Nullable SharedMember a, @Nullable SharedMember b) {
        if (a == null || b == null) {
            return a == null ? b : a;
        }
        return a.keys.get() <= b.keys.get() ? a : b;
    }

    private Affinity hereMade() {
        Affinity made = here;
        if (made == null) {
            synchronized (this) {
                made = here;
                if (made == null) {
                    made = new Affinity(buckets);
                    here = made;
                }
            }
        }
        return made;
    }

    private Affinity othersMade() {
        Affinity made = others;
        if (made == null) {
            synchronized (this) {
                made = others;
                if (made == null) {
                    made = new Affinity(buckets);
                    others = made;
                }
            }
        }
        return made;
    }
}
