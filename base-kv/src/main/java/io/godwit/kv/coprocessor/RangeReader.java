package io.godwit.kv.coprocessor;

import org.jspecify.annotations.Nullable;

/**
 * Reads of one range. Keys are ordered as unsigned bytes. Confined to the thread it was handed to, for the time of that
 * call.
 */
public interface RangeReader {
    /** The value at {@code key}, or null. */
    byte @Nullable [] get(byte[] key);

    /**
     * A cursor over {@code [start, end)}, not yet positioned; {@code end} null means to the end of the range. Close it.
     */
    RangeCursor cursor(byte[] start, byte @Nullable [] end);
}
