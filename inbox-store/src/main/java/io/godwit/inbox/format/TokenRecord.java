package io.godwit.inbox.format;

import org.jspecify.annotations.Nullable;

/**
 * A TOKEN key and its value: a delivery token that an inbox has seen.
 *
 * <pre>
 * key:    1 TOKEN, 8 number, the source: origin in UTF-8, and for a shared subscription a zero byte and its filter;
 *         an origin has no zero
 * value:  1 version, 1; varint wall clock milliseconds when stored
 * </pre>
 */
public final class TokenRecord {
    private static final int VERSION = 1;

    private TokenRecord() {}

    /**
     * The source of copies that only their number distinguishes. One message may reach an inbox several times under one
     * token: once for its plain subscriptions and once for each shared subscription that chose it (MQTT 5.0, 4.8.2).
     * Those are different copies, so the source is the token's origin with the shared subscription.
     *
     * @param sharedFilter null for plain subscriptions
     */
    public static String source(String origin, @Nullable String sharedFilter) {
        return sharedFilter == null ? origin : origin + '\0' + sharedFilter;
    }

    static byte[] encodeStoredAt(long millis) {
        ByteWriter out = new ByteWriter(8);
        out.u8(VERSION);
        out.varint(millis);
        return out.toBytes();
    }

    public static long decodeStoredAt(byte[] value) {
        ByteReader in = new ByteReader(value);
        in.version(VERSION, "token");
        return in.varint();
    }
}
