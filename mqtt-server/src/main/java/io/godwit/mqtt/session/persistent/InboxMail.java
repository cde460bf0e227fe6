package io.godwit.mqtt.session.persistent;

import io.godwit.inbox.client.InboxListener;
import io.godwit.inbox.client.InboxMessage;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Receives the events of a {@link LastingAttachment} for its session. Exists before the session does, and keeps an end
 * that comes earlier. Confined to the connection's loop.
 */
public final class InboxMail {
    private static final long[] NOTHING = {};

    private final Runnable onAttaching;
    private @Nullable Reader session;
    private InboxListener.@Nullable Reason endedBefore;

    /** @param onAttaching see {@link InboxListener#attaching}; on the loop */
    public InboxMail(Runnable onAttaching) {
        this.onAttaching = onAttaching;
    }

    void attaching() {
        onAttaching.run();
    }

    void detaching() {
        if (session != null) {
            session.detaching();
        }
    }

    /** Sets the session that gets the events from now on. */
    void openTo(Reader opened) {
        session = opened;
        if (endedBefore != null) {
            opened.detached(endedBefore);
        }
    }

    void take(List<InboxMessage> messages) {
        if (session != null) {
            session.deliver(messages);
        }
    }

    void ended(InboxListener.Reason reason) {
        if (session != null) {
            session.detached(reason);
        } else {
            endedBefore = reason;
        }
    }

    /** Sequences of delivered messages whose exchange with the client is not complete, ascending. */
    long[] unanswered() {
        return session == null ? NOTHING : session.unanswered();
    }

    /** The session, which gets the events. */
    interface Reader {
        /** The store has delivered messages. */
        void deliver(List<InboxMessage> messages);

        /** The leader has decided the detach. */
        void detaching();

        /** The store ended the attachment. */
        void detached(InboxListener.Reason reason);

        /** Sequences of delivered messages whose exchange with the client is not complete, ascending. */
        long[] unanswered();
    }
}
