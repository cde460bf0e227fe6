package io.godwit.inbox.queue;

/** How much memory the outboxes of one range use for messages that wait for their client. Owned by the range leader. */
final class Holds {
    /** Beyond this, what is applied is left to the store; pages being read may add to it. */
    private static final long BUDGET_BYTES = 64L << 20;

    private long bytes;

    boolean mayHold() {
        return bytes < BUDGET_BYTES;
    }

    void held(int more) {
        bytes += more;
    }

    void released(int less) {
        bytes -= less;
    }
}
