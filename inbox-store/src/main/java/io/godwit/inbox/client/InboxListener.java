package io.godwit.inbox.client;

import java.util.List;

/**
 * The frontend's end of an attachment. Called on the range executor: must hand over and return at once, and must not
 * throw.
 */
public interface InboxListener {
    /**
     * The leader has decided the attach: requests about the inbox that are made from now on come behind it. It is not
     * committed yet, so the client is told nothing.
     */
    default void attaching() {}

    /** The leader has decided the detach that the connection asked for: as {@link #attaching}. */
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
         * Another leader takes the inbox over in good order; what was called and not answered has failed with
         * {@code MOVED}, and has had no effect. The session counts as attached for a while: see
         * {@link InboxClient#continueAttachment}.
         */
        MOVED,
        /**
         * The node of the leader cannot be reached any more, or its leadership was taken away. What was called and not
         * answered fails with {@code LOST}, {@code TIMEOUT} or {@code CLOSED}, and may have had an effect. In a cluster
         * the session counts as attached for a while at its next leader: see {@link InboxClient#continueAttachment}.
         */
        LOST,
        /** The store can not serve it any more; the client should reconnect. */
        UNAVAILABLE
    }
}
