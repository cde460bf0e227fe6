package io.godwit.inbox.leader.command;

import io.godwit.inbox.leader.state.ConfirmedAnswers;
import io.godwit.inbox.local.SessionCall;
import io.godwit.inbox.local.StoredInboxes;
import io.godwit.inbox.protocol.InboxReply;

/**
 * Answers commands about sessions that certainly do not exist, without loading their inboxes. Owned by the range
 * leader.
 */
public final class AbsentSessions {
    private final StoredInboxes.Part storedInboxes;
    private final ConfirmedAnswers confirmed;

    public AbsentSessions(StoredInboxes.Part storedInboxes, ConfirmedAnswers confirmed) {
        this.storedInboxes = storedInboxes;
        this.confirmed = confirmed;
    }

    /**
     * Answers a command that does nothing without a stored session, if certainly none is stored; else returns false.
     */
    public boolean answers(SessionCall call) {
        InboxReply reply = call.withoutSession();
        if (reply == null || !storedInboxes.isAbsent(call.prefix())) {
            return false;
        }
        confirmed.answer(() -> call.answer().reply(reply), call.answer()::fail);
        return true;
    }
}
