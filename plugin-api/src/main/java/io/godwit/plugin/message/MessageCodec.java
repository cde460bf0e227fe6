package io.godwit.plugin.message;

import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The stored and transmitted form of a {@link Message}. Self-delimiting, so several may stand one after the other. All
 * numbers are big-endian; a string or binary field is an unsigned 16-bit byte count and the bytes, strings as UTF-8.
 *
 * <pre>
 * size  field
 * 1     version, 1
 * 2     flags: bits 0-1 QoS, 2 RETAIN, 3 payload format present, 4 its value, 5 message expiry present,
 *       6 content type present, 7 response topic present, 8 correlation data present, 9 user properties present; rest 0
 * 8     receivedAtMillis
 * 2+n   topic
 * 4     message expiry in seconds, unsigned           (if bit 5)
 * 2+n   content type                                  (if bit 6)
 * 2+n   response topic                                (if bit 7)
 * 2+n   correlation data                              (if bit 8)
 * 4     number of user properties, each then:         (if bit 9)
 *   2+n   name
 *   2+n   value
 * 4     payload byte count
 * n     payload
 * </pre>
 */
public final class MessageCodec {
    private static final byte VERSION = 1;
    private static final int FIXED_BYTES = 1 + 2 + Long.BYTES + Integer.BYTES;
    private static final int RECEIVED_AT_OFFSET = 1 + 2;
    private static final int TOPIC_OFFSET = RECEIVED_AT_OFFSET + Long.BYTES;
    private static final int MAX_FIELD_BYTES = 0xFFFF;

    private static final int QOS_MASK = 3;
    private static final int RETAIN = 1 << 2;
    private static final int PAYLOAD_FORMAT = 1 << 3;
    private static final int PAYLOAD_FORMAT_UTF8 = 1 << 4;
    private static final int EXPIRY = 1 << 5;
    private static final int CONTENT_TYPE = 1 << 6;
    private static final int RESPONSE_TOPIC = 1 << 7;
    private static final int CORRELATION_DATA = 1 << 8;
    private static final int USER_PROPERTIES = 1 << 9;
    private static final int KNOWN_FLAGS = (1 << 10) - 1;

    private MessageCodec() {}

    /** The encoded form in an array of exactly its size. Fails as {@link #writeTo}. */
    public static byte[] encode(Message message) {
        ByteBuffer out = ByteBuffer.allocate(encodedSize(message));
        writeTo(out, message);
        return out.array();
    }

    /** Bytes that {@link #writeTo} will write. Fails with {@link ArithmeticException} above 2 GiB. */
    public static int encodedSize(Message message) {
        MessageProperties properties = message.properties();
        long size = FIXED_BYTES + 2L + utf8Size(message.topic()) + message.payload().length;
        size += properties.messageExpirySeconds() >= 0 ? Integer.BYTES : 0;
        size += optionalSize(properties.contentType());
        size += optionalSize(properties.responseTopic());
        byte[] correlationData = properties.correlationData();
        size += correlationData == null ? 0 : 2L + correlationData.length;
        List<UserProperty> user = properties.userProperties();
        size += user.isEmpty() ? 0 : Integer.BYTES;
        for (int i = 0; i < user.size(); i++) {
            size += 4L + utf8Size(user.get(i).name()) + utf8Size(user.get(i).value());
        }
        return Math.toIntExact(size);
    }

    /**
     * Writes {@code message} at the position of {@code out}, a big-endian buffer, and moves it. Fails with
     * {@link IllegalArgumentException} when a string or the correlation data is longer than 65,535 bytes, which MQTT
     * cannot carry; {@code out} then holds a part.
     */
    public static void writeTo(ByteBuffer out, Message message) {
        MessageProperties properties = message.properties();
        out.put(VERSION);
        out.putShort((short) flags(message));
        out.putLong(message.receivedAtMillis());
        putString(out, message.topic());
        writeProperties(out, properties);
        out.putInt(message.payload().length);
        out.put(message.payload());
    }

    /**
     * Reads one message at the position of {@code in}, a big-endian buffer, and moves it past; copies what it keeps.
     * Fails with {@link IllegalArgumentException} on an unknown version or flag, and on a field that goes beyond the
     * buffer.
     */
    public static Message decode(ByteBuffer in) {
        int start = in.position();
        try {
            byte version = in.get();
            if (version != VERSION) {
                throw new IllegalArgumentException("message format version must be " + VERSION + ", was " + version);
            }
            int flags = Short.toUnsignedInt(in.getShort());
            if ((flags & ~KNOWN_FLAGS) != 0) {
                throw new IllegalArgumentException("unknown message flags 0x" + Integer.toHexString(flags));
            }
            long receivedAtMillis = in.getLong();
            String topic = getString(in);
            MessageProperties properties =
                    (flags & ~(QOS_MASK | RETAIN)) == 0 ? MessageProperties.NONE : readProperties(in, flags);
            byte[] payload = getBytes(in, in.getInt());
            return new Message(
                    topic, payload, Qos.of(flags & QOS_MASK), (flags & RETAIN) != 0, receivedAtMillis, properties);
        } catch (BufferUnderflowException e) {
            throw new IllegalArgumentException(
                    "message at " + start + " goes beyond the " + in.limit() + " bytes there are", e);
        }
    }

    /**
     * Reads only the topic of the message that begins at the position of {@code in}, which does not change. Fails as
     * {@link #decode}.
     */
    public static String topic(ByteBuffer in) {
        int start = in.position();
        try {
            byte version = in.get();
            if (version != VERSION) {
                throw new IllegalArgumentException("message format version must be " + VERSION + ", was " + version);
            }
            in.position(start + TOPIC_OFFSET);
            return getString(in);
        } catch (BufferUnderflowException | IllegalArgumentException e) {
            throw new IllegalArgumentException("no topic in the message at " + start + ": " + e.getMessage(), e);
        } finally {
            in.position(start);
        }
    }

    /**
     * Reads only the time of receipt, as {@link Message#receivedAtMillis}, of the message that begins at the position
     * of {@code in}, which does not change. Fails as {@link #decode}.
     */
    public static long receivedAtMillis(ByteBuffer in) {
        int start = in.position();
        if (in.remaining() < TOPIC_OFFSET || in.get(start) != VERSION) {
            throw new IllegalArgumentException("no message of version " + VERSION + " at " + start);
        }
        return in.getLong(start + RECEIVED_AT_OFFSET);
    }

    /**
     * The payload size in bytes of the message that begins at the position of {@code in}, which does not change. Fails
     * as {@link #decode}.
     */
    public static int payloadSize(ByteBuffer in) {
        int start = in.position();
        try {
            byte version = in.get();
            if (version != VERSION) {
                throw new IllegalArgumentException("message format version must be " + VERSION + ", was " + version);
            }
            int flags = Short.toUnsignedInt(in.getShort());
            in.position(start + TOPIC_OFFSET);
            skipField(in);
            if ((flags & ~(QOS_MASK | RETAIN)) != 0) {
                readProperties(in, flags);
            }
            int size = in.getInt();
            if (size < 0 || size > in.remaining()) {
                throw new BufferUnderflowException();
            }
            return size;
        } catch (BufferUnderflowException | IllegalArgumentException e) {
            throw new IllegalArgumentException("no payload in the message at " + start + ": " + e.getMessage(), e);
        } finally {
            in.position(start);
        }
    }

    private static void skipField(ByteBuffer in) {
        int length = Short.toUnsignedInt(in.getShort());
        if (length > in.remaining()) {
            throw new BufferUnderflowException();
        }
        in.position(in.position() + length);
    }

    private static int flags(Message message) {
        MessageProperties properties = message.properties();
        int flags = message.qos().value() | (message.retain() ? RETAIN : 0);
        if (properties.payloadFormat() >= 0) {
            flags |= PAYLOAD_FORMAT | (properties.payloadFormat() == 1 ? PAYLOAD_FORMAT_UTF8 : 0);
        }
        flags |= properties.messageExpirySeconds() >= 0 ? EXPIRY : 0;
        flags |= properties.contentType() != null ? CONTENT_TYPE : 0;
        flags |= properties.responseTopic() != null ? RESPONSE_TOPIC : 0;
        flags |= properties.correlationData() != null ? CORRELATION_DATA : 0;
        flags |= properties.userProperties().isEmpty() ? 0 : USER_PROPERTIES;
        return flags;
    }

    private static void writeProperties(ByteBuffer out, MessageProperties properties) {
        if (properties.messageExpirySeconds() >= 0) {
            out.putInt((int) properties.messageExpirySeconds());
        }
        if (properties.contentType() != null) {
            putString(out, properties.contentType());
        }
        if (properties.responseTopic() != null) {
            putString(out, properties.responseTopic());
        }
        byte[] correlationData = properties.correlationData();
        if (correlationData != null) {
            putField(out, correlationData);
        }
        List<UserProperty> user = properties.userProperties();
        if (!user.isEmpty()) {
            out.putInt(user.size());
            for (UserProperty property : user) {
                putString(out, property.name());
                putString(out, property.value());
            }
        }
    }

    private static MessageProperties readProperties(ByteBuffer in, int flags) {
        int payloadFormat = (flags & PAYLOAD_FORMAT) == 0 ? -1 : (flags & PAYLOAD_FORMAT_UTF8) == 0 ? 0 : 1;
        long expirySeconds = (flags & EXPIRY) == 0 ? -1 : Integer.toUnsignedLong(in.getInt());
        String contentType = (flags & CONTENT_TYPE) == 0 ? null : getString(in);
        String responseTopic = (flags & RESPONSE_TOPIC) == 0 ? null : getString(in);
        byte[] correlationData =
                (flags & CORRELATION_DATA) == 0 ? null : getBytes(in, Short.toUnsignedInt(in.getShort()));
        List<UserProperty> user = (flags & USER_PROPERTIES) == 0 ? List.of() : readUserProperties(in);
        return new MessageProperties(payloadFormat, expirySeconds, contentType, responseTopic, correlationData, user);
    }

    private static List<UserProperty> readUserProperties(ByteBuffer in) {
        int count = in.getInt();
        if (count < 0 || count > in.remaining() / 4) {
            throw new IllegalArgumentException(count + " user properties in " + in.remaining() + " bytes");
        }
        List<UserProperty> user = new ArrayList<>(count);
        for (int i = 0; i < count; i++) {
            String name = getString(in);
            user.add(new UserProperty(name, getString(in)));
        }
        return user;
    }

    private static void putString(ByteBuffer out, String text) {
        putField(out, text.getBytes(StandardCharsets.UTF_8));
    }

    private static void putField(ByteBuffer out, byte[] bytes) {
        if (bytes.length > MAX_FIELD_BYTES) {
            throw new IllegalArgumentException("a field has at most 65535 bytes, was " + bytes.length);
        }
        out.putShort((short) bytes.length);
        out.put(bytes);
    }

    private static String getString(ByteBuffer in) {
        int length = Short.toUnsignedInt(in.getShort());
        if (length > in.remaining()) {
            throw new BufferUnderflowException();
        }
        if (in.hasArray()) {
            int position = in.position();
            in.position(position + length);
            return new String(in.array(), in.arrayOffset() + position, length, StandardCharsets.UTF_8);
        }
        return new String(getBytes(in, length), StandardCharsets.UTF_8);
    }

    private static byte[] getBytes(ByteBuffer in, int length) {
        // check the count before it sizes an array: a damaged count must not exhaust the heap
        if (length < 0 || length > in.remaining()) {
            throw new BufferUnderflowException();
        }
        if (in.hasArray()) { // the JVM need not fill the array with zeros first: milliseconds for 20 MiB
            int from = in.arrayOffset() + in.position();
            in.position(in.position() + length);
            return Arrays.copyOfRange(in.array(), from, from + length);
        }
        byte[] bytes = new byte[length];
        in.get(bytes);
        return bytes;
    }

    private static long optionalSize(@Nullable String text) {
        return text == null ? 0 : 2 + utf8Size(text);
    }

    /** The number of bytes that {@link String#getBytes} yields in UTF-8: an unpaired surrogate becomes one '?'. */
    private static long utf8Size(String text) {
        long size = text.length();
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            if (c < 0x80) {
                continue;
            }
            if (c < 0x800) {
                size++;
            } else if (!Character.isSurrogate(c)) {
                size += 2;
            } else if (Character.isHighSurrogate(c)
                    && i + 1 < text.length()
                    && Character.isLowSurrogate(text.charAt(i + 1))) {
                size += 2;
                i++;
            }
        }
        return size;
    }
}
