package io.godwit.inbox.leader.queue;

/**
 * Whether an inbox in memory is usable, and whether the leader works for it. {@code InboxStates} sets the former;
 * {@code IdleInboxes} keeps its own bookkeeping here.
 */
public final class Residency {
    private boolean isReady;
    private boolean isDiscarded;
    private int activities;

    private boolean isIdleQueued;
    private boolean wasUsed;
    private int countedEntries;

    /** Whether loading is complete; no request is handled before. */
    public boolean isReady() {
        return isReady;
    }

    public void ready() {
        isReady = true;
    }

    /** Whether a change in memory could not be written: the inbox is loaded again once no batch is pending. */
    public boolean isDiscarded() {
        return isDiscarded;
    }

    public void discard() {
        isDiscarded = true;
        isReady = false;
    }

    /**
     * The leader begins work for the inbox that lasts over several tasks: publishing owed wills, removing routes,
     * handing over, distributing.
     */
    public void workBegins() {
        activities++;
    }

    public void workEnds() {
        activities--;
    }

    boolean isWorkedFor() {
        return activities > 0;
    }

    // --- bookkeeping of IdleInboxes

    /** A request used the inbox. */
    public void use() {
        wasUsed = true;
    }

    public boolean wasUsed() {
        return wasUsed;
    }

    /** Starts a new observation of whether it is used. */
    public void forgetUse() {
        wasUsed = false;
    }

    public boolean isIdleQueued() {
        return isIdleQueued;
    }

    public void setIdleQueued(boolean isQueued) {
        isIdleQueued = isQueued;
    }

    /** Sets the entries that it counts for; returns the difference to before. */
    public int count(int entries) {
        int more = entries - countedEntries;
        countedEntries = entries;
        return more;
    }
}
