package io.godwit.retain.topic;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.kv.coprocessor.RangeBounds;
import io.godwit.kv.testing.CountingReader;
import io.godwit.plugin.client.TenantId;
import io.godwit.plugin.event.EventListener;
import io.godwit.plugin.message.Message;
import io.godwit.plugin.message.MessageProperties;
import io.godwit.plugin.message.Qos;
import io.godwit.plugin.topic.TopicFilter;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The index of a range after a split and a merge. Nothing is applied meanwhile, so little may be read. */
class RetainCoprocessorTest {
    private static final RangeBounds ALL = new RangeBounds(new byte[0], null);

    private final SimpleMeterRegistry meters = new SimpleMeterRegistry();
    private final RetainCoprocessor range = new RetainCoprocessor(new RetainCounters(meters), EventListener.NONE);
    private final CountingReader stored = new CountingReader();

    @Test
    void aCutReadsNothingAndForgetsWhatIsCutOff() {
        put(1_000);
        range.open(ALL, stored);
        assertThat(counted("godwit.retain.messages")).isEqualTo(1_000);
        stored.forgetReads();

        RangeBounds left = new RangeBounds(new byte[0], key(300));
        range.boundsChanged(ALL, left, stored);

        assertThat(stored.reads()).isZero();
        assertThat(counted("godwit.retain.messages")).isEqualTo(300);
        assertThat(counted("godwit.retain.payload.bytes")).isEqualTo(300 * 10);
        assertThat(counted("godwit.retain.tokens")).isEqualTo(300);
        assertThat(found()).isEqualTo(300);
    }

    @Test
    void aMergeReadsWhatWasAddedAlone() {
        put(1_000);
        RangeBounds left = new RangeBounds(new byte[0], key(900));
        range.open(left, stored);
        stored.forgetReads();

        range.boundsChanged(left, ALL, stored);

        assertThat(stored.reads()).as("reads of messages and marks").isEqualTo(2 * 100);
        assertThat(counted("godwit.retain.messages")).isEqualTo(1_000);
        assertThat(counted("godwit.retain.tokens")).isEqualTo(1_000);
        assertThat(found()).isEqualTo(1_000);
        range.close();
        assertThat(counted("godwit.retain.messages")).isZero();
        assertThat(counted("godwit.retain.tokens")).isZero();
    }

    private double counted(String gauge) {
        return meters.get(gauge).gauge().value();
    }

    private int found() {
        byte[] query =
                new RetainQuery(TenantId.DEFAULT, new TopicFilter(null, "#"), new byte[0], 0, 5_000, 1 << 30).encode();
        List<Message> messages =
                RetainQuery.Answer.decode(range.query(stored, query)).messages();
        return messages.size();
    }

    private void put(int messages) {
        for (int i = 0; i < messages; i++) {
            Message message = new Message(
                    String.format("t/%04d", i), new byte[10], Qos.AT_LEAST_ONCE, true, 0, MessageProperties.NONE);
            stored.content().put(key(i), RetainKeys.value(message));
            stored.content().put(RetainKeys.mark(key(i), "origin", i), RetainKeys.markValue(1_000 + i));
        }
    }

    private static byte[] key(int number) {
        return RetainKeys.key(TenantId.DEFAULT, String.format("t/%04d", number));
    }
}
