package io.godwit.inbox.ledger;

/** How much memory the outboxes of one range use for messages that wait for their client. Owned by the range leader. */
public final class Holds {
    /** Beyond this, what is applied is left to the store; pages being read may add to it. */
    private static final long BUDGET_BYTES = 64L << 20;

    /** What QoS 0 messages that nobody stores take for all connections of the range. */
    private static final long PLACE_BUDGET_BYTES = 64L << 20;

    private long bytes;
    private long placedBytes;

    public boolean mayHold() {
        return bytes < BUDGET_BYTES;
    }

    public void held(int more) {
        bytes += more;
    }

    public void released(int less) {
        bytes -= less;
    }

    /** Whether those that have a place are within the budget. */
    boolean mayPlace() {
        return placedBytes <= PLACE_BUDGET_BYTES;
    }

    /** @param more negative for places given up */
    void placed(long more) {
        placedBytes += more;
    }
}
