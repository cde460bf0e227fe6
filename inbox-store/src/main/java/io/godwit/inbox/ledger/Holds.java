package io.godwit.inbox.ledger;

/** Memory that the outboxes of one range use for messages that wait for their client. Owned by the range leader. */
public final class Holds {
    /** Beyond this, applied messages are not kept in memory; pages being read may exceed it. */
    private static final long BUDGET_BYTES = 64L << 20;

    /** Limit on the QoS 0 messages that wait only in memory, for all connections of the range. */
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

    /** Whether the QoS 0 messages in memory are within the budget. */
    boolean mayPlace() {
        return placedBytes <= PLACE_BUDGET_BYTES;
    }

    /** @param more negative for removed messages */
    void placed(long more) {
        placedBytes += more;
    }
}
