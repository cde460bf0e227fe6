package io.godwit.inbox.leader;

import io.godwit.inbox.format.GroupCopy;
import io.godwit.inbox.format.QueuedCopy;
import io.godwit.inbox.ledger.Ledger;
import io.godwit.plugin.message.Message;
import io.godwit.plugin.message.Qos;
import org.jspecify.annotations.Nullable;

/** A message that has its place in a queue and is on its way into the store. */
final class PlacedCopy extends QueuedCopy {
    final Inbox state;
    /** Of the session it was placed in; that may have ended since. */
    final Ledger ledger;
    /** Its number among the targets of the request. */
    final int target;
    /** Its client may have it, though the store does not. */
    boolean wasSentEarly;
    /** Its client has acknowledged it before its batch was applied, and its publisher knows. */
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

    /** Whether the store needs it: not when its client, or the limit, was done with it before it was sealed. */
    boolean isLive() {
        return ledger.find(sequence) >= 0;
    }
}
