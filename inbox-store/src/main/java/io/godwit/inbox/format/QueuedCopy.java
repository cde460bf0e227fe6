package io.godwit.inbox.format;

import io.godwit.plugin.message.Message;
import io.godwit.plugin.message.Qos;
import org.jspecify.annotations.Nullable;

/** One message in the queue of one inbox. Immutable. */
public class QueuedCopy {
    public static final int[] NO_IDS = {};
    /** Heap bytes of an entry besides its message, approximate. */
    private static final int OVERHEAD_BYTES = 64;

    public final long sequence;
    public final Message message;
    public final Qos qos;
    public final boolean retain;
    /** Shared, never modified. */
    public final int[] subscriptionIds;
    /** Null unless the session was chosen for the message as a member of a shared group. */
    public final @Nullable GroupCopy group;

    public QueuedCopy(
            long sequence, Message message, Qos qos, boolean retain, int[] subscriptionIds, @Nullable GroupCopy group) {
        this.sequence = sequence;
        this.message = message;
        this.qos = qos;
        this.retain = retain;
        this.subscriptionIds = subscriptionIds;
        this.group = group;
    }

    /** Heap bytes of the entry with its message, approximate. */
    public final int heldBytes() {
        return message.heapBytes() + OVERHEAD_BYTES;
    }
}
