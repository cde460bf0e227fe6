package io.godwit.kv.range.data;

import io.godwit.common.bytes.Varint;
import java.util.Arrays;

/**
 * Builds the serialized form of a RocksDB write batch, so that native code is called once per batch and not once per
 * write. RocksDB keeps this form compatible: sequence (8 bytes), number of records (4 bytes, little-endian), then
 * records of a type byte and length-prefixed strings. Every user key is stored with {@link #USER_PREFIX} before it.
 */
final class BatchBytes {
    static final byte SYSTEM_PREFIX = 0;
    static final byte USER_PREFIX = 1;

    private static final byte DELETION = 0x0;
    private static final byte VALUE = 0x1;
    private static final byte RANGE_DELETION = 0xF;
    private static final int HEADER = 12;
    private static final int KEPT_CAPACITY = 1 << 20;

    private byte[] bytes = new byte[4096];
    private int end = HEADER;
    private int count;

    void put(byte[] key, byte[] value) {
        begin(VALUE, key.length + value.length);
        userKey(key);
        string(value);
    }

    void putSystem(byte[] key, byte[] value) {
        begin(VALUE, key.length + value.length);
        string(key);
        string(value);
    }

    void delete(byte[] key) {
        begin(DELETION, key.length);
        userKey(key);
    }

    void deleteRange(byte[] start, byte[] end) {
        begin(RANGE_DELETION, start.length + end.length);
        userKey(start);
        userKey(end);
    }

    /** Deletes all user keys from {@code start} on. */
    void deleteToEnd(byte[] start) {
        begin(RANGE_DELETION, start.length + 1);
        userKey(start);
        end = Varint.write(bytes, end, 1);
        bytes[end++] = USER_PREFIX + 1;
    }

    int size() {
        return end;
    }

    boolean isEmpty() {
        return count == 0;
    }

    byte[] toByteArray() {
        for (int i = 0; i < 4; i++) {
            bytes[8 + i] = (byte) (count >>> (8 * i));
        }
        return Arrays.copyOf(bytes, end);
    }

    void clear() {
        if (bytes.length > KEPT_CAPACITY) {
            bytes = new byte[4096]; // a huge message must not keep its buffer forever
        }
        end = HEADER;
        count = 0;
    }

    private void begin(byte type, int payload) {
        long needed = (long) end + payload + 16;
        if (needed > Integer.MAX_VALUE - 16) {
            throw new IllegalStateException("write batch beyond " + Integer.MAX_VALUE + " bytes");
        }
        if (needed > bytes.length) {
            bytes = Arrays.copyOf(bytes, (int) Math.min(Integer.MAX_VALUE - 16, Math.max(needed, 2L * bytes.length)));
        }
        bytes[end++] = type;
        count++;
    }

    private void userKey(byte[] key) {
        end = Varint.write(bytes, end, key.length + 1);
        bytes[end++] = USER_PREFIX;
        System.arraycopy(key, 0, bytes, end, key.length);
        end += key.length;
    }

    private void string(byte[] value) {
        end = Varint.write(bytes, end, value.length);
        System.arraycopy(value, 0, bytes, end, value.length);
        end += value.length;
    }
}
