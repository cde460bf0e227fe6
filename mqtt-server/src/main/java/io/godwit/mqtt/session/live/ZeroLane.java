package io.godwit.mqtt.session.live;

import io.godwit.dist.client.Delivery;
import io.godwit.dist.client.Match;
import io.godwit.mqtt.intercept.Intercepted;
import io.godwit.mqtt.intercept.InterceptorChain;
import io.godwit.mqtt.session.core.QueuedBytes;
import io.godwit.mqtt.session.core.SessionCore;
import io.godwit.mqtt.session.outbound.CopyInterception;
import io.godwit.mqtt.transport.connection.SharedPublish;
import io.godwit.plugin.message.Message;
import io.godwit.plugin.message.Qos;
import java.util.ArrayDeque;
import org.jspecify.annotations.Nullable;

/**
 * QoS 0 copies for a live session that wait for interceptors; bounded in number and bytes. Confined to the loop of the
 * session.
 */
final class ZeroLane {
    private static final int MAX_COPIES = 1_000;

    private final CopyInterception interception;
    private final Sink sink;
    private final long maxBytes;
    private final QueuedBytes ofNode;
    private final ArrayDeque<Copy> copies = new ArrayDeque<>(2);
    private long bytes;

    /**
     * One copy.
     *
     * @param delivery null for a retained message
     * @param match null for a retained message
     * @param ids shared, never modified
     */
    @SuppressWarnings("ArrayRecordComponent")
    record Copy(
            Message message,
            @Nullable Delivery delivery,
            @Nullable Match match,
            boolean retain,
            int[] ids,
            @Nullable SharedPublish shared) {}

    /** Takes copies after their interceptors have decided. */
    @FunctionalInterface
    interface Sink {
        void take(Copy copy, Intercepted outcome);
    }

    private ZeroLane(SessionCore session, InterceptorChain chain, Sink sink, Runnable onAnswer) {
        this.sink = sink;
        this.maxBytes = session.services.config.queue().maxBytes();
        this.ofNode = session.services.queuedBytes;
        this.interception = new CopyInterception(session, chain, () -> {
            drain();
            onAnswer.run();
        });
    }

    /**
     * Null without interceptors.
     *
     * @param onAnswer run on the loop when there may be space again
     */
    static @Nullable ZeroLane of(SessionCore session, Sink sink, Runnable onAnswer) {
        InterceptorChain chain = session.services.interceptors.deliver();
        return chain == null ? null : new ZeroLane(session, chain, sink, onAnswer);
    }

    boolean isEmpty() {
        return copies.isEmpty();
    }

    /** @return whether there was space */
    boolean add(Copy copy) {
        int more = copy.message.heapBytes();
        if (!copies.isEmpty() && (copies.size() >= MAX_COPIES || bytes + more > Math.min(maxBytes, ofNode.free()))) {
            return false;
        }
        copies.addLast(copy);
        count(more);
        if (copies.size() == 1) {
            drain();
        }
        return true;
    }

    private void drain() {
        for (Copy head = copies.peekFirst(); head != null; head = copies.peekFirst()) {
            Intercepted outcome = interception.of(head, head.message, Qos.AT_MOST_ONCE);
            if (outcome == null) {
                return;
            }
            copies.removeFirst();
            count(-head.message.heapBytes());
            sink.take(head, outcome);
        }
    }

    /** The session is over: passes all copies to the sink without asking interceptors. */
    void close() {
        for (Copy copy = copies.pollFirst(); copy != null; copy = copies.pollFirst()) {
            count(-copy.message.heapBytes());
            sink.take(copy, new Intercepted.Passed(copy.message));
        }
    }

    private void count(long change) {
        bytes += change;
        ofNode.add(change);
    }
}
