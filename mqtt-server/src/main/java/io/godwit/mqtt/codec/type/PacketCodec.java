package io.godwit.mqtt.codec.type;

import io.godwit.mqtt.codec.field.EncodeLimits;
import io.godwit.mqtt.codec.field.FrameReader;
import io.godwit.mqtt.codec.field.PropertyWriter;
import io.godwit.mqtt.codec.field.PropertyWriter.Detail;
import io.godwit.mqtt.codec.field.VarInt;
import io.godwit.mqtt.packet.Packet;
import io.godwit.mqtt.packet.field.ProtocolLevel;
import io.netty.buffer.ByteBuf;

/**
 * Reads and encodes one type of packet. Stateless. A frame is
 *
 * <pre>
 * 1 byte     type (high nibble) and flags
 * 1-4 bytes  length of the rest, a variable byte integer
 *            head: fields before the properties
 *            length of the properties and the properties, in MQTT 5.0 only
 *            tail: fields after the properties
 * </pre>
 *
 * {@link #encode} measures before it writes, so that a packet is written whole or not at all.
 */
public abstract class PacketCodec<P extends Packet> {
    private final int type;
    private final int flags;
    private final String name;

    PacketCodec(int type, int flags, String name) {
        this.type = type;
        this.flags = flags;
        this.name = name;
    }

    /** The packet's name as the specification writes it. */
    public final String name() {
        return name;
    }

    /** Whether this packet may have these flags at this level; level 0 means that no CONNECT has set one. */
    public boolean allowsFlags(int seen, int protocolLevel) {
        // MQTT 3.1 calls the bits "not used", except in the three packets that are sent at QoS 1 and can be duplicates
        return seen == flags || protocolLevel == ProtocolLevel.MQTT_3_1 && (flags == 0 || (seen & 0b0110) == flags);
    }

    /** Reads the bytes after the length; the caller checks that none are left. */
    public abstract P decode(FrameReader in, int flags);

    /** Whether the peer's protocol version can express this packet. */
    boolean isExpressible(P packet, int protocolLevel) {
        return true;
    }

    int flags(P packet) {
        return flags;
    }

    /** Passes the properties of the packet to {@code out}. */
    void properties(P packet, PropertyWriter out) {}

    /** Whether the packet has a property length field when its properties take {@code propertiesLength} bytes. */
    boolean hasPropertyBlock(P packet, int propertiesLength) {
        return true;
    }

    /** The most diagnostics that this packet may carry to this peer. */
    Detail detail(EncodeLimits peer) {
        return Detail.FULL;
    }

    abstract int headLength(P packet, int protocolLevel, int propertiesLength);

    abstract void writeHead(P packet, int protocolLevel, int propertiesLength, ByteBuf out);

    int tailLength(P packet, int protocolLevel) {
        return 0;
    }

    void writeTail(P packet, int protocolLevel, ByteBuf out) {}

    /**
     * Appends the packet to {@code out}, which it borrows.
     *
     * @return false, and nothing appended, when the protocol version cannot express it or the frame is too large
     *     for the peer even without diagnostics
     */
    public boolean encode(P packet, EncodeLimits peer, ByteBuf out) {
        int level = peer.protocolLevel();
        if (!isExpressible(packet, level)) {
            return false;
        }
        if (level < ProtocolLevel.MQTT_5) {
            long remaining = (long) headLength(packet, level, 0) + tailLength(packet, level);
            if (!peer.accepts(remaining)) {
                return false;
            }
            begin(packet, (int) remaining, out);
            writeHead(packet, level, 0, out);
            writeTail(packet, level, out);
            return true;
        }
        int tail = tailLength(packet, level);
        Detail detail = detail(peer);
        while (true) {
            PropertyWriter measured = PropertyWriter.measuring(detail);
            properties(packet, measured);
            int length = measured.length();
            boolean hasBlock = hasPropertyBlock(packet, length);
            long remaining =
                    (long) headLength(packet, level, length) + (hasBlock ? VarInt.length(length) + length : 0) + tail;
            if (peer.accepts(remaining)) {
                begin(packet, (int) remaining, out);
                writeHead(packet, level, length, out);
                if (hasBlock) {
                    VarInt.write(out, length);
                    properties(packet, PropertyWriter.appending(out, detail));
                }
                writeTail(packet, level, out);
                return true;
            }
            if (detail == Detail.NONE) {
                return false;
            }
            detail = detail == Detail.FULL ? Detail.REASON_STRING : Detail.NONE;
        }
    }

    private void begin(P packet, int remaining, ByteBuf out) {
        out.ensureWritable(1 + VarInt.length(remaining) + remaining);
        out.writeByte(type << 4 | flags(packet));
        VarInt.write(out, remaining);
    }
}
