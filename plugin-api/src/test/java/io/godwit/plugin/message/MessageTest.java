package io.godwit.plugin.message;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.Test;

class MessageTest {
    private static Message message(int payloadBytes, MessageProperties properties) {
        return new Message("a/b", new byte[payloadBytes], Qos.AT_LEAST_ONCE, false, 0, properties);
    }

    private static MessageProperties with(List<UserProperty> properties) {
        return new MessageProperties(-1, -1, null, null, null, properties);
    }

    @Test
    void payloadAndTopicAreCounted() {
        int empty = message(0, MessageProperties.NONE).heapBytes();
        assertThat(empty).isBetween(100, 200);
        assertThat(message(1_000, MessageProperties.NONE).heapBytes()).isEqualTo(empty + 1_000);
    }

    /** Seven bytes in the packet, two strings on the heap. */
    @Test
    void aSmallUserPropertyCountsForWhatItBecomes() {
        MessageProperties many = with(Collections.nCopies(1_000, new UserProperty("n", "v")));
        assertThat(message(0, many).heapBytes()).isBetween(130_000, 140_000);
    }

    @Test
    void longTextsAndCorrelationDataAreCounted() {
        MessageProperties long1 = with(List.of(new UserProperty("n".repeat(30_000), "v".repeat(40_000))));
        assertThat(message(0, long1).heapBytes()).isBetween(70_000, 71_000);
        MessageProperties data =
                new MessageProperties(-1, -1, "t".repeat(1_000), "r".repeat(2_000), new byte[3_000], List.of());
        assertThat(message(0, data).heapBytes()).isBetween(6_000, 7_000);
    }
}
