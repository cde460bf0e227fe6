package io.godwit.kv.coprocessor;

/** The write batch of an apply. Reads see the writes made before them, in this and in earlier entries of the same batch. */
public interface RangeWrites extends RangeReader {
    void put(byte[] key, byte[] value);

    void delete(byte[] key);

    /** Deletes {@code [start, end)}. */
    void deleteRange(byte[] start, byte[] end);
}
