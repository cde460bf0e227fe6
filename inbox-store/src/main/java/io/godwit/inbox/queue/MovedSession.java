package io.godwit.inbox.queue;

import io.godwit.plugin.event.DropReason;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What a leader that was stopped in good order had of an attached session in memory only, while its connection is on its way to the next leader. Owned by
 * whoever has taken it out of {@link MovedSessions}: then the session counts as attached, though nothing can be sent.
 */
final class MovedSession {
    /** How long a connection is waited for; a frontend gives up before. */
    static final long WAIT_MILLIS = 15_000;

    final long incarnation;
    /** See {@link Ledger#sentBelow}: exact, where the store knows no more than a bound. */
    final long sentBelow;
    /** Whether the client could take more. */
    final boolean hasCredit;

    private final ArrayDeque<Outbox.Place> qos0;
    private long untilMillis;

    MovedSession(long incarnation, long sentBelow, boolean hasCredit, ArrayDeque<Outbox.Place> qos0) {
        this.incarnation = incarnation;
        this.sentBelow = sentBelow;
        this.hasCredit = hasCredit;
        this.qos0 = qos0;
    }

    /** Its leader has stopped, now. */
    void waitFrom(long nowMillis) {
        untilMillis = nowMillis + WAIT_MILLIS;
    }

    /** When its connection counts as lost. */
    long untilMillis() {
        return untilMillis;
    }

    /** A message of QoS 0 has come; behind the messages with a sequence up to {@code behindSequence}. */
    void addQos0(InboxLeader leader, InboxId id, QueuedCopy copy, long behindSequence, boolean isReplay) {
        Outbox.add(qos0, new Outbox.Place(copy, behindSequence, isReplay), leader, id);
    }

    /** Its places of QoS 0, for the next attachment; null for none. */
    @Nullable
    ArrayDeque<Outbox.Place> places() {
        return qos0.isEmpty() ? null : qos0;
    }

    /** There is no next attachment: what shall come behind all that waits, as {@link Outbox#close} says. */
    List<QueuedCopy> unsent(Ledger ledger) {
        return Outbox.unsent(qos0, ledger);
    }

    /** No leader has come for it. */
    void lost(InboxId id, InboxReports reports) {
        List<QueuedCopy> copies = new ArrayList<>(qos0.size());
        qos0.forEach(place -> copies.add(place.copy()));
        reports.dropped(id, copies, DropReason.STORE_FAILED);
    }
}
