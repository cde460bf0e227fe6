package io.godwit.broker.sub;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.inbox.client.InboxMessage;
import io.godwit.plugin.message.Message;
import io.godwit.plugin.message.MessageProperties;
import io.godwit.plugin.message.Qos;
import io.godwit.plugin.message.UserProperty;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.Test;

/** A SubBroker's messages are bounded at their decoded size. */
class SubQueueTest {
    private static final long HELD_BYTES = 1_000_000;

    private final SubQueue queue = new SubQueue(new SubLimits(50, 100_000, 2_000, HELD_BYTES));
    private long sequence;

    private InboxMessage message(int payloadBytes, MessageProperties properties) {
        Message message = new Message("a", new byte[payloadBytes], Qos.AT_LEAST_ONCE, false, 0, properties);
        return new InboxMessage(sequence++, 1, message, Qos.AT_LEAST_ONCE, false, false, false, new int[0]);
    }

    private InboxMessage message(int payloadBytes) {
        return message(payloadBytes, MessageProperties.NONE);
    }

    @Test
    void aBatchIsBoundedByNumber() {
        queue.ask();
        for (int i = 0; i < 60; i++) {
            queue.add(message(10));
        }
        assertThat(queue.next()).hasSize(50);
        assertThat(queue.next()).hasSize(10);
    }

    @Test
    void aBatchIsBoundedByTheDecodedSizeAndALargerMessageIsAlone() {
        List<UserProperty> many = Collections.nCopies(100, new UserProperty("k", "v"));
        MessageProperties properties = new MessageProperties(-1, -1, null, null, null, many);
        InboxMessage each = message(0, properties);
        int bytes = each.message().heapBytes();
        assertThat(bytes).as("no payload, but properties").isBetween(5_000, 20_000);
        queue.ask();
        queue.add(each);
        for (int i = 0; i < 40; i++) {
            queue.add(message(0, properties));
        }
        queue.add(message(200_000));
        int most = 100_000 / bytes;

        List<InboxMessage> first = queue.next();
        assertThat(first).hasSize(most);
        int taken = first.size();
        while (taken < 41) {
            List<InboxMessage> next = queue.next();
            assertThat(next).hasSizeBetween(1, most);
            taken += next.size();
        }
        assertThat(queue.next()).hasSize(1);
        assertThat(queue.next()).isEmpty();
    }

    @Test
    void smallMessagesAreRequestedInNumbers() {
        assertThat(queue.ask()).isEqualTo(128);
        assertThat(queue.ask()).isZero();
        for (int i = 0; i < 128; i++) {
            queue.add(message(10));
        }
        assertThat(queue.ask()).isEqualTo(128);
    }

    @Test
    void onlyAsManyLargeMessagesAreRequestedAsFit() {
        int bytes = message(200_000).message().heapBytes();
        int asked = queue.ask();
        queue.add(message(200_000));
        for (int i = 1; i < asked; i++) { // the others that were asked for are small
            queue.add(message(1));
        }
        List<InboxMessage> held = queue.next();
        queue.release(held);
        assertThat(held).hasSize(1);

        int more = queue.ask();
        assertThat(more).isPositive();
        assertThat((long) more * bytes).isLessThan(2 * HELD_BYTES);
        for (int i = 0; i < more; i++) {
            queue.add(message(200_000));
        }
        long sum = 0;
        for (List<InboxMessage> next = queue.next(); !next.isEmpty(); next = queue.next()) {
            sum += next.stream().mapToLong(each -> each.message().heapBytes()).sum();
        }
        assertThat(sum).as("what is held").isLessThan(2 * HELD_BYTES);
    }

    @Test
    void afterAFullQueueWasTakenOneIsAskedForAgain() {
        queue.ask();
        queue.add(message((int) HELD_BYTES));
        assertThat(queue.ask()).as("full").isZero();
        queue.release(queue.next());
        for (int i = 1; i < 128; i++) {
            queue.add(message(1));
        }
        assertThat(queue.ask()).isPositive();
    }
}
