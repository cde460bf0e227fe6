package io.godwit.broker.sub;

import io.godwit.inbox.client.InboxMessage;
import io.godwit.plugin.message.Qos;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;

/** The messages taken from an inbox and not delivered yet, and how many more may be requested. For one thread. */
final class SubQueue {
    /** Bound of messages requested and not arrived. Fewer are requested if they are large, see {@link #ask}. */
    private static final int MAX_ASKED = 128;

    /**
     * {@link #largestBytes} shrinks by this part of it with each smaller message: to a half with 6 of them, and to a
     * 128th with 37. So after one message that fills the queue, as many are requested as before it when 37 small ones
     * have arrived.
     */
    private static final int DECAY = 8;

    private final SubLimits limits;
    private final ArrayDeque<InboxMessage> waiting = new ArrayDeque<>();
    /** Over the waiting messages and the batch under way. */
    private long heldBytes;

    /** The size of the largest of the last few dozen messages, about; 0 before the first. Heap bytes. */
    private long largestBytes;

    private int held;
    /** QoS 1 and 2 messages that were requested and have not arrived. */
    private int asked;

    SubQueue(SubLimits limits) {
        this.limits = limits;
    }

    /** @return whether it was added; only a QoS 0 message may be rejected */
    boolean add(InboxMessage message) {
        if (message.qos() != Qos.AT_MOST_ONCE) {
            asked--;
        } else if (held >= limits.heldMessages() || heldBytes >= limits.heldBytes()) {
            return false;
        }
        int bytes = message.message().heapBytes();
        waiting.addLast(message);
        held++;
        heldBytes += bytes;
        largestBytes = Math.max(bytes, largestBytes - largestBytes / DECAY);
        return true;
    }

    /** The next batch; empty if no message waits. It counts as held until {@link #release}. */
    List<InboxMessage> next() {
        List<InboxMessage> batch = new ArrayList<>(Math.min(waiting.size(), limits.batchMessages()));
        long bytes = 0;
        while (!waiting.isEmpty() && batch.size() < limits.batchMessages()) {
            bytes += waiting.element().message().heapBytes();
            if (bytes > limits.batchBytes() && !batch.isEmpty()) {
                break;
            }
            batch.add(waiting.remove());
        }
        return batch;
    }

    void release(List<InboxMessage> done) {
        held -= done.size();
        for (InboxMessage each : done) {
            heldBytes -= each.message().heapBytes();
        }
    }

    /**
     * How many more to request now; they count as requested from then on. They fit into the limit of bytes if none is
     * larger than {@link #largestBytes}. Two cases exceed the limit: at most {@link #MAX_ASKED} messages that are
     * larger than the last few dozen, and a single message that is larger than the room that is left.
     */
    int ask() {
        long room = limits.heldBytes() - heldBytes;
        if (room <= 0) {
            return 0;
        }
        long fitting = Math.max(1, room / Math.max(1, largestBytes));
        int more = (int) Math.min(fitting, Math.min(MAX_ASKED, limits.heldMessages() - held)) - asked;
        if (more <= 0) {
            return 0;
        }
        asked += more;
        return more;
    }

    /**
     * Drops everything.
     *
     * @return the waiting messages; the inbox delivers those of QoS 1 and 2 again
     */
    List<InboxMessage> clear() {
        List<InboxMessage> left = List.copyOf(waiting);
        waiting.clear();
        held = 0;
        heldBytes = 0;
        asked = 0;
        return left;
    }
}
