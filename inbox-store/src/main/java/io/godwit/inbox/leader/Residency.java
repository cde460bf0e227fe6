package io.godwit.inbox.leader;

/**
 * Whether an inbox in memory can be used, and what the leader does for it between events. {@link InboxStates} says the
 * former, {@link IdleInboxes} keeps its own account of it here.
 */
final class Residency {
    private boolean isReady;
    private boolean isDiscarded;
    private int activities;

    private boolean isIdleQueued;
    private boolean wasUsed;
    private int countedEntries;

    /** Filled by loading; no request is handled before. */
    boolean isReady() {
        return isReady;
    }

    void ready() {
        isReady = true;
    }

    /** Something was decided here that could not be written: to be loaded anew once no batch is under way. */
    boolean isDiscarded() {
        return isDiscarded;
    }

    void discard() {
        isDiscarded = true;
        isReady = false;
    }

    /**
     * Work of the leader for it begins that survives between events: publishing owed wills, removing routes, handing
     * over, distributing.
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

    // --- of the queue of inboxes that may be given up

    /** It is asked for. */
    void use() {
        wasUsed = true;
    }

    boolean wasUsed() {
        return wasUsed;
    }

    /** From now on it is looked at whether it is used. */
    void forgetUse() {
        wasUsed = false;
    }

    boolean isIdleQueued() {
        return isIdleQueued;
    }

    void setIdleQueued(boolean isQueued) {
        isIdleQueued = isQueued;
    }

    /** It counts for so many entries there from now on; gives back how many more those are. */
    int count(int entries) {
        int more = entries - countedEntries;
        countedEntries = entries;
        return more;
    }
}
