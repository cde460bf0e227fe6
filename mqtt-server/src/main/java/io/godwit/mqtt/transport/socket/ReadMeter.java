package io.godwit.mqtt.transport.socket;

import io.godwit.mqtt.transport.ws.WebSocketFrames;
import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.util.ReferenceCountUtil;

/**
 * Reports reads to a connection: at the head of the pipeline the bytes on the wire, which count for its bandwidth, and
 * before the MQTT decoder that the client is alive. Plain TCP has one handler for both.
 */
public final class ReadMeter extends ChannelInboundHandlerAdapter {
    private final MqttConnection connection;
    private final Place place;

    private ReadMeter(MqttConnection connection, Place place) {
        this.connection = connection;
        this.place = place;
    }

    /** For a pipeline whose wire carries plain MQTT. */
    public static ReadMeter ofPlain(MqttConnection connection) {
        return new ReadMeter(connection, Place.PLAIN);
    }

    public static ReadMeter ofWire(MqttConnection connection) {
        return new ReadMeter(connection, Place.WIRE);
    }

    public static ReadMeter ofMqtt(MqttConnection connection) {
        return new ReadMeter(connection, Place.MQTT);
    }

    @Override
    public void channelRead(ChannelHandlerContext ctx, Object msg) {
        if (!connection.isOpen()) {
            readLate(ctx, msg);
            return;
        }
        if (msg instanceof ByteBuf bytes) {
            if (place != Place.MQTT) {
                connection.onBytesRead(bytes.readableBytes());
            }
            if (place != Place.WIRE) {
                connection.onMqttRead();
            }
        }
        ctx.fireChannelRead(msg);
    }

    /** Handles input that the peer sent before it knew of the close. */
    private void readLate(ChannelHandlerContext ctx, Object msg) {
        if (place != Place.MQTT && msg instanceof ByteBuf bytes) {
            connection.onBytesIgnored(bytes.readableBytes());
        }
        if (isForFrames(ctx)) {
            ctx.fireChannelRead(msg);
        } else {
            ReferenceCountUtil.release(msg);
        }
    }

    /** A WebSocket ends with a Close frame, which must still be read. */
    private boolean isForFrames(ChannelHandlerContext ctx) {
        return place == Place.WIRE && ctx.pipeline().context(WebSocketFrames.class) != null;
    }

    private enum Place {
        PLAIN,
        WIRE,
        MQTT
    }
}
