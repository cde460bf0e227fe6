package io.godwit.dist.record;

/**
 * A stored record.
 *
 * @param revision unique among all values of this record; not 0
 * @param value in the layout of its kind; must not be modified
 */
@SuppressWarnings("ArrayRecordComponent") // handed on, never compared
public record StoredRecord(String name, long revision, byte[] value) {}
