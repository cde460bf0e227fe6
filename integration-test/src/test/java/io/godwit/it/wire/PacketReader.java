package io.godwit.it.wire;

import java.io.DataInputStream;
import java.io.IOException;
import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Bytes to packets. */
public final class PacketReader {
    private PacketReader() {}

    /**
     * Reads one packet; null at the end of the stream between two packets.
     *
     * @param version 3, 4 or 5: what the connection speaks
     * @throws IOException when the peer breaks the protocol, too
     */
    public static @Nullable Packet read(DataInputStream in, int version) throws IOException {
        int first = in.read();
        if (first < 0) {
            return null;
        }
        int length = 0;
        int shift = 0;
        int next;
        do {
            if (shift > 21) {
                throw new IOException("remaining length of more than four bytes");
            }
            next = in.readUnsignedByte();
            length |= (next & 0x7F) << shift;
            shift += 7;
        } while ((next & 0x80) != 0);
        byte[] body = new byte[length];
        in.readFully(body);
        ByteBuffer buffer = ByteBuffer.wrap(body);
        try {
            Packet packet = decode(first, buffer, version);
            if (buffer.hasRemaining()) {
                throw new IOException(buffer.remaining() + " bytes left over after " + packet);
            }
            return packet;
        } catch (BufferUnderflowException | IllegalArgumentException e) {
            throw new IOException("malformed packet, first byte " + first + ", length " + length, e);
        }
    }

    private static Packet decode(int first, ByteBuffer in, int version) throws IOException {
        int type = first >> 4;
        if (type != 3) {
            int flags = first & 0x0F;
            int expected = type == 6 || type == 8 || type == 10 ? 2 : 0;
            if (flags != expected) {
                throw new IOException("flags " + flags + " on a packet of type " + type);
            }
        }
        return switch (type) {
            case 1 -> connect(in);
            case 2 -> connack(in, version);
            case 3 -> publish(first, in, version);
            case 4 -> ack(Packet.Ack.Kind.PUBACK, in, version);
            case 5 -> ack(Packet.Ack.Kind.PUBREC, in, version);
            case 6 -> ack(Packet.Ack.Kind.PUBREL, in, version);
            case 7 -> ack(Packet.Ack.Kind.PUBCOMP, in, version);
            case 8 -> subscribe(in, version);
            case 9 -> {
                int packetId = in.getShort() & 0xFFFF;
                properties(in, version);
                yield new Packet.Suback(packetId, codes(in));
            }
            case 10 -> unsubscribe(in, version);
            case 11 -> {
                int packetId = in.getShort() & 0xFFFF;
                properties(in, version);
                yield new Packet.Unsuback(packetId, codes(in));
            }
            case 12 -> new Packet.PingRequest();
            case 13 -> new Packet.PingResponse();
            case 14 -> {
                int code = in.hasRemaining() ? in.get() & 0xFF : 0;
                yield new Packet.Disconnect(code, in.hasRemaining() ? properties(in, version) : Properties.NONE);
            }
            default -> throw new IOException("packet of type " + type);
        };
    }

    private static Packet connack(ByteBuffer in, int version) throws IOException {
        int flags = in.get();
        if (flags != 0 && (flags != 1 || version == 3)) { // session present came with 3.1.1
            throw new IOException("CONNACK flags " + flags);
        }
        return new Packet.Connack(flags == 1, in.get() & 0xFF, properties(in, version));
    }

    private static Packet publish(int first, ByteBuffer in, int version) throws IOException {
        int qos = first >> 1 & 3;
        if (qos == 3) {
            throw new IOException("PUBLISH of QoS 3");
        }
        String topic = string(in);
        int packetId = qos > 0 ? in.getShort() & 0xFFFF : 0;
        if (qos > 0 && packetId == 0) {
            throw new IOException("PUBLISH of QoS " + qos + " with packet id 0");
        }
        Properties properties = properties(in, version);
        byte[] payload = new byte[in.remaining()];
        in.get(payload);
        return new Packet.Publish(topic, payload, qos, (first & 8) != 0, (first & 1) != 0, packetId, properties);
    }

    private static Packet ack(Packet.Ack.Kind kind, ByteBuffer in, int version) throws IOException {
        int packetId = in.getShort() & 0xFFFF;
        int code = 0;
        if (version == 5 && in.hasRemaining()) {
            code = in.get() & 0xFF;
            if (in.hasRemaining()) {
                properties(in, version);
            }
        }
        return new Packet.Ack(kind, packetId, code);
    }

    private static Packet connect(ByteBuffer in) throws IOException {
        String protocol = string(in);
        int version = in.get();
        if (!protocol.equals("MQTT") || (version != 4 && version != 5)) {
            throw new IOException("protocol " + protocol + " version " + version);
        }
        int flags = in.get() & 0xFF;
        int keepAlive = in.getShort() & 0xFFFF;
        Properties properties = properties(in, version);
        String clientId = string(in);
        Packet.Will will = null;
        if ((flags & 4) != 0) {
            Properties willProperties = properties(in, version);
            will = new Packet.Will(string(in), binary(in), flags >> 3 & 3, (flags & 0x20) != 0, willProperties);
        }
        return new Packet.Connect(version, clientId, (flags & 2) != 0, keepAlive, properties, will);
    }

    private static Packet subscribe(ByteBuffer in, int version) throws IOException {
        int packetId = in.getShort() & 0xFFFF;
        Properties properties = properties(in, version);
        List<Packet.Request> requests = new ArrayList<>();
        while (in.hasRemaining()) {
            requests.add(new Packet.Request(string(in), in.get() & 0xFF));
        }
        return new Packet.Subscribe(packetId, requests, properties);
    }

    private static Packet unsubscribe(ByteBuffer in, int version) throws IOException {
        int packetId = in.getShort() & 0xFFFF;
        properties(in, version);
        List<String> filters = new ArrayList<>();
        while (in.hasRemaining()) {
            filters.add(string(in));
        }
        return new Packet.Unsubscribe(packetId, filters);
    }

    private static List<Integer> codes(ByteBuffer in) {
        List<Integer> codes = new ArrayList<>();
        while (in.hasRemaining()) {
            codes.add(in.get() & 0xFF);
        }
        return codes;
    }

    private static Properties properties(ByteBuffer in, int version) throws IOException {
        return version == 5 ? Properties.readFrom(in) : Properties.NONE;
    }

    static String string(ByteBuffer in) {
        return new String(binary(in), StandardCharsets.UTF_8);
    }

    static byte[] binary(ByteBuffer in) {
        byte[] bytes = new byte[in.getShort() & 0xFFFF];
        in.get(bytes);
        return bytes;
    }

    static int varint(ByteBuffer in) throws IOException {
        int value = 0;
        for (int shift = 0; shift <= 21; shift += 7) {
            int next = in.get();
            value |= (next & 0x7F) << shift;
            if (next >= 0) {
                return value;
            }
        }
        throw new IOException("variable byte integer of more than four bytes");
    }
}
