package io.godwit.dist.record;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.godwit.dist.record.RecordMutation.Outcome;
import io.godwit.dist.record.RecordMutation.Reply;
import io.godwit.kv.coprocessor.RangeBounds;
import io.godwit.kv.coprocessor.RangeCursor;
import io.godwit.kv.coprocessor.RangeWrites;
import io.godwit.kv.testing.CountingReader;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** How a range handles good and bad mutations. */
class RecordMutationTest {
    private static final RangeBounds ALL = new RangeBounds(new byte[0], null);
    private static final byte[] KEY = RecordKeys.key("ban", "x");

    private final Writes writes = new Writes();
    private final RecordIndex index = new RecordIndex();

    private Reply apply(byte[] mutation) {
        return apply(ALL, mutation);
    }

    private Reply apply(RangeBounds bounds, byte[] mutation) {
        List<Runnable> effects = new ArrayList<>();
        byte[] reply = RecordMutation.apply(bounds, writes, mutation, effects::add, key -> true, index);
        StoredRecord before = index.get("ban", "x");
        assertThat(index.get("ban", "x"))
                .as("the index does not change before the commit")
                .isSameAs(before);
        effects.forEach(Runnable::run);
        return RecordMutation.decodeReply("x", reply);
    }

    private static byte[] value(String text) {
        return text.getBytes(UTF_8);
    }

    private String stored() {
        StoredRecord record = index.get("ban", "x");
        byte[] raw = writes.get(KEY);
        assertThat(raw == null).isEqualTo(record == null);
        return record == null ? "none" : new String(record.value(), UTF_8);
    }

    @Test
    void aValueReplacesTheRevisionItWasMadeFor() {
        assertThat(apply(RecordMutation.put(KEY, 0L, 5, value("a"))).outcome()).isEqualTo(Outcome.APPLIED);
        Reply late = apply(RecordMutation.put(KEY, 0L, 6, value("b")));
        assertThat(late.outcome()).isEqualTo(Outcome.OTHER_REVISION);
        assertThat(late.present()).isNotNull();
        assertThat(late.present().revision()).isEqualTo(5);
        assertThat(stored()).isEqualTo("a");
        assertThat(apply(RecordMutation.put(KEY, 5L, 7, value("c"))).outcome()).isEqualTo(Outcome.APPLIED);
        assertThat(apply(RecordMutation.delete(KEY, 5L)).outcome()).isEqualTo(Outcome.OTHER_REVISION);
        assertThat(stored()).isEqualTo("c");
        assertThat(apply(RecordMutation.delete(KEY, 7L)).outcome()).isEqualTo(Outcome.APPLIED);
        assertThat(stored()).isEqualTo("none");
        assertThat(apply(RecordMutation.put(KEY, null, 8, value("d"))).outcome())
                .as("a put without an expected revision always succeeds")
                .isEqualTo(Outcome.APPLIED);
        assertThat(apply(RecordMutation.delete(KEY, null)).outcome()).isEqualTo(Outcome.APPLIED);
    }

    @Test
    void aMutationThatComesTwiceIsCarriedOutOnce() {
        byte[] put = RecordMutation.put(KEY, 0L, 5, value("a"));
        apply(put);
        assertThat(apply(put).outcome()).isEqualTo(Outcome.APPLIED);
        apply(RecordMutation.put(KEY, 5L, 6, value("b")));
        assertThat(apply(put).outcome()).as("a repeat after a later change").isEqualTo(Outcome.OTHER_REVISION);
        assertThat(stored()).isEqualTo("b");
        byte[] delete = RecordMutation.delete(KEY, 6L);
        apply(delete);
        apply(RecordMutation.put(KEY, 0L, 7, value("c")));
        assertThat(apply(delete).outcome())
                .as("a repeat after the record was created again")
                .isEqualTo(Outcome.OTHER_REVISION);
        assertThat(stored()).isEqualTo("c");
    }

    @Test
    void aKeyOfAnotherRangeIsLeftToIt() {
        RangeBounds left = new RangeBounds(new byte[0], KEY);
        Reply reply = apply(left, RecordMutation.put(KEY, 0L, 5, value("a")));
        assertThat(reply.outcome()).isEqualTo(Outcome.ELSEWHERE);
        assertThat(reply.present()).isNull();
        assertThat(stored()).isEqualTo("none");
    }

    /** For any bytes: no exception, which would stop the range, and only records are written. */
    @Test
    void nothingThatIsProposedStopsARange() {
        byte[] good = RecordMutation.put(KEY, 0L, 5, value("value"));
        for (int length = 1; length < good.length - "value".length(); length++) {
            assertThat(apply(Arrays.copyOf(good, length)).outcome()).isEqualTo(Outcome.REFUSED);
        }
        Random random = new Random(7);
        for (int i = 0; i < 20_000; i++) {
            byte[] bad = good.clone();
            for (int changes = random.nextInt(4); changes >= 0; changes--) {
                bad[1 + random.nextInt(bad.length - 1)] = (byte) random.nextInt(256);
            }
            apply(bad);
        }
        writes.content
                .content()
                .keySet()
                .forEach(key -> assertThat(RecordKeys.parse(key)).isNotNull());
    }

    @Test
    void whatIsOutOfBoundsIsRefused() {
        byte[] tooLarge = new byte[RecordKeys.MAX_VALUE_BYTES + 1];
        assertThat(apply(RecordMutation.put(KEY, 0L, 5, tooLarge)).outcome()).isEqualTo(Outcome.REFUSED);
        assertThat(apply(RecordMutation.put(KEY, 0L, 0, value("a"))).outcome()).isEqualTo(Outcome.REFUSED);
        byte[] badName = KEY.clone();
        badName[badName.length - 1] = (byte) 0xFF;
        assertThat(apply(RecordMutation.put(badName, 0L, 5, value("a"))).outcome())
                .isEqualTo(Outcome.REFUSED);
        byte[] route = {1, 'd', 0, 'x'};
        assertThat(apply(RecordMutation.put(route, 0L, 5, value("a"))).outcome())
                .isEqualTo(Outcome.REFUSED);
        assertThatThrownBy(() -> RecordKeys.key("Ban", "x")).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> RecordKeys.key("ban", "")).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> RecordKeys.key("ban", "x".repeat(257))).isInstanceOf(IllegalArgumentException.class);
        assertThat(RecordKeys.parse(RecordKeys.key("ban", "\u00e9\0z")))
                .isEqualTo(new RecordKeys.Key("ban", "\u00e9\0z"));
    }

    /** A range whose writes are visible at once. */
    private static final class Writes implements RangeWrites {
        private final CountingReader content = new CountingReader();

        @Override
        public void put(byte[] key, byte[] value) {
            content.content().put(key, value);
        }

        @Override
        public void delete(byte[] key) {
            content.content().remove(key);
        }

        @Override
        public void deleteRange(byte[] start, byte[] end) {
            throw new UnsupportedOperationException();
        }

        @Override
        public byte @Nullable [] get(byte[] key) {
            return content.get(key);
        }

        @Override
        public RangeCursor cursor(byte @Nullable [] start, byte @Nullable [] end) {
            throw new UnsupportedOperationException();
        }
    }
}
