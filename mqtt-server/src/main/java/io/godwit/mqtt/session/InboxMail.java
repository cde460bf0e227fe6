package io.godwit.mqtt.session;

import io.godwit.inbox.client.InboxListener;
import io.godwit.inbox.client.InboxMessage;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Where a {@link LastingAttachment} leaves what its session is told. Exists before the session does: an end that comes
 * first is kept for it. Confined to the connection's loop.
 */
public final class InboxMail {
    private static final long[] NOTHING = {};

    private final Runnable onAttaching;
    private @Nullable PersistentSession session;
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

    /** The session that is told from now on. */
    void openTo(PersistentSession opened) {
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

    /** The sequences of what was taken and its client has not answered to the end, ascending. */
    long[] unanswered() {
        return session == null ? NOTHING : session.unanswered();
    }
}
