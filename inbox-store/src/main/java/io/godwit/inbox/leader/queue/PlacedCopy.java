package io.godwit.inbox.leader.queue;

import io.godwit.inbox.format.GroupCopy;
import io.godwit.inbox.format.QueuedCopy;
import io.godwit.inbox.ledger.Ledger;
import io.godwit.plugin.message.Message;
import io.godwit.plugin.message.Qos;
import org.jspecify.annotations.Nullable;

/** A message that is placed in a queue and whose write is pending. */
public final class PlacedCopy extends QueuedCopy {
    public final Inbox state;
    /** Ledger of the session it was placed in; that session may have ended. */
    public final Ledger ledger;
    /** Its index among the targets of the request. */
    public final int target;
    /** Whether its client may have it before the store. */
    public boolean wasSentEarly;
    /** Whether the sealed batch has it. */
    public boolean isWritten;
    /** Whether its client has acknowledged it before its batch was applied, and its publisher is answered. */
    public boolean isAnswered;

    public PlacedCopy(
            Inbox state,
            int target,
            long sequence,
            Message message,
            Qos qos,
            boolean retain,
            int[] subscriptionIds,
            @Nullable GroupCopy group) {
        super(sequence, message, qos, retain, subscriptionIds, group);
        this.state = state;
        this.ledger = state.queue.ledger();
        this.target = target;
    }

    /**
     * Whether it must be stored: false when its client has acknowledged it, or the limit dropped it, before sealing.
     */
    public boolean isLive() {
        return ledger.find(sequence) >= 0;
    }
}
