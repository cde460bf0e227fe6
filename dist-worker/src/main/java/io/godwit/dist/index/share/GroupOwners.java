package io.godwit.dist.index.share;

import io.godwit.dist.index.share.SharedMember.Tier;
import org.jspecify.annotations.Nullable;

/**
 * Which member of a group has a bucket, as every node computes it from what all nodes know ({@link Rendezvous}). The
 * candidates are the nodes, each with the number of its live members as its weight, and the stored members whose
 * clients are connected to any node, each with weight 1. If there are none, they are the stored members whose clients
 * are not connected.
 *
 * <p>When this node has the bucket, so has one of its live members. The other nodes do not know them, so any choice is
 * good that is the same for messages of all nodes; this one is made in the same way.
 *
 * <p>Made for the first message that needs it. Reads the slots of the group without its lock.
 */
final class GroupOwners {
    /** Larger weights are reduced to this, by every node. */
    private static final int MAX_WEIGHT = 1_000_000;

    private final long group;
    /** Of this node. */
    private final long point;

    private final MemberSlots live;
    private final MemberSlots connected;
    private final MemberSlots elsewhere;
    private final MemberSlots absent;
    private final SetOwners ofLive;
    private final SetOwners ofConnected;
    private final SetOwners ofAbsent;

    /**
     * @param lock of the group
     * @param name of the group, the same on all nodes
     * @param node the name of this node as a candidate, the same on all nodes
     */
    GroupOwners(
            Object lock,
            String name,
            String node,
            MemberSlots live,
            MemberSlots connected,
            MemberSlots elsewhere,
            MemberSlots absent) {
        this.group = Rendezvous.hashOf(name);
        this.point = Rendezvous.point(group, Rendezvous.hashOf(node));
        this.live = live;
        this.connected = connected;
        this.elsewhere = elsewhere;
        this.absent = absent;
        this.ofLive = new SetOwners(lock, group, Tier.LIVE, Tier.LIVE);
        this.ofConnected = new SetOwners(lock, group, Tier.CONNECTED, Tier.CONNECTED_ELSEWHERE);
        this.ofAbsent = new SetOwners(lock, group, Tier.ABSENT, Tier.ABSENT);
    }

    /**
     * The owner of the bucket among the members that have not refused lately; null when there is none. A member that
     * changes its tier at this moment may be missed, unless the caller has the lock.
     *
     * @param connectedElsewhere the stored members that are connected to other nodes
     * @param liveCount the number of live members of this node, as the other nodes are told of it: full ones count
     */
    @Nullable
    SharedMember of(int bucket, MemberSlots connectedElsewhere, int liveCount) {
        SharedMember best = ofConnected.of(bucket, connected, connectedElsewhere);
        int nodes = elsewhere.size();
        boolean isHere = live.size() > 0;
        if (nodes == 0 && (best == null || !isHere)) { // one candidate
            return isHere ? ofLive(bucket) : best == null ? ofAbsent.of(bucket, absent, MemberSlots.NONE) : best;
        }
        long bestDraw = best == null ? -1 : Rendezvous.draw(best.point(group), bucket);
        int bestWeight = 1;
        for (int i = 0; i < nodes; i++) {
            SharedMember node = elsewhere.get(i);
            if (node != null) {
                long draw = Rendezvous.draw(node.point(group), bucket);
                int weight = bounded(node.weight());
                if (bestDraw < 0 || Rendezvous.isHigher(draw, weight, bestDraw, bestWeight)) {
                    best = node;
                    bestDraw = draw;
                    bestWeight = weight;
                }
            }
        }
        if (!isHere
                || bestDraw >= 0
                        && !Rendezvous.isHigher(
                                Rendezvous.draw(point, bucket), bounded(liveCount), bestDraw, bestWeight)) {
            return best;
        }
        SharedMember member = ofLive(bucket);
        return member == null ? best : member;
    }

    private static int bounded(int weight) {
        return weight < 1 ? 1 : Math.min(weight, MAX_WEIGHT);
    }

    /** The owner of the bucket among the live members of this node that have not refused lately; null for none. */
    @Nullable
    SharedMember ofLive(int bucket) {
        return ofLive.of(bucket, live, MemberSlots.NONE);
    }

    /** A member has passed from one tier to another. The caller has the lock. */
    void moved(SharedMember member, Tier from, Tier to, MemberSlots connectedElsewhere) {
        moved(ofLive, member, from, to, live.size());
        moved(ofConnected, member, from, to, connected.size() + connectedElsewhere.size());
        moved(ofAbsent, member, from, to, absent.size());
    }

    private static void moved(SetOwners set, SharedMember member, Tier from, Tier to, int size) {
        if (set.has(from) != set.has(to)) {
            if (set.has(to)) {
                set.joined(member);
            } else {
                set.left(size);
            }
        }
    }

    /** Number of members looked at so far to learn the owners of buckets of large sets; for tests of the cost. */
    long looks() {
        return ofLive.looks() + ofConnected.looks() + ofAbsent.looks();
    }
}
