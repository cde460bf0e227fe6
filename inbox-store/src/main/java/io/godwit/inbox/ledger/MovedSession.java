package io.godwit.inbox.ledger;

import io.godwit.inbox.format.QueuedCopy;
import io.godwit.inbox.format.StoredSession;
import io.godwit.inbox.protocol.InboxId;
import io.godwit.inbox.report.InboxReports;
import io.godwit.plugin.event.DropReason;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A session that is stored as attached, while its connection is on its way to the next leader: what a leader that was
 * stopped in good order had of it in memory only; or, in a cluster, nothing but the wait for a connection that may be
 * on another node. Owned by whoever has taken it out of {@link MovedSessions}: then the session counts as
 * attached, though nothing can be sent.
 */
public final class MovedSession {
    final long incarnation;
    final long attachNumber;
    /** See {@link Ledger#sentBelow}: exact, where the store knows no more than a bound. */
    public final long sentBelow;
    /** Whether the client could take more. */
    public final boolean hasCredit;

    private @Nullable Qos0Places qos0;
    private long untilMillis;
    /** Whether its will has a place among those of the others, which is {@link #untilMillis}. */
    private boolean hasTurn;

    public MovedSession(
            long incarnation, long attachNumber, long sentBelow, boolean hasCredit, @Nullable Qos0Places qos0) {
        this.incarnation = incarnation;
        this.attachNumber = attachNumber;
        this.sentBelow = sentBelow;
        this.hasCredit = hasCredit;
        this.qos0 = qos0;
    }

    /** One whose leader was on another node, or has died: nothing is known but what the store has. */
    public static MovedSession ofAnotherNode(StoredSession session, long sentBelow, long untilMillis) {
        MovedSession moved = new MovedSession(session.incarnation, session.attachNumber(), sentBelow, false, null);
        moved.untilMillis = untilMillis;
        return moved;
    }

    /** It is with the leader of a range that has {@code holds}; null while it is with none. */
    public void comeTo(@Nullable Holds holds) {
        if (qos0 != null) {
            qos0.count(holds);
        }
    }

    /** Its leader has stopped. */
    public void waitUntil(long millis) {
        untilMillis = millis;
        hasTurn = false;
    }

    /** Its connection has not come, and its will is to go out then. */
    public void waitForTurn(long atMillis) {
        untilMillis = atMillis;
        hasTurn = true;
    }

    public boolean hasTurn() {
        return hasTurn;
    }

    /** When its connection counts as lost. */
    public long untilMillis() {
        return untilMillis;
    }

    /** A message of QoS 0 has come; behind the messages with a sequence up to {@code behindSequence}. */
    public void addQos0(Qos0Room room, InboxId id, QueuedCopy copy, long behindSequence, boolean isReplay) {
        Qos0Places places = qos0;
        if (places == null) {
            places = new Qos0Places(room.holds());
            qos0 = places;
        }
        places.add(new Qos0Places.Place(copy, behindSequence, isReplay), room, id);
    }

    /** Its places of QoS 0, for the next attachment; null for none. */
    public @Nullable Qos0Places places() {
        return qos0 == null || qos0.isEmpty() ? null : qos0;
    }

    /** There is no next attachment: what shall come behind all that waits, as {@link Qos0Places#takeUnsent} says. */
    public List<QueuedCopy> unsent(Ledger ledger) {
        return qos0 == null ? List.of() : qos0.takeUnsent(ledger);
    }

    /**
     * No leader has come for it.
     *
     * @param reason why its messages of QoS 0 are dropped
     */
    public void lost(InboxId id, InboxReports reports, DropReason reason) {
        if (qos0 != null) {
            reports.dropped(id, qos0.takeAll(), reason);
        }
    }
}
