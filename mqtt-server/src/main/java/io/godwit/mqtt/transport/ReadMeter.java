package io.godwit.mqtt.transport;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;

/** Tells a connection how many bytes it read, before they are decoded. */
final class ReadMeter extends ChannelInboundHandlerAdapter {
    private final MqttConnection connection;

    ReadMeter(MqttConnection connection) {
        this.connection = connection;
    }

    @Override
    public void channelRead(ChannelHandlerContext ctx, Object msg) {
        if (msg instanceof ByteBuf bytes) {
            connection.onBytesRead(bytes.readableBytes());
        }
        ctx.fireChannelRead(msg);
    }
}
