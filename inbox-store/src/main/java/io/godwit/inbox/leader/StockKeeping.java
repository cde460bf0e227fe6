package io.godwit.inbox.leader;

import io.godwit.inbox.ledger.Ledger;
import io.godwit.inbox.ledger.QueueBounds;
import io.godwit.inbox.ledger.QueueSettings;
import io.godwit.inbox.protocol.InboxId;
import io.godwit.inbox.report.InboxReports;
import io.godwit.inbox.report.Stock;
import org.jspecify.annotations.Nullable;

/**
 * Tells the {@link Stock}, if there is one, what the inboxes in memory hold. Owned by the range leader, and called on
 * the range executor but for {@link #newLedger}.
 */
final class StockKeeping {
    /** Null when nobody asks. */
    private final Stock.@Nullable Part part;

    private final QueueSettings settings;

    StockKeeping(Stock.@Nullable Part part, QueueSettings settings) {
        this.part = part;
        this.settings = settings;
    }

    /** Whether a payload of so many bytes more may wait for a session: what waits for all of its tenant is bounded. */
    boolean hasRoomFor(InboxId id, int bytes) {
        if (part == null) {
            return true;
        }
        long most = settings.tenants().mostBytes(id.tenant());
        return most == QueueBounds.ANY_BYTES
                || InboxReports.isBrokersOwn(id)
                || part.bytesOfAll(id.tenant()) + bytes <= most;
    }

    /** Of a session that has no message yet. May be called on any thread. */
    Ledger newLedger(long first) {
        return part == null ? new Ledger(first) : Ledger.withSizes(first);
    }

    /** The state has got a ledger that no message was put into yet. */
    void ledgerBegun(InboxState state) {
        if (part != null) {
            state.queue.ledger().joinStock(part, state.id, true);
        }
    }

    /** The inbox has been loaded. */
    void loaded(InboxState state) {
        if (part == null) {
            return;
        }
        boolean isCounted = part.count(state.id, state.prefix);
        state.setCountsAsDetached(isCounted && isDetached(state));
        sessionChanged(state);
        Long apart = part.takeApart(state.id);
        if (isCounted && apart != null) {
            state.queue.ledger().spreadApart(apart);
        }
        state.queue.ledger().joinStock(part, state.id, isCounted);
    }

    /** A session has begun or ended, or has got or lost its connection. */
    void sessionChanged(InboxState state) {
        if (part == null) {
            return;
        }
        boolean isDetached = isDetached(state);
        if (isDetached != state.countsAsDetached()) {
            state.setCountsAsDetached(isDetached);
            part.addSessions(state.id.tenant(), isDetached ? 1 : -1);
        }
    }

    private static boolean isDetached(InboxState state) {
        return state.session() != null
                && state.attachment() == null
                && !state.residency.isDiscarded()
                && !InboxReports.isBrokersOwn(state.id);
    }

    /** What stands in memory is not what is stored. */
    void discarded(InboxState state) {
        if (part != null) {
            sessionChanged(state);
            state.queue.ledger().leaveStock();
            part.lost(state.id);
        }
    }

    /** The inbox is not in memory any more; nothing about it changes until it is. */
    void forgotten(Inbox state) {
        if (part != null) {
            part.rememberApart(state.id, state.queue.ledger().apartToRemember());
        }
    }

    /** The leadership is over. */
    void stop() {
        if (part != null) {
            part.stop();
        }
    }
}
