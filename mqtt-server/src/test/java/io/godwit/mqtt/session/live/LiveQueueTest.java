package io.godwit.mqtt.session.live;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.mqtt.session.core.LoopCounts;
import io.godwit.mqtt.session.core.QueuedBytes;
import io.godwit.plugin.message.Message;
import io.godwit.plugin.message.MessageProperties;
import io.godwit.plugin.message.Qos;
import io.godwit.plugin.message.UserProperty;
import java.util.List;
import org.junit.jupiter.api.Test;

class LiveQueueTest {
    private static Message withProperties(int chars) {
        MessageProperties properties = new MessageProperties(
                -1, -1, null, null, null, List.of(new UserProperty("n".repeat(chars / 2), "v".repeat(chars / 2))));
        return new Message("t", new byte[0], Qos.AT_LEAST_ONCE, false, 0, properties);
    }

    private static LiveQueue.Entry entry(Message message) {
        return new LiveQueue.Entry(message, message.qos(), false, new int[0], null);
    }

    /** 48 of these, each of half a megabyte, once ended a broker: only payloads were counted. */
    @Test
    void messagesOfPropertiesAloneFillIt() {
        LiveQueue queue = queue(1_000, 1_000_000, new QueuedBytes(Long.MAX_VALUE));
        Message half = withProperties(480_000);
        queue.add(entry(half));
        assertThat(queue.isFullFor(half)).isFalse();
        queue.add(entry(half));
        assertThat(queue.isFullFor(half)).isTrue();
        queue.poll();
        assertThat(queue.isFullFor(half)).isFalse();
        queue.poll();
        assertThat(queue.isFullFor(withProperties(5_000_000)))
                .as("an empty queue accepts one message of any size")
                .isFalse();
    }

    /** Sixteen that never read could take twice a heap of 512 MB, and the node refused the messages of all. */
    @Test
    void manyThatTakeAllTheyMayLeaveRoomForOneThatNeedsLittle() {
        QueuedBytes ofNode = new QueuedBytes(10_000_000);
        Message large = withProperties(50_000);
        for (int i = 0; i < 16; i++) {
            LiveQueue greedy = queue(1_000, 64_000_000, ofNode);
            while (!greedy.isFullFor(large)) {
                greedy.add(entry(large));
            }
        }
        LiveQueue honest = queue(1_000, 64_000_000, ofNode);
        Message small = withProperties(100);
        for (int i = 0; i < 20; i++) {
            assertThat(honest.isFullFor(small)).isFalse();
            honest.add(entry(small));
        }
    }

    @Test
    void oneAloneMayHaveHalf() {
        QueuedBytes ofNode = new QueuedBytes(10_000_000);
        LiveQueue queue = queue(1_000, 64_000_000, ofNode);
        Message large = withProperties(50_000);
        while (!queue.isFullFor(large)) {
            queue.add(entry(large));
        }
        assertThat(ofNode.free()).isBetween(4_900_000L, 5_100_000L);
        assertThat(queue.isOverHalf())
                .as("publishers wait from half of the queue on")
                .isTrue();
        while (!queue.isEmpty()) {
            queue.poll();
        }
        assertThat(ofNode.free()).isEqualTo(10_000_000);
        assertThat(queue.isUnderQuarter()).isTrue();
    }

    private static LiveQueue queue(int maxMessages, long maxBytes, QueuedBytes ofNode) {
        LiveQueue queue = new LiveQueue(ofNode, new LoopCounts());
        queue.bound(maxMessages, maxBytes);
        return queue;
    }
}
