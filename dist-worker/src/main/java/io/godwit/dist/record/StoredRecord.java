package io.godwit.dist.record;

/**
 * A record as it is stored.
 *
 * @param revision that no other value of this record has had; not 0
 * @param value of the kind's own layout; not to be changed
 */
@SuppressWarnings("ArrayRecordComponent") // handed on, never compared
public record StoredRecord(String name, long revision, byte[] value) {}
