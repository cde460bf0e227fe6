package io.godwit.retain.topic;

import io.godwit.plugin.client.TenantId;
import io.godwit.plugin.message.Message;
import io.godwit.plugin.message.MessageCodec;
import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Arrays;

/**
 * Keys and values of the retain store.
 *
 * <pre>
 * key
 * size  field
 * 1     version, 1
 * n     tenant, ASCII
 * 1     0x00
 * n     topic: levels in UTF-8 with 0x01 between them; within a level U+0001 is 0x02 0x03 and U+0002 is 0x02 0x04
 *
 * value
 * 1     version, 1
 * 8     when it expires, milliseconds since the epoch, big-endian; {@link #NEVER} without an expiry
 * n     message, see MessageCodec
 *
 * mark of a delivery token: key, and its value
 * n     key of the topic
 * 1     0x00, which no topic has
 * 32    SHA-256 of the token's origin in UTF-8
 * 8     the token's number, big-endian
 *
 * 1     version, 1
 * 8     when it may be forgotten at the latest, milliseconds since the epoch
 * </pre>
 *
 * The separator byte occurs nowhere else in a topic and sorts before every byte of a level. So the topics at and below
 * a level are neighbours, and a wildcard is walked in key order: within a range, over ranges, and from one page to the
 * next. A mark sorts directly behind its topic, before the topics below it, and stays in one range with it.
 */
public final class RetainKeys {
    /** Stands for "no expiry". */
    static final long NEVER = Long.MAX_VALUE;

    static final byte SEPARATOR = 1;
    /**
     * Appended to a level, gives a key above everything below that level, but not above longer level names with the
     * same beginning.
     */
    static final byte AFTER_SEPARATOR = 2;

    private static final byte VERSION = 1;
    private static final byte ESCAPE = 2;
    private static final int VALUE_HEADER_BYTES = 1 + Long.BYTES;
    private static final int ORIGIN_BYTES = 32;
    private static final int MARK_SUFFIX_BYTES = 1 + ORIGIN_BYTES + Long.BYTES;

    private RetainKeys() {}

    /** The prefix of every key of {@code tenant}, and of no other key. */
    static byte[] tenantPrefix(TenantId tenant) {
        byte[] name = tenant.value().getBytes(StandardCharsets.US_ASCII);
        return ByteBuffer.allocate(name.length + 2)
                .put(VERSION)
                .put(name)
                .put((byte) 0)
                .array();
    }

    /** The name of the tenant of a key. */
    static String tenantOf(byte[] key) {
        int end = 1;
        while (key[end] != 0) {
            end++;
        }
        return new String(key, 1, end - 1, StandardCharsets.US_ASCII);
    }

    /** The topic of the key of a message. */
    static String topicOf(byte[] key) {
        int at = 1;
        while (key[at] != 0) {
            at++;
        }
        ByteArrayOutputStream text = new ByteArrayOutputStream(key.length - at);
        boolean isEscaped = false;
        for (byte b : Arrays.copyOfRange(key, at + 1, key.length)) {
            if (isEscaped) {
                text.write(b - 2);
                isEscaped = false;
            } else if (b == ESCAPE) {
                isEscaped = true;
            } else {
                text.write(b == SEPARATOR ? '/' : b);
            }
        }
        return text.toString(StandardCharsets.UTF_8);
    }

    public static byte[] key(TenantId tenant, String topic) {
        return concat(tenantPrefix(tenant), encode(topic));
    }

    /** The key of the mark of a delivery token at the topic of {@code key}. */
    static byte[] mark(byte[] key, String origin, long number) {
        return ByteBuffer.allocate(key.length + MARK_SUFFIX_BYTES)
                .put(key)
                .put((byte) 0)
                .put(sha256(origin))
                .putLong(number)
                .array();
    }

    static byte[] markValue(long forgetAtMillis) {
        return ByteBuffer.allocate(VALUE_HEADER_BYTES)
                .put(VERSION)
                .putLong(forgetAtMillis)
                .array();
    }

    static boolean isMark(byte[] key) {
        int suffix = key.length - MARK_SUFFIX_BYTES;
        if (suffix <= 0 || key[suffix] != 0) {
            return false;
        }
        int tenantEnd = 1;
        while (key[tenantEnd] != 0) {
            tenantEnd++;
        }
        return tenantEnd < suffix; // otherwise the zero byte found is the one behind the tenant
    }

    /** The key of the topic that {@code key}, the key of a message or of a mark, belongs to. */
    static byte[] topicKey(byte[] key) {
        return isMark(key) ? Arrays.copyOf(key, key.length - MARK_SUFFIX_BYTES) : key;
    }

    private static byte[] sha256(String text) {
        try {
            return MessageDigest.getInstance("SHA-256").digest(text.getBytes(StandardCharsets.UTF_8));
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every Java platform has SHA-256", e);
        }
    }

    /** Encodes a topic, or one level of it, as it stands in a key. */
    static byte[] encode(String topic) {
        byte[] text = topic.getBytes(StandardCharsets.UTF_8);
        ByteArrayOutputStream encoded = new ByteArrayOutputStream(text.length + 4);
        for (byte b : text) {
            if (b == '/') {
                encoded.write(SEPARATOR);
            } else {
                boolean escaped = b == SEPARATOR || b == ESCAPE;
                if (escaped) {
                    encoded.write(ESCAPE);
                }
                encoded.write(escaped ? b + 2 : b);
            }
        }
        return encoded.toByteArray();
    }

    static byte[] value(Message message) {
        long seconds = message.properties().messageExpirySeconds();
        long expiresAtMillis = seconds < 0 ? NEVER : message.receivedAtMillis() + seconds * 1000;
        ByteBuffer value = ByteBuffer.allocate(VALUE_HEADER_BYTES + MessageCodec.encodedSize(message));
        value.put(VERSION).putLong(expiresAtMillis);
        MessageCodec.writeTo(value, message);
        return value.array();
    }

    /**
     * When the message of {@code value} expires. Throws {@link IllegalArgumentException} if {@code value} has another
     * layout.
     */
    static long expiresAtMillis(byte[] value) {
        if (value.length < VALUE_HEADER_BYTES || value[0] != VERSION) {
            throw new IllegalArgumentException("retained value version must be 1, was "
                    + (value.length == 0 ? "absent" : value[0]) + " in " + value.length + " bytes");
        }
        return ByteBuffer.wrap(value).getLong(1);
    }

    /** The message of {@code value}. Throws {@link IllegalArgumentException} if {@code value} has another layout. */
    static Message message(byte[] value) {
        expiresAtMillis(value);
        return MessageCodec.decode(ByteBuffer.wrap(value, VALUE_HEADER_BYTES, value.length - VALUE_HEADER_BYTES));
    }

    /**
     * When the broker received the message of {@code value}. Throws {@link IllegalArgumentException} if {@code value}
     * has another layout.
     */
    static long receivedAtMillis(byte[] value) {
        expiresAtMillis(value);
        return MessageCodec.receivedAtMillis(
                ByteBuffer.wrap(value, VALUE_HEADER_BYTES, value.length - VALUE_HEADER_BYTES));
    }

    /**
     * Size of the payload of {@code value}. Throws {@link IllegalArgumentException} if {@code value} has another
     * layout.
     */
    static int payloadBytes(byte[] value) {
        expiresAtMillis(value);
        return MessageCodec.payloadSize(ByteBuffer.wrap(value, VALUE_HEADER_BYTES, value.length - VALUE_HEADER_BYTES));
    }

    static byte[] concat(byte[] a, byte[] b) {
        byte[] both = Arrays.copyOf(a, a.length + b.length);
        System.arraycopy(b, 0, both, a.length, b.length);
        return both;
    }

    /** The first {@code length} bytes of {@code key}, then {@code last}. */
    static byte[] append(byte[] key, int length, byte last) {
        byte[] longer = Arrays.copyOf(key, length + 1);
        longer[length] = last;
        return longer;
    }
}
