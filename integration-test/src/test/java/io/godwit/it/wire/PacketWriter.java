package io.godwit.it.wire;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;

/** Packets to bytes. */
public final class PacketWriter {
    private PacketWriter() {}

    /** @param version 3, 4 or 5: what the connection speaks */
    public static byte[] bytes(Packet packet, int version) {
        ByteArrayOutputStream body = new ByteArrayOutputStream(64);
        int first = write(packet, version, body);
        ByteArrayOutputStream frame = new ByteArrayOutputStream(body.size() + 5);
        frame.write(first);
        varint(frame, body.size());
        frame.writeBytes(body.toByteArray());
        return frame.toByteArray();
    }

    /** Returns the first byte of the fixed header. */
    private static int write(Packet packet, int version, ByteArrayOutputStream out) {
        if (packet instanceof Packet.Publish publish) {
            string(out, publish.topic());
            if (publish.qos() > 0) {
                number(out, publish.packetId(), 2);
            }
            properties(out, version, publish.properties());
            out.writeBytes(publish.payload());
            return 0x30 | (publish.dup() ? 8 : 0) | publish.qos() << 1 | (publish.retain() ? 1 : 0);
        } else if (packet instanceof Packet.Ack ack) {
            number(out, ack.packetId(), 2);
            if (version == 5 && ack.code() != 0) {
                out.write(ack.code());
            }
            return ack.kind().type << 4 | (ack.kind() == Packet.Ack.Kind.PUBREL ? 2 : 0);
        } else if (packet instanceof Packet.Connect connect) {
            connect(connect, out);
            return 0x10;
        } else if (packet instanceof Packet.Connack connack) {
            out.write(connack.sessionPresent() ? 1 : 0);
            out.write(connack.code());
            properties(out, version, connack.properties());
            return 0x20;
        } else if (packet instanceof Packet.Subscribe subscribe) {
            number(out, subscribe.packetId(), 2);
            properties(out, version, subscribe.properties());
            for (Packet.Request request : subscribe.requests()) {
                string(out, request.filter());
                out.write(request.options());
            }
            return 0x82;
        } else if (packet instanceof Packet.Suback suback) {
            number(out, suback.packetId(), 2);
            properties(out, version, Properties.NONE);
            suback.codes().forEach(out::write);
            return 0x90;
        } else if (packet instanceof Packet.Unsubscribe unsubscribe) {
            number(out, unsubscribe.packetId(), 2);
            properties(out, version, Properties.NONE);
            unsubscribe.filters().forEach(filter -> string(out, filter));
            return 0xA2;
        } else if (packet instanceof Packet.Unsuback unsuback) {
            number(out, unsuback.packetId(), 2);
            properties(out, version, Properties.NONE);
            unsuback.codes().forEach(out::write);
            return 0xB0;
        } else if (packet instanceof Packet.PingRequest) {
            return 0xC0;
        } else if (packet instanceof Packet.PingResponse) {
            return 0xD0;
        } else if (packet instanceof Packet.Disconnect disconnect) {
            if (version == 5
                    && (disconnect.code() != 0
                            || !disconnect.properties().entries().isEmpty())) {
                out.write(disconnect.code());
                properties(out, version, disconnect.properties());
            }
            return 0xE0;
        }
        throw new IllegalArgumentException("no such packet: " + packet);
    }

    private static void connect(Packet.Connect connect, ByteArrayOutputStream out) {
        Packet.Will will = connect.will();
        int flags = connect.clean() ? 2 : 0;
        if (will != null) {
            flags |= 4 | will.qos() << 3 | (will.retain() ? 0x20 : 0);
        }
        Packet.Login login = connect.login();
        if (login != null) {
            flags |= 0xC0;
        }
        string(out, connect.version() == 3 ? "MQIsdp" : "MQTT");
        out.write(connect.version());
        out.write(flags);
        number(out, connect.keepAliveSeconds(), 2);
        properties(out, connect.version(), connect.properties());
        string(out, connect.clientId());
        if (will != null) {
            properties(out, connect.version(), will.properties());
            string(out, will.topic());
            binary(out, will.payload());
        }
        if (login != null) {
            string(out, login.user());
            string(out, login.password());
        }
    }

    private static void properties(ByteArrayOutputStream out, int version, Properties properties) {
        if (version == 5) {
            properties.writeTo(out);
        }
    }

    static void string(ByteArrayOutputStream out, String text) {
        binary(out, text.getBytes(StandardCharsets.UTF_8));
    }

    static void binary(ByteArrayOutputStream out, byte[] bytes) {
        if (bytes.length > 0xFFFF) {
            throw new IllegalArgumentException(bytes.length + " bytes do not fit a two-byte length");
        }
        number(out, bytes.length, 2);
        out.writeBytes(bytes);
    }

    static void number(ByteArrayOutputStream out, long value, int size) {
        for (int shift = 8 * (size - 1); shift >= 0; shift -= 8) {
            out.write((int) (value >> shift));
        }
    }

    static void varint(ByteArrayOutputStream out, int value) {
        int rest = value;
        do {
            int low = rest & 0x7F;
            rest >>>= 7;
            out.write(rest > 0 ? low | 0x80 : low);
        } while (rest > 0);
    }
}
