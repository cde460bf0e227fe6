package io.godwit.mqtt.codec.type;

import io.godwit.mqtt.codec.field.FrameReader;
import io.godwit.mqtt.packet.PingResp;
import io.netty.buffer.ByteBuf;

/** PINGRESP (MQTT 5.0 and 3.1.1, 3.13): only its type. */
public final class PingRespCodec extends PacketCodec<PingResp> {
    public static final PingRespCodec INSTANCE = new PingRespCodec();

    private PingRespCodec() {
        super(13, 0, "PINGRESP");
    }

    @Override
    public PingResp decode(FrameReader in, int flags) {
        return PingResp.INSTANCE;
    }

    @Override
    boolean hasPropertyBlock(PingResp packet, int propertiesLength) {
        return false;
    }

    @Override
    int headLength(PingResp packet, int protocolLevel, int propertiesLength) {
        return 0;
    }

    @Override
    void writeHead(PingResp packet, int protocolLevel, int propertiesLength, ByteBuf out) {}
}
