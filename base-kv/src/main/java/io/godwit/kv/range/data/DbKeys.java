package io.godwit.kv.range.data;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/** The stored form of user keys: a leading byte separates them from the range's own keys. */
final class DbKeys {
    private static final byte[] BEHIND_LAST = {BatchBytes.USER_PREFIX + 1};

    private DbKeys() {}

    static byte[] stored(byte[] key) {
        byte[] stored = new byte[key.length + 1];
        stored[0] = BatchBytes.USER_PREFIX;
        System.arraycopy(key, 0, stored, 1, key.length);
        return stored;
    }

    static byte[] storedEnd(byte @Nullable [] end) {
        return end == null ? BEHIND_LAST.clone() : stored(end);
    }

    static byte[] user(byte[] stored) {
        return Arrays.copyOfRange(stored, 1, stored.length);
    }
}
