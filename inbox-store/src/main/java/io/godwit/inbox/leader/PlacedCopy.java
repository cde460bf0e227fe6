package io.godwit.inbox.leader;

import io.godwit.inbox.format.GroupCopy;
import io.godwit.inbox.format.QueuedCopy;
import io.godwit.inbox.ledger.Ledger;
import io.godwit.plugin.message.Message;
import io.godwit.plugin.message.Qos;
import org.jspecify.annotations.Nullable;

/** A message that is placed in a queue and whose write is pending. */
final class PlacedCopy extends QueuedCopy {
    final Inbox state;
    /** Ledger of the session it was placed in; that session may have ended. */
    final Ledger ledger;
    /** Its index among the targets of the request. */
    final int target;
    /** Whether its client may have it before the store. */
    boolean wasSentEarly;
    /** Whether the sealed batch has it. */
    boolean isWritten;
    /** Whether its client has acknowledged it before its batch was applied, and its publisher is answered. */
    boolean isAnswered;

    PlacedCopy(
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
    boolean isLive() {
        return ledger.find(sequence) >= 0;
    }
}
