package io.godwit.dist.index.share;

import io.godwit.dist.client.InboxReceiver;
import io.godwit.dist.client.SharedPick;
import io.godwit.dist.index.share.SharedMember.Tier;
import io.godwit.plugin.client.ClientId;
import io.godwit.plugin.client.TenantId;
import io.godwit.plugin.topic.TopicFilter;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The choices of a {@link SharedGroup} for messages with keys: by hash, sticky, or ordered. Where a choice is computed,
 * all nodes compute the same ({@link GroupOwners}). What an ordered or sticky group has chosen is kept on each node
 * ({@link KeptKeys}). Every event loop uses it, without a lock unless it is said.
 */
final class GroupKeys {
    /** How often the other nodes are told what a sticky group keeps: a report may be lost, or come too early. */
    static final long REPORT_NANOS = TimeUnit.SECONDS.toNanos(10);

    /** How often an owner is looked for without the lock while members change their tiers. */
    private static final int LOOKS = 3;

    /** The members of the group; without its lock, if not said otherwise. */
    interface Members {
        /** Any member of the best tier; null when there is none. */
        @Nullable
        SharedMember any();

        /** Any live member of this node; when all are refusing, one of those. Null when there is none. */
        @Nullable
        SharedMember anyHere();

        /** The member with the receiver; null for none. */
        @Nullable
        SharedMember of(InboxReceiver receiver);

        /** Differs after each change of a tier or weight; odd while one is made. */
        int changes();

        /** Number of live members of this node, full ones too. */
        int liveCount();

        /** The stored members that are connected to other nodes. */
        MemberSlots connectedElsewhere();

        /** The caller has the lock. */
        GroupOwners newOwners();
    }

    /**
     * Where a sticky group reports what it keeps.
     *
     * @param node the name of this node as a candidate, the same on all nodes
     */
    record Reports(TenantId tenant, TopicFilter filter, String node, StickyListener listener) {}

    private final Members group;
    private final Object lock;
    private final Reports reports;
    private final MemberSlots live;
    private final MemberSlots elsewhere;
    private final LongSupplier nanos;
    /** Null until it is needed, like the next two. */
    private volatile @Nullable KeptKeys order;

    private volatile @Nullable KeptKeys sticky;
    private volatile @Nullable GroupOwners owners;
    /** When to report again what a sticky group keeps. Event loops that race report twice. */
    private volatile long reportAtNanos;
    /** The number of changes at the last report. */
    private volatile int reportedChanges;

    /** @param lock of the group */
    GroupKeys(
            Members group, Object lock, Reports reports, MemberSlots live, MemberSlots elsewhere, LongSupplier nanos) {
        this.group = group;
        this.lock = lock;
        this.reports = reports;
        this.live = live;
        this.elsewhere = elsewhere;
        this.nanos = nanos;
    }

    /** Of the texts: the hash codes of records may differ between Java versions, and so between nodes. */
    private static int orderBucket(ClientId publisher, String topic) {
        return Rendezvous.bucketOf(31 * publisher.value().hashCode() + topic.hashCode());
    }

    private static int hashBucket(SharedPick by, ClientId publisher, String topic) {
        return Rendezvous.bucketOf(
                by == SharedPick.HASH_BY_CLIENT ? ~publisher.value().hashCode() : topic.hashCode());
    }

    /** The member of a hashed group; null when there is no member. */
    @Nullable
    SharedMember hashed(SharedPick by, ClientId publisher, String topic) {
        return owner(hashBucket(by, publisher, topic));
    }

    /** The live member of a hashed group, for messages of other nodes; null when there is none. */
    @Nullable
    SharedMember hashedHere(SharedPick by, ClientId publisher, String topic) {
        return ownerHere(hashBucket(by, publisher, topic));
    }

    /** The member of an ordered group; null when there is no member. */
    @Nullable
    SharedMember ordered(ClientId publisher, String topic) {
        return kept(order(), orderBucket(publisher, topic));
    }

    /** The live member of an ordered group, for messages of other nodes; null when there is none. */
    @Nullable
    SharedMember orderedHere(ClientId publisher, String topic) {
        return order().here(orderBucket(publisher, topic), group::anyHere);
    }

    /** {@code member}, which is no live one of this node, has the key of an ordered group no longer. */
    void release(ClientId publisher, String topic, SharedMember member) {
        order().release(orderBucket(publisher, topic), member);
    }

    /** The member of a sticky group; null when there is no member. */
    @Nullable
    SharedMember sticky() {
        SharedMember member = kept(stickyKeys(), 0);
        if (reports.listener != StickyListener.NONE && member != null) {
            reportIfDue(member);
        }
        return member;
    }

    /** The live member of a sticky group, for messages of other nodes; null when there is none. */
    @Nullable
    SharedMember stickyHere() {
        return stickyKeys().here(0, group::anyHere);
    }

    private void reportIfDue(SharedMember kept) {
        long now = nanos.getAsLong();
        int changes = group.changes();
        if (changes == reportedChanges && now - reportAtNanos < 0) {
            return;
        }
        reportAtNanos = now + REPORT_NANOS;
        reportedChanges = changes;
        if (!isSameCandidate(kept, owner(0))) {
            reports.listener.keeps(reports.tenant, reports.filter, kept.match().receiver());
        }
    }

    /** The live members of this node are one candidate. */
    private static boolean isSameCandidate(SharedMember one, @Nullable SharedMember other) {
        return other != null && (one.equals(other) || one.isHere() && other.isHere());
    }

    /**
     * Another node has reported that it gives all messages of this sticky group to the live members of a node. This
     * node follows, unless it keeps another candidate that it would not choose now either, and has the lower name.
     *
     * @param from the name of that other node as a candidate
     * @param name of the node that has the members
     */
    void stickToNode(String from, String name) {
        SharedMember member = name.equals(reports.node) ? anyLive() : onNode(name);
        if (member != null) {
            stickTo(from, member);
        }
    }

    /** The same for a stored member. */
    void stickToStored(String from, InboxReceiver receiver) {
        SharedMember member = group.of(receiver);
        if (member != null) {
            stickTo(from, member);
        }
    }

    /** A report that finds the members changing may be left out: it is repeated. */
    private @Nullable SharedMember anyLive() {
        int count = live.size();
        return count == 0 ? null : live.get(ThreadLocalRandom.current().nextInt(count));
    }

    private void stickTo(String from, SharedMember member) {
        KeptKeys keys = stickyKeys();
        SharedMember kept = keys.kept(0);
        if (!member.tier().isAvailable() || kept != null && isSameCandidate(kept, member)) {
            return;
        }
        if (kept == null || from.compareTo(reports.node) < 0 || isSameCandidate(kept, owner(0))) {
            keys.replace(0, member);
        }
    }

    private @Nullable SharedMember kept(KeptKeys keys, int bucket) {
        while (true) {
            SharedMember kept = keys.kept(bucket);
            if (kept != null) {
                return kept;
            }
            SharedMember last = keys.last(bucket);
            SharedMember successor = last == null ? null : successorOf(last);
            SharedMember next = successor == null ? owner(bucket) : successor;
            if (next == null) {
                return null;
            }
            if (last != null && last.tier() != Tier.LEFT && last.tier().compareTo(next.tier()) <= 0) {
                return last; // no better member
            }
            if (next.isHere()) {
                SharedMember member = keys.here(bucket, group::anyHere);
                if (member != null) {
                    keys.takeBack(bucket);
                    return member;
                }
            } else if (keys.giveTo(bucket, next)) {
                return next;
            }
        }
    }

    /** After a new link to the same node another object represents its members; null if there is none. */
    private @Nullable SharedMember successorOf(SharedMember left) {
        if (!left.isElsewhere() || left.tier() != Tier.LEFT) {
            return null;
        }
        return onNode(left.match().receiver().clientId().value());
    }

    /** What represents the members on another node; null for none. */
    private @Nullable SharedMember onNode(String name) {
        int count = elsewhere.size();
        for (int i = 0; i < count; i++) {
            SharedMember member = elsewhere.get(i);
            if (member != null && member.match().receiver().clientId().value().equals(name)) {
                return member;
            }
        }
        return null;
    }

    /**
     * The member that has the bucket, as every node computes it; null when there is no member. Takes the lock of the
     * group if its members change all the time.
     */
    private @Nullable SharedMember owner(int bucket) {
        GroupOwners all = owners();
        for (int look = 0; look < LOOKS; look++) {
            int before = group.changes();
            if ((before & 1) == 0) {
                SharedMember owner = all.of(bucket, group.connectedElsewhere(), group.liveCount());
                if (group.changes() == before) {
                    return owner == null ? group.any() : owner;
                }
            }
            Thread.onSpinWait();
        }
        synchronized (lock) {
            SharedMember owner = all.of(bucket, group.connectedElsewhere(), group.liveCount());
            return owner == null ? group.any() : owner;
        }
    }

    private @Nullable SharedMember ownerHere(int bucket) {
        GroupOwners all = owners();
        for (int look = 0; look < LOOKS; look++) {
            int before = group.changes();
            SharedMember owner = all.ofLive(bucket);
            if ((before & 1) == 0 && group.changes() == before && owner != null) {
                return owner;
            }
            Thread.onSpinWait();
        }
        synchronized (lock) {
            SharedMember owner = all.ofLive(bucket);
            return owner == null ? group.anyHere() : owner;
        }
    }

    private GroupOwners owners() {
        GroupOwners made = owners;
        if (made == null) {
            synchronized (lock) {
                made = owners;
                if (made == null) {
                    made = group.newOwners();
                    owners = made;
                }
            }
        }
        return made;
    }

    private KeptKeys order() {
        KeptKeys made = order;
        if (made == null) {
            synchronized (lock) {
                made = order;
                if (made == null) {
                    made = new KeptKeys(Rendezvous.BUCKETS, true);
                    order = made;
                }
            }
        }
        return made;
    }

    private KeptKeys stickyKeys() {
        KeptKeys made = sticky;
        if (made == null) {
            synchronized (lock) {
                made = sticky;
                if (made == null) {
                    made = new KeptKeys(1, false);
                    sticky = made;
                }
            }
        }
        return made;
    }

    /** A member has passed from one tier to another. The caller has the lock of the group. */
    void moved(SharedMember member, Tier from, Tier to) {
        GroupOwners known = owners;
        if (known != null) {
            known.moved(member, from, to, group.connectedElsewhere());
        }
    }

    /** Members looked at so far to learn which of many has a bucket; for tests of the cost. */
    long looks() {
        GroupOwners known = owners;
        return known == null ? 0 : known.looks();
    }
}
