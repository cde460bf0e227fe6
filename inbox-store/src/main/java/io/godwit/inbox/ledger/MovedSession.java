package io.godwit.inbox.ledger;

import io.godwit.inbox.format.QueuedCopy;
import io.godwit.inbox.format.StoredSession;
import io.godwit.inbox.protocol.InboxId;
import io.godwit.inbox.report.InboxReports;
import io.godwit.plugin.event.DropReason;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A session that is stored as attached, while its connection moves to the next leader. It holds what a leader that was
 * stopped in good order had only in memory; or, in a cluster, only the time to wait for a connection that may be on
 * another node. Owned by the leader that has taken it out of {@link MovedSessions}; the session then counts as
 * attached, though nothing can be sent.
 */
public final class MovedSession {
    final long incarnation;
    final long attachNumber;
    /** See {@link Ledger#sentBelow}: exact, while the store has only an upper bound. */
    public final long sentBelow;
    /** Whether the client had credit for more messages. */
    public final boolean hasCredit;

    private @Nullable Qos0Places qos0;
    private long untilMillis;
    /** Whether the pace of wills has assigned {@link #untilMillis} to it. */
    private boolean hasTurn;

    public MovedSession(
            long incarnation, long attachNumber, long sentBelow, boolean hasCredit, @Nullable Qos0Places qos0) {
        this.incarnation = incarnation;
        this.attachNumber = attachNumber;
        this.sentBelow = sentBelow;
        this.hasCredit = hasCredit;
        this.qos0 = qos0;
    }

    /** A session whose leader was on another node, or has died: only the stored state is known. */
    public static MovedSession ofAnotherNode(StoredSession session, long sentBelow, long untilMillis) {
        MovedSession moved = new MovedSession(session.incarnation, session.attachNumber(), sentBelow, false, null);
        moved.untilMillis = untilMillis;
        return moved;
    }

    /** Counts its memory at the leader of a range with {@code holds}; null while no leader has it. */
    public void comeTo(@Nullable Holds holds) {
        if (qos0 != null) {
            qos0.count(holds);
        }
    }

    /** Its leader has stopped: waits until {@code millis}. */
    public void waitUntil(long millis) {
        untilMillis = millis;
        hasTurn = false;
    }

    /** Its connection has not come: its will goes out at {@code atMillis}. */
    public void waitForTurn(long atMillis) {
        untilMillis = atMillis;
        hasTurn = true;
    }

    public boolean hasTurn() {
        return hasTurn;
    }

    /** Wall clock time at which its connection counts as lost. */
    public long untilMillis() {
        return untilMillis;
    }

    /** Adds a QoS 0 message behind the messages with a sequence up to {@code behindSequence}. */
    public void addQos0(Qos0Room room, InboxId id, QueuedCopy copy, long behindSequence, boolean isReplay) {
        Qos0Places places = qos0;
        if (places == null) {
            places = new Qos0Places(room.holds());
            qos0 = places;
        }
        places.add(new Qos0Places.Place(copy, behindSequence, isReplay), room, id);
    }

    /** Its waiting QoS 0 messages, for the next attachment; null for none. */
    public @Nullable Qos0Places places() {
        return qos0 == null || qos0.isEmpty() ? null : qos0;
    }

    /**
     * There is no next attachment: removes and returns the QoS 0 messages to append to the queue, see
     * {@link Qos0Places#takeUnsent}.
     */
    public List<QueuedCopy> unsent(Ledger ledger) {
        return qos0 == null ? List.of() : qos0.takeUnsent(ledger);
    }

    /**
     * No leader has taken it.
     *
     * @param reason of the drop of its QoS 0 messages
     */
    public void lost(InboxId id, InboxReports reports, DropReason reason) {
        if (qos0 != null) {
            reports.dropped(id, qos0.takeAll(), reason);
        }
    }
}
