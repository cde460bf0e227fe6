package io.godwit.inbox.client;

import java.util.List;

/**
 * Receives the events of one attachment for its connection. Called on the range executor: must hand over and return at
 * once, and must not throw.
 */
public interface InboxListener {
    /**
     * The leader has decided the attach: it handles requests about the inbox that are made from now on after it. The
     * attach is not committed yet, so the client must not be answered.
     */
    default void attaching() {}

    /** The leader has decided the detach that the connection asked for; requests made from now on come after it. */
    default void detaching() {}

    /** The next messages in sequence order, never more QoS 1/2 ones than were requested. */
    void deliver(List<InboxMessage> messages);

    /** The attachment is over; nothing follows. */
    void detached(Reason reason);

    enum Reason {
        /** Another connection attached to the session [MQTT5-3.1.4-3]. */
        TAKEN_OVER,
        /** The session was deleted. */
        DELETED,
        /**
         * Another leader takes the inbox over in an orderly way. Unanswered calls have failed with {@code MOVED} and
         * had no effect. The session counts as attached for a while: see {@link InboxClient#continueAttachment}.
         */
        MOVED,
        /**
         * The node of the leader is unreachable, or the leader was deposed. Unanswered calls fail with {@code LOST},
         * {@code TIMEOUT} or {@code CLOSED}, and may have had an effect. In a cluster the session counts as attached
         * for a while at its next leader: see {@link InboxClient#continueAttachment}.
         */
        LOST,
        /** The store can no longer serve the session; the client should reconnect. */
        UNAVAILABLE
    }
}
