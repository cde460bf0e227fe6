package io.godwit.broker.sub;

import io.godwit.inbox.client.InboxMessage;
import io.godwit.plugin.message.Qos;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;

/** What was taken out of an inbox and not handed over yet, and how much more may be asked for. Of one thread. */
final class SubQueue {
    /** Asked for at a time: what comes may be as large as packets may be. */
    private static final int MAX_ASKED = 128;

    private final SubLimits limits;
    private final ArrayDeque<InboxMessage> waiting = new ArrayDeque<>();
    /** Of what waits and of the batch under way. */
    private long heldBytes;

    private int held;
    /** QoS 1 and 2 messages that were asked for and have not come. */
    private int asked;

    SubQueue(SubLimits limits) {
        this.limits = limits;
    }

    /** Whether it was taken; only QoS 0 may not be. */
    boolean add(InboxMessage message) {
        if (message.qos() != Qos.AT_MOST_ONCE) {
            asked--;
        } else if (held >= limits.heldMessages() || heldBytes >= limits.heldBytes()) {
            return false;
        }
        waiting.addLast(message);
        held++;
        heldBytes += message.message().heapBytes();
        return true;
    }

    /** The next batch; empty when nothing waits. It is held until {@link #release}. */
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

    /** How many more may be asked for now, which they are thereby. */
    int ask() {
        if (heldBytes >= limits.heldBytes()) {
            return 0;
        }
        int more = Math.min(MAX_ASKED, limits.heldMessages() - held) - asked;
        if (more <= 0) {
            return 0;
        }
        asked += more;
        return more;
    }

    /**
     * Forgets all.
     *
     * @return what waited; of it QoS 1 and 2 come again
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
