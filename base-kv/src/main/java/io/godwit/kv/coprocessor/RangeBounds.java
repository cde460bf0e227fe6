package io.godwit.kv.coprocessor;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * The interval {@code [start, end)} of a range.
 *
 * @param start inclusive; empty means from the beginning
 * @param end exclusive; null means without end
 */
@SuppressWarnings("ArrayRecordComponent")
public record RangeBounds(byte[] start, byte @Nullable [] end) {
    /** Whether the key lies in the interval; keys are ordered as unsigned bytes. */
    public boolean contains(byte[] key) {
        return Arrays.compareUnsigned(start, key) <= 0 && (end == null || Arrays.compareUnsigned(key, end) < 0);
    }
}
