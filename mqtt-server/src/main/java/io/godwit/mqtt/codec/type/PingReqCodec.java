package io.godwit.mqtt.codec.type;

import io.godwit.mqtt.codec.field.FrameReader;
import io.godwit.mqtt.packet.PingReq;
import io.netty.buffer.ByteBuf;

/** PINGREQ (MQTT 5.0 and 3.1.1, 3.12): only its type. */
public final class PingReqCodec extends PacketCodec<PingReq> {
    public static final PingReqCodec INSTANCE = new PingReqCodec();

    private PingReqCodec() {
        super(12, 0, "PINGREQ");
    }

    @Override
    public PingReq decode(FrameReader in, int flags) {
        return PingReq.INSTANCE;
    }

    @Override
    boolean hasPropertyBlock(PingReq packet, int propertiesLength) {
        return false;
    }

    @Override
    int headLength(PingReq packet, int protocolLevel, int propertiesLength) {
        return 0;
    }

    @Override
    void writeHead(PingReq packet, int protocolLevel, int propertiesLength, ByteBuf out) {}
}
