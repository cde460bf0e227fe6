package io.godwit.inbox.queue;

import io.godwit.plugin.message.Message;
import io.godwit.plugin.message.Qos;
import org.jspecify.annotations.Nullable;

/** One message in the queue of one inbox. Immutable. */
class QueuedCopy {
    static final int[] NO_IDS = {};
    /** What an entry costs in memory beside its message, about. */
    private static final int OVERHEAD_BYTES = 64;

    final long sequence;
    final Message message;
    final Qos qos;
    final boolean retain;
    /** Shared, never modified. */
    final int[] subscriptionIds;
    /** Null unless the session was chosen for it as a member of a shared group. */
    final @Nullable GroupCopy group;

    QueuedCopy(
            long sequence, Message message, Qos qos, boolean retain, int[] subscriptionIds, @Nullable GroupCopy group) {
        this.sequence = sequence;
        this.message = message;
        this.qos = qos;
        this.retain = retain;
        this.subscriptionIds = subscriptionIds;
        this.group = group;
    }

    /** Heap that holding it costs, about. */
    final int heldBytes() {
        return message.heapBytes() + OVERHEAD_BYTES;
    }
}
