package io.godwit.kv.coprocessor;

/**
 * The write batch of an apply. Reads see the writes made before them, in this and in earlier entries of the same batch.
 * Keys and values handed in belong to the batch: do not change them afterwards.
 */
public interface RangeWrites extends RangeReader {
    void put(byte[] key, byte[] value);

    void delete(byte[] key);

    /** Deletes {@code [start, end)}. */
    void deleteRange(byte[] start, byte[] end);
}
