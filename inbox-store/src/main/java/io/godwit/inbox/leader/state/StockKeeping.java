package io.godwit.inbox.leader.state;

import io.godwit.inbox.leader.queue.Inbox;
import io.godwit.inbox.ledger.Ledger;
import io.godwit.inbox.ledger.QueueBounds;
import io.godwit.inbox.ledger.QueueSettings;
import io.godwit.inbox.protocol.InboxId;
import io.godwit.inbox.report.InboxReports;
import io.godwit.inbox.report.Stock;
import org.jspecify.annotations.Nullable;

/**
 * Reports the contents of the inboxes in memory to the {@link Stock}, if there is one. Owned by the range leader, and
 * called on the range executor, except {@link #newLedger}.
 */
public final class StockKeeping {
    /** Null when no stock is kept. */
    private final Stock.@Nullable Part part;

    private final QueueSettings settings;

    public StockKeeping(Stock.@Nullable Part part, QueueSettings settings) {
        this.part = part;
        this.settings = settings;
    }

    /** Whether the limit of the tenant's queued bytes allows one more payload of this size. */
    public boolean hasRoomFor(InboxId id, int bytes) {
        if (part == null) {
            return true;
        }
        long most = settings.tenants().mostBytes(id.tenant());
        return most == QueueBounds.ANY_BYTES
                || InboxReports.isBrokersOwn(id)
                || part.bytesOfAll(id.tenant()) + bytes <= most;
    }

    /** A ledger for a session without messages. Any thread. */
    public Ledger newLedger(long first) {
        return part == null ? new Ledger(first) : Ledger.withSizes(first);
    }

    /** The state has got a new, empty ledger. */
    public void ledgerBegun(InboxState state) {
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

    /** A session has begun or ended, or its connection has come or gone. */
    public void sessionChanged(InboxState state) {
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

    /** The state of the inbox in memory differs from the stored one. */
    void discarded(InboxState state) {
        if (part != null) {
            sessionChanged(state);
            state.queue.ledger().leaveStock();
            part.lost(state.id);
        }
    }

    /** The inbox was dropped from memory; it does not change until it is loaded again. */
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
