package io.godwit.cluster.member;

/** How a member left the view. */
public enum Departure {
    /** It announced that it leaves: it has handed over what it had, and its process is gone for good. */
    LEFT,
    /**
     * Its connection broke or it was silent. Its process has probably died, but it may also be stopped or cut off.
     * Nobody may conclude that it does nothing any more. If it comes back, it joins again.
     */
    CRASHED
}
