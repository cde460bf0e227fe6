package io.godwit.inbox.format;

import io.godwit.common.bytes.Varint;
import io.godwit.plugin.message.Message;
import io.godwit.plugin.message.MessageCodec;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/** Appends the primitives of the stored formats; read back by {@link ByteReader}. Grows as needed. */
public final class ByteWriter {
    private byte[] buffer;
    private int size;

    public ByteWriter(int capacity) {
        buffer = new byte[Math.max(16, capacity)];
    }

    int size() {
        return size;
    }

    public byte[] toBytes() {
        return size == buffer.length ? buffer : Arrays.copyOf(buffer, size);
    }

    public void u8(int value) {
        reserve(1);
        buffer[size++] = (byte) value;
    }

    void u16(int value) {
        reserve(2);
        buffer[size++] = (byte) (value >>> 8);
        buffer[size++] = (byte) value;
    }

    public void u64(long value) {
        reserve(8);
        for (int shift = 56; shift >= 0; shift -= 8) {
            buffer[size++] = (byte) (value >>> shift);
        }
    }

    /** A {@link Varint}. */
    public void varint(long value) {
        reserve(Varint.MAX_BYTES);
        size = Varint.write(buffer, size, value);
    }

    void raw(byte[] bytes, int offset, int length) {
        reserve(length);
        System.arraycopy(bytes, offset, buffer, size, length);
        size += length;
    }

    void raw(byte[] bytes) {
        raw(bytes, 0, bytes.length);
    }

    /** A varint byte count, then the bytes. */
    public void block(byte[] bytes) {
        varint(bytes.length);
        raw(bytes);
    }

    public void string(String text) {
        block(text.getBytes(StandardCharsets.UTF_8));
    }

    /** 0 for null, else 1 and the string. */
    public void optionalString(@Nullable String text) {
        u8(text == null ? 0 : 1);
        if (text != null) {
            string(text);
        }
    }

    /** A block with the message in the format of {@link MessageCodec}, written without an intermediate copy. */
    public void message(Message message) {
        int length = MessageCodec.encodedSize(message);
        varint(length);
        reserve(length);
        MessageCodec.writeTo(ByteBuffer.wrap(buffer, size, length), message);
        size += length;
    }

    private void reserve(int more) {
        int needed = Math.addExact(size, more);
        if (needed > buffer.length) {
            int doubled = buffer.length > Integer.MAX_VALUE / 2 ? Integer.MAX_VALUE - 8 : buffer.length * 2;
            buffer = Arrays.copyOf(buffer, Math.max(needed, doubled));
        }
    }
}
