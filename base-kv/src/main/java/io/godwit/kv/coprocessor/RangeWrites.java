package io.godwit.kv.coprocessor;

/**
 * The write batch of an apply. Reads see earlier writes of the same entry and of earlier entries in the batch. Keys and
 * values passed in belong to the batch: do not change them afterwards.
 */
public interface RangeWrites extends RangeReader {
    void put(byte[] key, byte[] value);

    void delete(byte[] key);

    /** Deletes {@code [start, end)}. */
    void deleteRange(byte[] start, byte[] end);
}
