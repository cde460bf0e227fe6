package io.godwit.mqtt.codec;

import io.godwit.mqtt.codec.field.EncodeLimits;
import io.godwit.mqtt.codec.field.VarInt;
import io.godwit.mqtt.codec.type.AuthCodec;
import io.godwit.mqtt.codec.type.ConnAckCodec;
import io.godwit.mqtt.codec.type.ConnectCodec;
import io.godwit.mqtt.codec.type.DisconnectCodec;
import io.godwit.mqtt.codec.type.PingReqCodec;
import io.godwit.mqtt.codec.type.PingRespCodec;
import io.godwit.mqtt.codec.type.PubAckCodec;
import io.godwit.mqtt.codec.type.PubCompCodec;
import io.godwit.mqtt.codec.type.PubRecCodec;
import io.godwit.mqtt.codec.type.PubRelCodec;
import io.godwit.mqtt.codec.type.PublishCodec;
import io.godwit.mqtt.codec.type.SubAckCodec;
import io.godwit.mqtt.codec.type.SubscribeCodec;
import io.godwit.mqtt.codec.type.UnsubAckCodec;
import io.godwit.mqtt.codec.type.UnsubscribeCodec;
import io.godwit.mqtt.packet.Auth;
import io.godwit.mqtt.packet.ConnAck;
import io.godwit.mqtt.packet.Connect;
import io.godwit.mqtt.packet.Disconnect;
import io.godwit.mqtt.packet.Packet;
import io.godwit.mqtt.packet.PingReq;
import io.godwit.mqtt.packet.PingResp;
import io.godwit.mqtt.packet.PubAck;
import io.godwit.mqtt.packet.PubComp;
import io.godwit.mqtt.packet.PubRec;
import io.godwit.mqtt.packet.PubRel;
import io.godwit.mqtt.packet.Publish;
import io.godwit.mqtt.packet.SubAck;
import io.godwit.mqtt.packet.Subscribe;
import io.godwit.mqtt.packet.UnsubAck;
import io.godwit.mqtt.packet.Unsubscribe;
import io.netty.buffer.ByteBuf;

/**
 * Encodes packets for one peer and appends them to the caller's buffers: many small frames fit one buffer, which is
 * then written once. Immutable; its settings come from the peer's CONNECT.
 */
public final class PacketEncoder {
    private static final long LARGEST_FRAME = 1 + 4 + VarInt.MAX;

    private final EncodeLimits limits;

    /**
     * @param protocolLevel the level of the connection, see {@link io.godwit.mqtt.packet.field.ProtocolLevel}
     * @param maximumPacketSize the largest frame the peer accepts, in bytes; -1 for no limit but the protocol's
     * @param problemInformation whether the peer accepts reason strings and user properties in every packet
     *     [MQTT5-3.1.2-29]
     */
    public PacketEncoder(int protocolLevel, long maximumPacketSize, boolean problemInformation) {
        this.limits = new EncodeLimits(
                protocolLevel, maximumPacketSize < 0 ? LARGEST_FRAME : maximumPacketSize, problemInformation);
    }

    /** An encoder for the client that sent {@code connect}. */
    public static PacketEncoder forClient(Connect connect) {
        return new PacketEncoder(
                connect.protocolLevel(), connect.maximumPacketSize(), connect.requestProblemInformation());
    }

    public int protocolLevel() {
        return limits.protocolLevel();
    }

    /**
     * Appends {@code packet} to {@code out}, which it borrows. A reply, CONNACK or DISCONNECT that is too large for the
     * peer loses its user properties first and then its reason string [MQTT5-3.1.2-24], [MQTT5-3.4.2-2],
     * [MQTT5-3.4.2-3]. Fails with {@link IllegalArgumentException} when a string or binary field has more than 65,535
     * bytes; {@code out} is then unchanged.
     *
     * @return false, and nothing appended, when the packet cannot be sent. Either it is too large for the peer
     *     [MQTT5-3.1.2-25]; the caller then drops and counts a PUBLISH. Or MQTT 3.1 and 3.1.1 cannot express it: a
     *     CONNACK whose code has no return code, a PUBACK, PUBREC or DISCONNECT with an error, an AUTH. The connection
     *     is then closed without it
     */
    public boolean encode(Packet packet, ByteBuf out) {
        if (packet instanceof Publish publish) { // most frequent packets first
            return PublishCodec.INSTANCE.encode(publish, limits, out);
        } else if (packet instanceof PubAck pubAck) {
            return PubAckCodec.INSTANCE.encode(pubAck, limits, out);
        } else if (packet instanceof PubRec pubRec) {
            return PubRecCodec.INSTANCE.encode(pubRec, limits, out);
        } else if (packet instanceof PubRel pubRel) {
            return PubRelCodec.INSTANCE.encode(pubRel, limits, out);
        } else if (packet instanceof PubComp pubComp) {
            return PubCompCodec.INSTANCE.encode(pubComp, limits, out);
        } else if (packet instanceof SubAck subAck) {
            return SubAckCodec.INSTANCE.encode(subAck, limits, out);
        } else if (packet instanceof UnsubAck unsubAck) {
            return UnsubAckCodec.INSTANCE.encode(unsubAck, limits, out);
        } else if (packet instanceof ConnAck connAck) {
            return ConnAckCodec.INSTANCE.encode(connAck, limits, out);
        } else if (packet instanceof Disconnect disconnect) {
            return DisconnectCodec.INSTANCE.encode(disconnect, limits, out);
        } else if (packet instanceof Auth auth) {
            return AuthCodec.INSTANCE.encode(auth, limits, out);
        } else if (packet instanceof Connect connect) {
            return ConnectCodec.INSTANCE.encode(connect, limits, out);
        } else if (packet instanceof Subscribe subscribe) {
            return SubscribeCodec.INSTANCE.encode(subscribe, limits, out);
        } else if (packet instanceof Unsubscribe unsubscribe) {
            return UnsubscribeCodec.INSTANCE.encode(unsubscribe, limits, out);
        } else if (packet instanceof PingReq pingReq) {
            return PingReqCodec.INSTANCE.encode(pingReq, limits, out);
        } else if (packet instanceof PingResp pingResp) {
            return PingRespCodec.INSTANCE.encode(pingResp, limits, out);
        }
        throw new IllegalArgumentException("no codec for " + packet);
    }

    /**
     * Appends a message encoded for many receivers of this protocol level; borrows {@code out}.
     *
     * @param packetId 1 to 65,535; ignored at QoS 0
     * @param dup whether it has been sent before; ignored at QoS 0
     * @return false, and nothing appended, when it is too large for the peer [MQTT5-3.1.2-25]
     */
    public boolean encode(EncodedPublish publish, int packetId, boolean dup, ByteBuf out) {
        if (!publish.isFor(protocolLevel())) {
            throw new IllegalArgumentException("publish is laid out for another level than " + protocolLevel());
        }
        if (publish.size() > limits.maximumPacketSize()) {
            return false;
        }
        publish.appendTo(out, packetId, dup);
        return true;
    }
}
