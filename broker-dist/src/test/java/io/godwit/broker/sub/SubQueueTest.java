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

    /** Takes all that waits, and returns its heap bytes. */
    private long takeAll() {
        long bytes = 0;
        for (List<InboxMessage> next = queue.next(); !next.isEmpty(); next = queue.next()) {
            bytes += next.stream().mapToLong(each -> each.message().heapBytes()).sum();
            queue.release(next);
        }
        return bytes;
    }

    /** The first request is for as many as there may be; the last of these messages is large. */
    private void aLargeMessageArrives(int payloadBytes) {
        int asked = queue.ask();
        for (int i = 1; i < asked; i++) {
            queue.add(message(1));
        }
        queue.add(message(payloadBytes));
        takeAll();
    }

    @Test
    void onlyAsManyLargeMessagesAreRequestedAsFit() {
        int bytes = message(200_000).message().heapBytes();
        aLargeMessageArrives(200_000);

        int more = queue.ask();
        assertThat(more).isPositive();
        assertThat((long) more * bytes).isLessThanOrEqualTo(HELD_BYTES);
        for (int i = 0; i < more; i++) {
            queue.add(message(200_000));
        }
        assertThat(queue.ask()).as("the rest of the room").isLessThanOrEqualTo(1);
        assertThat(takeAll()).as("what was held").isLessThanOrEqualTo(HELD_BYTES);
    }

    @Test
    void someDozenSmallMessagesAfterALargeOneAreEnoughToRequestNumbersAgain() {
        aLargeMessageArrives((int) HELD_BYTES);

        int messages = 0;
        int requests = 1;
        int more = queue.ask();
        assertThat(more).as("another one may be as large").isOne();
        while (more < 128) {
            assertThat(messages).isLessThan(60);
            for (int i = 0; i < more; i++) {
                queue.add(message(10));
            }
            messages += more;
            takeAll();
            more = queue.ask();
            requests++;
        }
        assertThat(requests).isLessThan(30);
    }

    @Test
    void eachLargeMessageLimitsTheNextRequest() {
        for (int round = 0; round < 3; round++) {
            aLargeMessageArrives((int) HELD_BYTES);
            int more = queue.ask();
            assertThat(more).as("after large message %d", round).isOne();
            for (int i = 0; i < 60; i++) {
                for (int each = 0; each < more; each++) {
                    queue.add(message(10));
                }
                takeAll();
                more = queue.ask();
            }
            for (int each = 0; each < more; each++) {
                queue.add(message(10));
            }
            takeAll();
        }
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
