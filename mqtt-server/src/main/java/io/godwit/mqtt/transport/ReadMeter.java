package io.godwit.mqtt.transport;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.util.ReferenceCountUtil;

/** Tells a connection how many bytes it read, before they are decoded. */
final class ReadMeter extends ChannelInboundHandlerAdapter {
    private final MqttConnection connection;

    ReadMeter(MqttConnection connection) {
        this.connection = connection;
    }

    @Override
    public void channelRead(ChannelHandlerContext ctx, Object msg) {
        if (!connection.isOpen()) {
            ReferenceCountUtil.release(msg); // sent before the peer knew that we close
            return;
        }
        if (msg instanceof ByteBuf bytes) {
            connection.onBytesRead(bytes.readableBytes());
        }
        ctx.fireChannelRead(msg);
    }
}
