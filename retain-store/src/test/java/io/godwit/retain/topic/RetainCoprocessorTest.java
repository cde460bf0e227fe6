package io.godwit.retain.topic;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.kv.coprocessor.RangeBounds;
import io.godwit.kv.coprocessor.RangeCursor;
import io.godwit.kv.coprocessor.RangeReader;
import io.godwit.plugin.client.TenantId;
import io.godwit.plugin.message.Message;
import io.godwit.plugin.message.MessageProperties;
import io.godwit.plugin.message.Qos;
import io.godwit.plugin.topic.TopicFilter;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/**
 * What becomes of the index of a range that is cut or joined with another: nothing is applied meanwhile, so little is
 * read.
 */
class RetainCoprocessorTest {
    private static final RangeBounds ALL = new RangeBounds(new byte[0], null);

    private final SimpleMeterRegistry meters = new SimpleMeterRegistry();
    private final RetainCoprocessor range = new RetainCoprocessor(new RetainCounters(meters));
    private final Stored stored = new Stored();

    @Test
    void aCutReadsNothingAndForgetsWhatIsCutOff() {
        put(1_000);
        range.open(ALL, stored);
        assertThat(counted("godwit.retain.messages")).isEqualTo(1_000);
        stored.reads = 0;

        RangeBounds left = new RangeBounds(new byte[0], key(300));
        range.boundsChanged(ALL, left, stored);

        assertThat(stored.reads).isZero();
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
        stored.reads = 0;

        range.boundsChanged(left, ALL, stored);

        assertThat(stored.reads).as("messages and marks").isEqualTo(2 * 100);
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
            stored.content.put(key(i), RetainKeys.value(message));
            stored.content.put(RetainKeys.mark(key(i), "origin", i), RetainKeys.markValue(1_000 + i));
        }
    }

    private static byte[] key(int number) {
        return RetainKeys.key(TenantId.DEFAULT, String.format("t/%04d", number));
    }

    /** The entries of a range; counts those that are read. */
    private static final class Stored implements RangeReader {
        final NavigableMap<byte[], byte[]> content = new TreeMap<>(Arrays::compareUnsigned);
        int reads;

        @Override
        public byte @Nullable [] get(byte[] key) {
            reads++;
            return content.get(key);
        }

        @Override
        public RangeCursor cursor(byte[] start, byte @Nullable [] end) {
            NavigableMap<byte[], byte[]> part =
                    end == null ? content.tailMap(start, true) : content.subMap(start, true, end, false);
            return new RangeCursor() {
                private Map.@Nullable Entry<byte[], byte[]> at;

                @Override
                public void seekToFirst() {
                    at = part.firstEntry();
                }

                @Override
                public void seek(byte[] key) {
                    at = part.ceilingEntry(key);
                }

                @Override
                public void seekToLast() {
                    at = part.lastEntry();
                }

                @Override
                public boolean isValid() {
                    return at != null;
                }

                @Override
                public void next() {
                    at = part.higherEntry(here().getKey());
                }

                @Override
                public byte[] key() {
                    return here().getKey();
                }

                @Override
                public byte[] value() {
                    reads++;
                    return here().getValue();
                }

                private Map.Entry<byte[], byte[]> here() {
                    if (at == null) {
                        throw new IllegalStateException("at the end");
                    }
                    return at;
                }

                @Override
                public void close() {}
            };
        }
    }
}
