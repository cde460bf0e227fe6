package io.godwit.cluster.member;

/**
 * Intervals and time-outs of the membership, all in milliseconds.
 *
 * @param heartbeat between two heartbeats to every member
 * @param silence a member without heartbeats is suspected after this time; a broken connection makes it suspected at
 *     once
 * @param verify how long a suspected member has to answer, if its port does not refuse connections
 * @param mergeMin shortest time between two messages that tell others which group a node is in
 * @param mergeMax two thirds of the longest such time; see {@link #mostUntilMerged}
 * @param join how long to wait for answers before a node takes itself for the first
 * @param rival how long to wait until an earlier process with this node's id is gone
 * @param resolve between two look-ups of the names of the seeds
 */
public record MembershipTiming(
        long heartbeat, long silence, long verify, long mergeMin, long mergeMax, long join, long rival, long resolve) {
    /**
     * Silence and verification together must outlast a long garbage collection and a stalled disk. A killed process is
     * found earlier, by its broken connections and its refusing port. Verification must outlast two round trips over a
     * slow network, because a broken connection must be made again first. Merges are frequent because a node that comes
     * back has no links until it is in the group again.
     */
    public static final MembershipTiming DEFAULT =
            new MembershipTiming(1_000, 6_500, 2_500, 500, 1_250, 1_000, 20_000, 3_000);

    /**
     * Longest time until parts of the cluster that can reach each other again begin to merge: MERGE3 tells others of
     * its group after at most 1.5 times {@link #mergeMax}, and compares what it was told every 1.6 times
     * {@link #mergeMax}.
     */
    long mostUntilMerged() {
        return mergeMax * 3 / 2 + mergeMax * 8 / 5;
    }

    /**
     * Time limit of an attempt to merge. During an attempt the group cannot change, even if a member does not answer.
     */
    long merge() {
        return 3 * join;
    }
}
