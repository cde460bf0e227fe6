package io.godwit.inbox.format;

import io.godwit.plugin.message.Message;
import org.jspecify.annotations.Nullable;

/**
 * The value of an INBOUND key: a QoS 2 message that a session has published and not released yet (MQTT 5.0, 4.3.3).
 *
 * <pre>
 * 1 version, 1;  varint token number;  1 whether distributed;  the message as a block, unless distributed
 * </pre>
 *
 * @param message null once distributed
 */
public record InboundRecord(long number, @Nullable Message message) {
    private static final int VERSION = 1;

    public static byte[] encode(long number, @Nullable Message message) {
        ByteWriter out = new ByteWriter(message == null ? 16 : 64 + message.payload().length);
        out.u8(VERSION);
        out.varint(number);
        out.u8(message == null ? 1 : 0);
        if (message != null) {
            out.message(message);
        }
        return out.toBytes();
    }

    public static InboundRecord decode(byte[] value) {
        ByteReader in = new ByteReader(value);
        in.version(VERSION, "inbound record");
        long number = in.varint();
        return new InboundRecord(number, in.u8() == 1 ? null : in.message());
    }
}
