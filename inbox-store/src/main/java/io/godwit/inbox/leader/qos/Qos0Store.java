package io.godwit.inbox.leader.qos;

import io.godwit.inbox.format.QueuedCopy;
import io.godwit.inbox.leader.delivery.Insert;
import io.godwit.inbox.leader.queue.Inbox;
import io.godwit.inbox.leader.queue.PlacedCopy;
import io.godwit.inbox.leader.queue.Writes;
import io.godwit.inbox.leader.state.StockKeeping;
import io.godwit.inbox.ledger.Ledger;
import io.godwit.inbox.ledger.QueueSettings;
import io.godwit.inbox.report.InboxReports;
import io.godwit.plugin.event.DropReason;
import io.godwit.plugin.message.Qos;
import java.util.List;

/** Stores QoS 0 messages for sessions that are not connected, as far as the settings allow. */
public final class Qos0Store {
    private final Writes writes;
    private final QueueSettings settings;
    private final StockKeeping stock;
    private final InboxReports reports;
    private final Insert.Range range;

    public Qos0Store(
            Writes writes, QueueSettings settings, StockKeeping stock, InboxReports reports, Insert.Range range) {
        this.writes = writes;
        this.settings = settings;
        this.stock = stock;
        this.reports = reports;
        this.range = range;
    }

    /** Stores a QoS 0 message for a session that is not connected; without an answer. */
    public void store(Inbox state, QueuedCopy copy) {
        int most = settings.boundsOf(state.id.tenant()).maxQos0();
        if (most == 0) {
            reports.dropped(state.id, copy.message.topic(), DropReason.QUEUE_FULL_NEWEST);
            return;
        }
        if (!stock.hasRoomFor(state.id, copy.message.payload().length)) {
            reports.dropped(state.id, copy.message.topic(), DropReason.TENANT_QUEUE_FULL);
            return;
        }
        if (writes.diskFull() != null) {
            reports.dropped(state.id, copy.message.topic(), DropReason.STORE_FAILED);
            return;
        }
        if (state.queue.ledger().liveQos0() >= most) {
            dropOldestQos0(state);
        }
        long sequence = writes.takeSequence(state);
        PlacedCopy placed = new PlacedCopy(
                state, 0, sequence, copy.message, Qos.AT_MOST_ONCE, copy.retain, copy.subscriptionIds, null);
        new Insert(range, null, copy.message).addTo(writes.openBatch(), true, placed);
    }

    /**
     * Stores all messages that a connection has left. Each may begin another batch, because together they can be large.
     */
    public void storeAll(Inbox state, List<QueuedCopy> copies) {
        for (QueuedCopy copy : copies) {
            writes.closeFullBatch();
            store(state, copy);
        }
    }

    private void dropOldestQos0(Inbox state) {
        Ledger ledger = state.queue.ledger();
        for (long ordinal = ledger.headOrdinal(); ordinal < ledger.tailOrdinal(); ordinal++) {
            if (ledger.qosAt(ordinal) == 0 && !ledger.isFinishedAt(ordinal)) {
                reports.dropped(state.id, ledger.topicAt(ordinal), DropReason.QUEUE_FULL_OLDEST);
                writes.finish(state, ordinal);
                return;
            }
        }
    }
}
