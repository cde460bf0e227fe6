package io.godwit.cluster;

/**
 * How patient the membership is; all in milliseconds.
 *
 * @param heartbeat between two heartbeats to every member
 * @param silence after which a member without heartbeats is suspected; a broken connection makes it suspected at once
 * @param verify how long a suspected member has to say that it lives, if its port does not refuse connections
 * @param mergeMin least time between two looks for parts of the cluster that do not know each other
 * @param mergeMax most time; both parts are one again about twice as long after they can reach each other
 * @param join how long to wait for answers before a node thinks itself the first
 * @param rival how long to wait for the death of an earlier process with this node's id
 * @param resolve between two look-ups of the seeds' names
 */
record MembershipTiming(
        long heartbeat, long silence, long verify, long mergeMin, long mergeMax, long join, long rival, long resolve) {
    /**
     * The silence and the verification together must outlast a long collection of garbage and a stalled disk. A killed
     * process is found by its connections and its port. The verification must outlast two round trips over a slow
     * network, since a connection that broke has to be made anew first.
     */
    static final MembershipTiming DEFAULT =
            new MembershipTiming(1_000, 6_500, 2_500, 1_000, 4_000, 1_000, 20_000, 3_000);
}
