package io.godwit.mqtt.codec.field;

import io.godwit.plugin.message.UserProperty;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Takes the properties of a packet, either to measure or to append them: a codec lists them once for both. Absent ones
 * take no bytes.
 */
public final class PropertyWriter {
    /** How much diagnostic text is kept when the packet is too large for the receiver [MQTT5-3.4.2-2]. */
    public enum Detail {
        FULL,
        REASON_STRING,
        NONE
    }

    private static final int MAX_STRING_BYTES = 0xFFFF;

    private final @Nullable ByteBuf out;
    private final Detail detail;
    private int length;

    private PropertyWriter(@Nullable ByteBuf out, Detail detail) {
        this.out = out;
        this.detail = detail;
    }

    /** A writer that only measures. */
    public static PropertyWriter measuring(Detail detail) {
        return new PropertyWriter(null, detail);
    }

    /** A writer that appends; borrows {@code out}. */
    public static PropertyWriter appending(ByteBuf out, Detail detail) {
        return new PropertyWriter(out, detail);
    }

    /** Bytes so far, without the block's own length field. */
    public int length() {
        return length;
    }

    public void u8(int id, int value) {
        if (value >= 0) {
            length += 2;
            if (out != null) {
                out.writeByte(id).writeByte(value);
            }
        }
    }

    /** A boolean property, left out when it has its default. */
    public void flag(int id, boolean value, boolean byDefault) {
        if (value != byDefault) {
            u8(id, value ? 1 : 0);
        }
    }

    public void u16(int id, int value) {
        if (value >= 0) {
            length += 3;
            if (out != null) {
                out.writeByte(id).writeShort(value);
            }
        }
    }

    public void u32(int id, long value) {
        if (value >= 0) {
            length += 5;
            if (out != null) {
                out.writeByte(id).writeInt((int) value);
            }
        }
    }

    public void varInt(int id, int value) {
        if (value >= 0) {
            length += 1 + VarInt.length(value);
            if (out != null) {
                out.writeByte(id);
                VarInt.write(out, value);
            }
        }
    }

    public void string(int id, @Nullable String value) {
        if (value != null) {
            length += 1 + stringLength(value);
            if (out != null) {
                out.writeByte(id);
                writeString(out, value);
            }
        }
    }

    public void binary(int id, byte @Nullable [] value) {
        if (value != null) {
            length += 1 + binaryLength(value);
            if (out != null) {
                out.writeByte(id);
                writeBinary(out, value);
            }
        }
    }

    public void userProperties(List<UserProperty> properties) {
        for (int i = 0; i < properties.size(); i++) {
            UserProperty property = properties.get(i);
            length += 1 + stringLength(property.name()) + stringLength(property.value());
            if (out != null) {
                out.writeByte(PropertyId.USER_PROPERTY);
                writeString(out, property.name());
                writeString(out, property.value());
            }
        }
    }

    /** A reason string and the user properties of a reply, as far as {@link Detail} allows. */
    public void diagnostics(@Nullable String reasonString, List<UserProperty> userProperties) {
        if (detail != Detail.NONE) {
            string(PropertyId.REASON_STRING, reasonString);
        }
        if (detail == Detail.FULL) {
            userProperties(userProperties);
        }
    }

    /**
     * Bytes of a string with its length field. Fails with {@link IllegalArgumentException} above 65,535 bytes of text.
     */
    public static int stringLength(String value) {
        int bytes = ByteBufUtil.utf8Bytes(value);
        if (bytes > MAX_STRING_BYTES) {
            throw new IllegalArgumentException("a string can have 65535 bytes, this one has " + bytes);
        }
        return 2 + bytes;
    }

    /** Bytes of binary data with its length field. Fails with {@link IllegalArgumentException} above 65,535 bytes. */
    public static int binaryLength(byte[] value) {
        if (value.length > MAX_STRING_BYTES) {
            throw new IllegalArgumentException("binary data can have 65535 bytes, this has " + value.length);
        }
        return 2 + value.length;
    }

    public static void writeString(ByteBuf out, String value) {
        int bytes = ByteBufUtil.utf8Bytes(value);
        out.writeShort(bytes);
        ByteBufUtil.reserveAndWriteUtf8(out, value, bytes); // plain writeUtf8 reserves three bytes a character
    }

    public static void writeBinary(ByteBuf out, byte[] value) {
        out.writeShort(value.length).writeBytes(value);
    }
}
