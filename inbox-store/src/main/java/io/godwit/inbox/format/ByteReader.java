package io.godwit.inbox.format;

import io.godwit.common.bytes.Varint;
import io.godwit.plugin.message.Message;
import io.godwit.plugin.message.MessageCodec;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Reads what {@link ByteWriter} wrote. Fails with {@link IllegalArgumentException} on bytes that it cannot have
 * written; those are corruption, because nothing else writes these formats.
 */
public final class ByteReader {
    private final byte[] bytes;
    private final int end;
    private int position;

    public ByteReader(byte[] bytes) {
        this(bytes, 0, bytes.length);
    }

    public ByteReader(byte[] bytes, int offset, int length) {
        this.bytes = bytes;
        this.position = offset;
        this.end = offset + length;
    }

    boolean hasMore() {
        return position < end;
    }

    int position() {
        return position;
    }

    /** Reads a version byte, which must be {@code expected}. */
    public void version(int expected, String what) {
        int version = u8();
        if (version != expected) {
            throw new IllegalArgumentException(what + " format version must be " + expected + ", was " + version);
        }
    }

    public int u8() {
        require(1);
        return bytes[position++] & 0xFF;
    }

    public int u16() {
        return u8() << 8 | u8();
    }

    public long u64() {
        require(8);
        long value = 0;
        for (int i = 0; i < 8; i++) {
            value = value << 8 | bytes[position++] & 0xFF;
        }
        return value;
    }

    public long varint() {
        int from = position;
        position = Varint.end(bytes, from, end);
        return Varint.read(bytes, from, position);
    }

    /** A varint that is a count or size of something in memory. */
    public int length() {
        long value = varint();
        if (value < 0 || value > Integer.MAX_VALUE) {
            throw new IllegalArgumentException("length " + value + " at " + position);
        }
        return (int) value;
    }

    byte[] raw(int length) {
        require(length);
        byte[] copy = Arrays.copyOfRange(bytes, position, position + length);
        position += length;
        return copy;
    }

    public byte[] block() {
        return raw(length());
    }

    void skip(int length) {
        require(length);
        position += length;
    }

    public String string() {
        int length = length();
        require(length);
        String text = new String(bytes, position, length, StandardCharsets.UTF_8);
        position += length;
        return text;
    }

    public @Nullable String optionalString() {
        return u8() == 0 ? null : string();
    }

    Message message() {
        return message(length());
    }

    /** Reads a message of {@code length} bytes, after its length was read. */
    Message message(int length) {
        require(length);
        Message message = MessageCodec.decode(ByteBuffer.wrap(bytes, position, length));
        position += length;
        return message;
    }

    /** The topic of the next message, of {@code length} bytes, without moving on. */
    String topicAhead(int length) {
        require(length);
        return MessageCodec.topic(ByteBuffer.wrap(bytes, position, length));
    }

    /** The payload size of the next message, of {@code length} bytes, without moving on. */
    int payloadBytesAhead(int length) {
        require(length);
        return MessageCodec.payloadSize(ByteBuffer.wrap(bytes, position, length));
    }

    private void require(int length) {
        if (length < 0 || length > end - position) {
            throw new IllegalArgumentException(length + " bytes wanted at " + position + " of " + end);
        }
    }
}
