package io.godwit.mqtt.session;

import io.godwit.inbox.client.InboxListener;
import io.godwit.inbox.client.InboxMessage;
import io.godwit.mqtt.transport.Connection;
import io.godwit.mqtt.transport.LoopTask;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Carries what an attachment says from the range executor to the connection's event loop. Exists before its session does: an end that
 * comes first is kept for it.
 */
public final class InboxMail implements InboxListener {
    private final Connection connection;

    // confined to the loop
    private @Nullable PersistentSession session;
    private @Nullable Reason endedBefore;

    public InboxMail(Connection connection) {
        this.connection = connection;
    }

    /** The session that is told from now on. On the loop. */
    void openTo(PersistentSession opened) {
        session = opened;
        if (endedBefore != null) {
            opened.detached(endedBefore);
        }
    }

    @Override
    public void deliver(List<InboxMessage> messages) {
        connection.loop().post(new LoopTask() {
            @Override
            protected void run() {
                if (session != null) {
                    session.deliver(messages);
                }
            }
        });
    }

    @Override
    public void detached(Reason reason) {
        connection.loop().post(new LoopTask() {
            @Override
            protected void run() {
                if (session != null) {
                    session.detached(reason);
                } else {
                    endedBefore = reason;
                }
            }
        });
    }
}
