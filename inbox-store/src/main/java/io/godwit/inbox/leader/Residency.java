package io.godwit.inbox.leader;

/**
 * Whether an inbox in memory is usable, and whether the leader works for it. {@link InboxStates} sets the former;
 * {@link IdleInboxes} keeps its own bookkeeping here.
 */
final class Residency {
    private boolean isReady;
    private boolean isDiscarded;
    private int activities;

    private boolean isIdleQueued;
    private boolean wasUsed;
    private int countedEntries;

    /** Whether loading is complete; no request is handled before. */
    boolean isReady() {
        return isReady;
    }

    void ready() {
        isReady = true;
    }

    /** Whether a change in memory could not be written: the inbox is loaded again once no batch is pending. */
    boolean isDiscarded() {
        return isDiscarded;
    }

    void discard() {
        isDiscarded = true;
        isReady = false;
    }

    /**
     * The leader begins work for the inbox that lasts over several tasks: publishing owed wills, removing routes,
     * handing over, distributing.
     */
    void workBegins() {
        activities++;
    }

    void workEnds() {
        activities--;
    }

    boolean isWorkedFor() {
        return activities > 0;
    }

    // --- bookkeeping of IdleInboxes

    /** A request used the inbox. */
    void use() {
        wasUsed = true;
    }

    boolean wasUsed() {
        return wasUsed;
    }

    /** Starts a new observation of whether it is used. */
    void forgetUse() {
        wasUsed = false;
    }

    boolean isIdleQueued() {
        return isIdleQueued;
    }

    void setIdleQueued(boolean isQueued) {
        isIdleQueued = isQueued;
    }

    /** Sets the entries that it counts for; returns the difference to before. */
    int count(int entries) {
        int more = entries - countedEntries;
        countedEntries = entries;
        return more;
    }
}
