package io.godwit.cluster;

/**
 * How patient the membership is; all in milliseconds.
 *
 * @param heartbeat between two heartbeats to every member
 * @param silence after which a member without heartbeats is suspected; a broken connection makes it suspected at once
 * @param verify how long a suspected member has to say that it lives, if its port does not refuse connections
 * @param mergeMin least time between two words of a node to the others about the group that it is in
 * @param mergeMax two thirds of the most time; see {@link #mostUntilMerged}
 * @param join how long to wait for answers before a node thinks itself the first
 * @param rival how long to wait for the death of an earlier process with this node's id
 * @param resolve between two look-ups of the seeds' names
 */
record MembershipTiming(
        long heartbeat, long silence, long verify, long mergeMin, long mergeMax, long join, long rival, long resolve) {
    /**
     * The silence and the verification together must outlast a long collection of garbage and a stalled disk. A killed
     * process is found by its connections and its port. The verification must outlast two round trips over a slow
     * network, since a connection that broke has to be made anew first. A node that is back has no links before it is
     * in the group again, so parts that can reach each other are one soon.
     */
    static final MembershipTiming DEFAULT = new MembershipTiming(1_000, 6_500, 2_500, 500, 1_250, 1_000, 20_000, 3_000);

    /**
     * Until parts of the cluster that can reach each other again begin to merge: MERGE3 tells others of its group after
     * at most 1.5 times {@link #mergeMax}, and compares what it was told every 1.6 times that.
     */
    long mostUntilMerged() {
        return mergeMax * 3 / 2 + mergeMax * 8 / 5;
    }

    /** How long an attempt to merge may take. One with a member that does not hear holds up changes of the group. */
    long merge() {
        return 3 * join;
    }
}
