package io.godwit.kv.coprocessor;

import io.godwit.plugin.balance.Key;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * The interval {@code [start, end)} of a range.
 *
 * @param start inclusive; empty means the lowest key
 * @param end exclusive; null means no end
 */
@SuppressWarnings("ArrayRecordComponent")
public record RangeBounds(byte[] start, byte @Nullable [] end) {
    /**
     * The keys of this interval that are not in {@code before}, which begins at the same key; null if there are none.
     */
    public @Nullable RangeBounds addedTo(RangeBounds before) {
        byte[] from = before.end;
        return from == null || end != null && Arrays.compareUnsigned(end, from) <= 0
                ? null
                : new RangeBounds(from, end);
    }

    /** Whether the two intervals have a key in common. */
    public boolean overlaps(RangeBounds other) {
        return (end == null || Arrays.compareUnsigned(other.start, end) < 0)
                && (other.end == null || Arrays.compareUnsigned(start, other.end) < 0);
    }

    /** Whether this interval contains all keys of {@code other}. */
    public boolean covers(RangeBounds other) {
        return Arrays.compareUnsigned(start, other.start) <= 0
                && (end == null || other.end != null && Arrays.compareUnsigned(other.end, end) <= 0);
    }

    /** Whether the key lies in the interval; keys are ordered as unsigned bytes. */
    public boolean contains(byte[] key) {
        return Arrays.compareUnsigned(start, key) <= 0 && (end == null || Arrays.compareUnsigned(key, end) < 0);
    }

    @Override
    public String toString() {
        return "[" + (start.length == 0 ? "first" : Key.of(start)) + ", " + (end == null ? "end" : Key.of(end)) + ")";
    }
}
