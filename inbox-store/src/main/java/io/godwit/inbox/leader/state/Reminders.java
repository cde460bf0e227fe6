package io.godwit.inbox.leader.state;

import io.godwit.inbox.expiry.SessionTimes;
import io.godwit.inbox.format.StoredWill;
import io.godwit.inbox.leader.session.LeaderSession;
import io.godwit.kv.coprocessor.LeaderContext;

/** Times at which detached sessions end and their wills are due. Owned by the range leader. */
public final class Reminders {
    private final LeaderContext context;
    private final Agenda agenda;

    public Reminders(LeaderContext context, Agenda agenda) {
        this.context = context;
        this.agenda = agenda;
    }

    /** Schedules a check of the inbox for when its session ends or its will is due. */
    public void remindOf(InboxState state) {
        LeaderSession session = state.session();
        if (session == null || state.isHeld()) {
            return;
        }
        StoredWill will = session.will();
        long due = will != null
                ? willDueAt(session, will)
                : SessionTimes.endsAt(session.detachedAtMillis(), session.expirySeconds());
        agenda.remind(state.id, due);
    }

    /** Whether a detached session has expired. */
    public boolean hasExpired(LeaderSession session) {
        return SessionTimes.endsAt(session.detachedAtMillis(), session.expirySeconds()) <= context.nowMillis();
    }

    public static long willDueAt(LeaderSession session, StoredWill will) {
        return SessionTimes.willDueAt(session.detachedAtMillis(), will.delaySeconds(), session.expirySeconds());
    }
}
