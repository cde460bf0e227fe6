package io.godwit.mqtt.session;

import io.godwit.dist.client.Delivery;
import io.godwit.plugin.message.Message;
import io.godwit.plugin.message.Qos;
import java.util.ArrayDeque;
import org.jspecify.annotations.Nullable;

/**
 * The bounded queue of a live session: QoS 1 and 2 messages that neither window nor socket take now. Bounded by itself,
 * and by what is free of the memory that all queues of the node share. Confined to the loop of its session.
 */
final class LiveQueue {
    private final ArrayDeque<Entry> entries = new ArrayDeque<>();
    private int maxMessages;
    private long maxBytes;
    private final QueuedBytes ofNode;
    private final LoopCounts counts;
    private long bytes;

    /** @param counts of the session's loop */
    LiveQueue(QueuedBytes ofNode, LoopCounts counts) {
        this.counts = counts;
        this.ofNode = ofNode;
    }

    /** From now on; what waits stays. Due before the first message. */
    void bound(int messages, long heapBytes) {
        maxMessages = messages;
        maxBytes = heapBytes;
    }

    int size() {
        return entries.size();
    }

    boolean isEmpty() {
        return entries.isEmpty();
    }

    /** Whether one more would break a limit; the first message is always taken. */
    boolean isFullFor(Message message) {
        return entries.size() >= maxMessages || !entries.isEmpty() && bytes + message.heapBytes() > most();
    }

    private long most() {
        return Math.min(maxBytes, ofNode.free());
    }

    /** Whether publishers should wait. */
    boolean isOverHalf() {
        return entries.size() > maxMessages / 2 || bytes > most() / 2;
    }

    /** Whether those that wait may go on. */
    boolean isUnderQuarter() {
        return entries.size() <= maxMessages / 4 && bytes <= most() / 4;
    }

    void add(Entry entry) {
        entries.addLast(entry);
        counts.changeQueued(1);
        count(entry.message.heapBytes());
    }

    /** The oldest, which stays; null when there is none. */
    @Nullable
    Entry peek() {
        return entries.peekFirst();
    }

    /** Takes the oldest; null when there is none. */
    @Nullable
    Entry poll() {
        Entry entry = entries.pollFirst();
        if (entry != null) {
            counts.changeQueued(-1);
            count(-entry.message.heapBytes());
        }
        return entry;
    }

    private void count(long change) {
        bytes += change;
        ofNode.add(change);
    }

    /**
     * One delivery that waits.
     *
     * @param ids shared, never modified
     * @param shared what to hand on to another member of the shared group when the session ends; null when it is its
     *     own
     */
    @SuppressWarnings("ArrayRecordComponent")
    record Entry(
            Message message,
            Qos qos,
            boolean retain,
            int[] ids,
            @Nullable Delivery shared) {}
}
