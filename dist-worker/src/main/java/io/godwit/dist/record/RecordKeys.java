package io.godwit.dist.record;

import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Keys and values of records in the dist store. They sort after all routes, whose keys begin with 1, and the view of
 * members, whose key begins with 2.
 *
 * <pre>
 * key                                          value
 * size  field                                  size  field
 * 1     version, 3                             1     version, 1
 * n     kind: 1 to 16 of a-z and -             8     revision, not 0
 * 1     0x00                                   n     value of the kind's own layout
 * n     name: UTF-8, 1 to 256 bytes
 * </pre>
 */
public final class RecordKeys {
    /** First byte of mutations and keys of records. */
    static final byte VERSION = 3;

    static final int MAX_NAME_BYTES = 256;
    static final int MAX_VALUE_BYTES = 16 * 1024;
    private static final int MAX_KIND_BYTES = 16;
    private static final byte END_OF_KIND = 0;
    private static final byte VALUE_VERSION = 1;
    static final int REVISION_AT = 1;
    static final int VALUE_AT = REVISION_AT + Long.BYTES;
    private static final Pattern KIND = Pattern.compile("[a-z-]{1," + MAX_KIND_BYTES + "}");

    /** The kind and name of a key. */
    record Key(String kind, String name) {}

    private RecordKeys() {}

    /** Whether a stored key belongs to a record. */
    public static boolean isKey(byte[] key) {
        return key.length > 0 && key[0] == VERSION;
    }

    /** Fails with {@link IllegalArgumentException} when kind or name are out of their bounds. */
    static byte[] key(String kind, String name) {
        byte[] bytes = name.getBytes(StandardCharsets.UTF_8);
        if (!KIND.matcher(kind).matches()) {
            throw new IllegalArgumentException("kind must have 1 to 16 letters a to z or hyphens, was " + kind);
        }
        byte[] key = ByteBuffer.allocate(kind.length() + bytes.length + 2)
                .put(VERSION)
                .put(kind.getBytes(StandardCharsets.US_ASCII))
                .put(END_OF_KIND)
                .put(bytes)
                .array();
        if (!new Key(kind, name).equals(parse(key))) {
            throw new IllegalArgumentException(
                    "name must have 1 to " + MAX_NAME_BYTES + " bytes of UTF-8, had " + bytes.length);
        }
        return key;
    }

    /** Null when the key belongs to no record. Never throws; all nodes read the same bytes alike. */
    static @Nullable Key parse(byte[] key) {
        int end = 1;
        while (end < key.length && key[end] != END_OF_KIND) {
            end++;
        }
        int nameBytes = key.length - end - 1;
        if (!isKey(key) || end > MAX_KIND_BYTES + 1 || nameBytes < 1 || nameBytes > MAX_NAME_BYTES) {
            return null;
        }
        String kind = new String(key, 1, end - 1, StandardCharsets.ISO_8859_1);
        try {
            String name = StandardCharsets.UTF_8
                    .newDecoder()
                    .decode(ByteBuffer.wrap(key, end + 1, nameBytes))
                    .toString();
            return KIND.matcher(kind).matches() ? new Key(kind, name) : null;
        } catch (CharacterCodingException e) {
            return null; // two keys would have one name
        }
    }

    /** The stored value. */
    static byte[] stored(long revision, byte[] value) {
        return ByteBuffer.allocate(VALUE_AT + value.length)
                .put(VALUE_VERSION)
                .putLong(revision)
                .put(value)
                .array();
    }

    /** Revision of a stored value; 0 for none, or when it is too short to have one. */
    static long revision(byte @Nullable [] stored) {
        return stored == null || stored.length < VALUE_AT
                ? 0
                : ByteBuffer.wrap(stored).getLong(REVISION_AT);
    }

    /** Null when this node cannot read it. */
    static @Nullable StoredRecord read(String name, byte[] stored) {
        if (stored.length < VALUE_AT || stored[0] != VALUE_VERSION) {
            return null;
        }
        byte[] value = new byte[stored.length - VALUE_AT];
        System.arraycopy(stored, VALUE_AT, value, 0, value.length);
        return new StoredRecord(name, revision(stored), value);
    }
}
