package io.godwit.mqtt.codec;

import io.godwit.mqtt.packet.Connect;
import io.godwit.mqtt.packet.Packet;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import java.lang.reflect.RecordComponent;
import java.nio.ByteBuffer;
import java.nio.IntBuffer;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Frames of tests: packets to bytes, hexadecimal to bytes, and decoders that have seen their CONNECT. */
final class Frames {
    static final int MAX_PACKET_BYTES = 1 << 20;

    private Frames() {}

    /** The frame of a packet without any limit of the peer. */
    static byte[] encode(Packet packet, int level) {
        ByteBuf out = Unpooled.buffer();
        if (!new PacketEncoder(level, -1, true).encode(packet, out)) {
            throw new IllegalArgumentException("cannot be encoded: " + packet);
        }
        return ByteBufUtil.getBytes(out);
    }

    /** Bytes from hexadecimal digits; blanks are for the reader, and text in apostrophes stands for its ASCII bytes. */
    static byte[] bytes(String hex) {
        StringBuilder digits = new StringBuilder();
        boolean quoted = false;
        for (int i = 0; i < hex.length(); i++) {
            char c = hex.charAt(i);
            if (c == '\'') {
                quoted = !quoted;
            } else if (quoted) {
                digits.append(String.format("%02x", (int) c));
            } else if (c != ' ') {
                digits.append(c);
            }
        }
        return ByteBufUtil.decodeHexDump(digits);
    }

    /** A server's decoder that has decoded a CONNECT of {@code level}. */
    static PacketDecoder serverDecoder(int level) {
        PacketDecoder decoder = PacketDecoder.forServer(MAX_PACKET_BYTES);
        decoder.decode(Unpooled.wrappedBuffer(connect(level)));
        return decoder;
    }

    /** The frame of a plain CONNECT. */
    static byte[] connect(int level) {
        return encode(new Connect(level, true, 0, "c", null, null, null), level);
    }

    /** One that decodes the packets of a client or of a server; a client's CONNECT as well, when {@code first}. */
    static PacketDecoder decoder(int level, boolean fromClient, boolean first) {
        if (!fromClient) {
            return PacketDecoder.forClient(level, MAX_PACKET_BYTES);
        }
        return first ? PacketDecoder.forServer(MAX_PACKET_BYTES) : serverDecoder(level);
    }

    /** The components of a packet, with records and arrays taken apart, so that packets can be compared by content. */
    static List<Object> content(Record packet) {
        List<Object> content = new ArrayList<>();
        content.add(packet.getClass());
        for (RecordComponent component : packet.getClass().getRecordComponents()) {
            try {
                content.add(plain(component.getAccessor().invoke(packet)));
            } catch (ReflectiveOperationException e) {
                throw new LinkageError(e.getMessage(), e);
            }
        }
        return content;
    }

    private static @Nullable Object plain(@Nullable Object value) {
        if (value instanceof Record record) {
            return content(record);
        } else if (value instanceof byte[] bytes) {
            return ByteBuffer.wrap(bytes);
        } else if (value instanceof int[] ints) {
            return IntBuffer.wrap(ints);
        } else if (value instanceof List<?> list) {
            return list.stream().map(Frames::plain).toList();
        }
        return value;
    }
}
