package io.godwit.mqtt.session.live;

import io.godwit.dist.client.Delivery;
import io.godwit.mqtt.session.core.LoopCounts;
import io.godwit.mqtt.session.core.QueuedBytes;
import io.godwit.plugin.message.Message;
import io.godwit.plugin.message.Qos;
import java.util.ArrayDeque;
import org.jspecify.annotations.Nullable;

/**
 * The bounded queue of a live session: QoS 1 and 2 messages that neither window nor socket accept now. Has its own
 * limits and shares the memory that all queues of the node have. Confined to the loop of its session.
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

    /** Sets the limits; waiting messages stay. Call before the first message. */
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

    /** Whether one more message would exceed a limit; an empty queue always accepts one. */
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

    /** Whether waiting publishers may continue. */
    boolean isUnderQuarter() {
        return entries.size() <= maxMessages / 4 && bytes <= most() / 4;
    }

    void add(Entry entry) {
        entries.addLast(entry);
        counts.changeQueued(1);
        count(entry.message.heapBytes());
    }

    /** The oldest entry, not removed; null when empty. */
    @Nullable
    Entry peek() {
        return entries.peekFirst();
    }

    /** Removes the oldest entry; null when empty. */
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
     * One waiting delivery.
     *
     * @param ids shared, never modified
     * @param shared the delivery to pass to another member of the shared group when the session ends; null without
     *     a shared subscription
     */
    @SuppressWarnings("ArrayRecordComponent")
    record Entry(
            Message message,
            Qos qos,
            boolean retain,
            int[] ids,
            @Nullable Delivery shared) {}
}
