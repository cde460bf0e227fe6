package io.godwit.kv.coprocessor;

/** Walks entries in key order. Not positioned until a {@code seek}. */
public interface RangeCursor extends AutoCloseable {
    /** Moves to the first entry. */
    void seekToFirst();

    /** Moves to the first entry at or after {@code key}. */
    void seek(byte[] key);

    /** Moves to the last entry of the interval. */
    void seekToLast();

    boolean isValid();

    void next();

    /** The current key; call only while valid. */
    byte[] key();

    /** The current value; call only while valid. */
    byte[] value();

    @Override
    void close();
}
