package io.godwit.kv.coprocessor;

import org.jspecify.annotations.Nullable;

/**
 * Reads of one range. Keys are ordered as unsigned bytes. May be used only on the thread it was passed to, during that
 * call.
 */
public interface RangeReader {
    /** The value at {@code key}, or null. */
    byte @Nullable [] get(byte[] key);

    /**
     * A cursor over {@code [start, end)}, not yet positioned; {@code end} null means the end of the range. The caller
     * closes it.
     */
    RangeCursor cursor(byte[] start, byte @Nullable [] end);
}
