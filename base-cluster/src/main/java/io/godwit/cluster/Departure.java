package io.godwit.cluster;

/** How a member went. */
public enum Departure {
    /** It said so before: it has handed over what it had and is gone for good. */
    LEFT,
    /**
     * Its connection broke or it has been silent. Its process has most likely died, but it may also live on behind a
     * cut link or be stopped: nobody may conclude that it does nothing any more. If it comes back, it joins anew.
     */
    CRASHED
}
