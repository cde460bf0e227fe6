package io.godwit.dist.index.share;

import io.godwit.dist.index.share.SharedMember.Tier;
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.concurrent.atomic.AtomicReferenceArray;
import org.jspecify.annotations.Nullable;

/**
 * Which member of a set has a bucket, when all have the same weight ({@link Rendezvous}). The set is the members of one
 * or two tiers of a {@link SharedGroup}.
 *
 * <p>A small set is searched for each message. For a larger one the owner of each used bucket is remembered: a member
 * that joins costs one write, and is compared with the owner when the bucket is used next. The whole set is searched
 * for a bucket only at its first use, when its owner has left, or when many have joined since its last use.
 *
 * <p>Event loops read without a lock; what is remembered is written under the lock of the group.
 */
final class SetOwners {
    /** Up to this many members are searched for each message. */
    static final int FEW = 32;

    /** The number of latest joins that are remembered; a power of two. */
    static final int JOINS = 256;

    private static final class Known {
        private final AtomicReferenceArray<@Nullable SharedMember> owners =
                new AtomicReferenceArray<>(Rendezvous.BUCKETS);
        /** The number of joins that the owner of the bucket was compared with. */
        private final AtomicIntegerArray compared = new AtomicIntegerArray(Rendezvous.BUCKETS);

        private final AtomicReferenceArray<@Nullable SharedMember> joins = new AtomicReferenceArray<>(JOINS);
        private volatile int joined;
    }

    private final Object lock;
    private final long group;
    private final Tier tier;
    private final Tier otherTier;
    /** Null while the set is small. */
    private volatile @Nullable Known known;
    /** Number of members looked at so far while the lock was held; for tests of the cost. */
    private long looks;

    /**
     * @param lock of the group
     * @param group the hash of the group's name
     * @param otherTier the same as {@code tier} for a set of one tier
     */
    SetOwners(Object lock, long group, Tier tier, Tier otherTier) {
        this.lock = lock;
        this.group = group;
        this.tier = tier;
        this.otherTier = otherTier;
    }

    boolean has(Tier some) {
        return some == tier || some == otherTier;
    }

    /**
     * The owner of the bucket; null when the set is empty. A member that changes its tier at this moment may be missed,
     * unless the caller has the lock.
     *
     * @param slots the members of the first tier
     * @param others the members of the second one; {@link MemberSlots#NONE} for a set of one tier
     */
    @Nullable
    SharedMember of(int bucket, MemberSlots slots, MemberSlots others) {
        if (slots.size() + others.size() <= FEW) {
            return best(bucket, slots, others);
        }
        Known all = known;
        if (all != null) {
            int compared = all.compared.get(bucket); // before its owner, which is written before
            SharedMember owner = all.owners.get(bucket);
            if (owner != null && has(owner.tier()) && compared == all.joined) {
                return owner;
            }
        }
        return learn(bucket, slots, others);
    }

    private @Nullable SharedMember learn(int bucket, MemberSlots slots, MemberSlots others) {
        synchronized (lock) {
            Known all = known;
            if (all == null) {
                all = new Known();
                known = all;
            }
            SharedMember owner = all.owners.get(bucket);
            int compared = all.compared.get(bucket);
            int joined = all.joined;
            if (owner == null || !has(owner.tier()) || joined - compared > JOINS) {
                owner = best(bucket, slots, others);
                looks += slots.size() + others.size();
            } else {
                for (int i = compared; i != joined; i++) {
                    SharedMember next = all.joins.get(i & JOINS - 1);
                    owner = next != null && has(next.tier()) ? better(bucket, next, owner) : owner;
                }
                looks += joined - compared;
            }
            all.owners.set(bucket, owner);
            all.compared.set(bucket, joined);
            return owner;
        }
    }

    /** A member has come into the set. The caller has the lock. */
    @SuppressWarnings("NonAtomicVolatileUpdate") // under the lock
    void joined(SharedMember member) {
        Known all = known;
        if (all != null) {
            all.joins.set(all.joined & JOINS - 1, member);
            all.joined++;
        }
    }

    /** A member has left the set, which has {@code size} members now. The caller has the lock. */
    void left(int size) {
        if (size < FEW / 2) {
            known = null;
        }
    }

    private @Nullable SharedMember best(int bucket, MemberSlots slots, MemberSlots others) {
        SharedMember best = null;
        long bestDraw = -1;
        int first = slots.size();
        int count = first + others.size();
        for (int i = 0; i < count; i++) {
            SharedMember member = i < first ? slots.get(i) : others.get(i - first);
            if (member != null) {
                long draw = Rendezvous.draw(member.point(group), bucket);
                if (draw > bestDraw || draw == bestDraw && best != null && member.isNewerThan(best)) {
                    best = member;
                    bestDraw = draw;
                }
            }
        }
        return best;
    }

    private SharedMember better(int bucket, SharedMember one, SharedMember other) {
        long draw = Rendezvous.draw(one.point(group), bucket);
        long otherDraw = Rendezvous.draw(other.point(group), bucket);
        return draw > otherDraw || draw == otherDraw && one.isNewerThan(other) ? one : other;
    }

    long looks() {
        synchronized (lock) {
            return looks;
        }
    }
}
