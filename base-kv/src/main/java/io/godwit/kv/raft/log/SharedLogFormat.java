package io.godwit.kv.raft.log;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;

/**
 * The records of the shared log and their keys. All numbers are big-endian, so that RocksDB's byte order is the order
 * of the indexes.
 *
 * <pre>
 * key                                       payload
 * 0                                         layout (1 byte), the number of this table: 1
 * 1 | group id (UTF-8)                      group number (4)
 * 2 | group id (UTF-8)                      descriptor of a group that lives on this node (its owner's bytes)
 * 3 | name (UTF-8)                          a fact about the node (its owner's bytes)
 * 4 | group number (4)                      term (8) | voted for (UTF-8, "ip:port[:index]")
 * 5 | group number (4)                      first index (8); absent: 1
 * 6 | group number (4) | log index (8)      a log entry, as JRaft's version 2 codec writes it
 *
 * value
 * 0   4  CRC-32C of the key followed by the value from byte 4
 * 4   1  version of the value, 1
 * 5   n  payload
 * </pre>
 *
 * <p>The checksum covers the key too, so that a value under a wrong key is detected.
 */
public final class SharedLogFormat {
    static final byte LAYOUT = 1;

    static final byte KIND_LAYOUT = 0;
    static final byte KIND_GROUP = 1;
    static final byte KIND_DESCRIPTOR = 2;
    static final byte KIND_NODE_RECORD = 3;
    static final byte KIND_VOTE = 4;
    static final byte KIND_FIRST_INDEX = 5;
    static final byte KIND_ENTRY = 6;

    /** Bytes of a value before its payload. */
    static final int HEADER_BYTES = 5;

    static final byte VERSION = 1;

    private static final int ENTRY_KEY_BYTES = 13;

    private SharedLogFormat() {}

    static byte[] layoutKey() {
        return new byte[] {KIND_LAYOUT};
    }

    static byte[] namedKey(byte kind, String name) {
        byte[] utf8 = name.getBytes(StandardCharsets.UTF_8);
        byte[] key = new byte[1 + utf8.length];
        key[0] = kind;
        System.arraycopy(utf8, 0, key, 1, utf8.length);
        return key;
    }

    static String nameIn(byte[] key) {
        return new String(key, 1, key.length - 1, StandardCharsets.UTF_8);
    }

    static byte[] groupKey(byte kind, int group) {
        return ByteBuffer.allocate(5).put(kind).putInt(group).array();
    }

    static byte[] entryKey(int group, long index) {
        return ByteBuffer.allocate(ENTRY_KEY_BYTES)
                .put(KIND_ENTRY)
                .putInt(group)
                .putLong(index)
                .array();
    }

    /** The group number in a key of kind 4, 5 or 6; -1 if the key is too short. */
    static int groupIn(byte[] key) {
        return key.length < 5 ? -1 : ByteBuffer.wrap(key).getInt(1);
    }

    /** The index in the key of an entry; -1 if the key has another kind. */
    static long indexIn(byte[] key) {
        return key.length == ENTRY_KEY_BYTES && key[0] == KIND_ENTRY
                ? ByteBuffer.wrap(key).getLong(5)
                : -1;
    }

    /** Puts version and checksum before {@code payload}. */
    static byte[] seal(byte[] key, byte[] payload) {
        byte[] value = new byte[HEADER_BYTES + payload.length];
        value[4] = VERSION;
        System.arraycopy(payload, 0, value, HEADER_BYTES, payload.length);
        ByteBuffer.wrap(value).putInt(0, checksum(key, value));
        return value;
    }

    /** The version of {@code value} if its checksum is right and a newer release has written it, otherwise 0. */
    static int newerVersion(byte[] key, byte[] value) {
        boolean isNewer = value.length >= HEADER_BYTES
                && Byte.toUnsignedInt(value[4]) > VERSION
                && ByteBuffer.wrap(value).getInt(0) == checksum(key, value);
        return isNewer ? Byte.toUnsignedInt(value[4]) : 0;
    }

    /** The payload of {@code value}; null if the checksum or the version is wrong. */
    static byte @Nullable [] open(byte[] key, byte[] value) {
        if (value.length < HEADER_BYTES
                || value[4] != VERSION
                || ByteBuffer.wrap(value).getInt(0) != checksum(key, value)) {
            return null;
        }
        return Arrays.copyOfRange(value, HEADER_BYTES, value.length);
    }

    private static int checksum(byte[] key, byte[] value) {
        CRC32C crc = new CRC32C();
        crc.update(key, 0, key.length);
        crc.update(value, 4, value.length - 4);
        return (int) crc.getValue();
    }
}
