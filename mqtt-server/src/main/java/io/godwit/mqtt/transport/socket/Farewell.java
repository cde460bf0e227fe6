package io.godwit.mqtt.transport.socket;

import io.godwit.mqtt.transport.ws.WebSocketFrames;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.socket.DuplexChannel;
import io.netty.handler.ssl.SslHandler;
import io.netty.util.concurrent.Future;

/**
 * Ends a socket: after the last output, each layer sends its close to the peer, which then closes its side. On the
 * channel's event loop.
 */
final class Farewell {
    private Farewell() {}

    static void say(Channel channel) {
        SslHandler tls = channel.pipeline().get(SslHandler.class);
        if (tls != null && !tls.handshakeFuture().isSuccess()) {
            channel.close(); // nothing can be sent yet
        } else {
            then(channel, channel.writeAndFlush(Unpooled.EMPTY_BUFFER), () -> endFrames(channel));
        }
    }

    /**
     * The same for a peer that has sent its DISCONNECT. A plain socket is closed once it has taken the last output:
     * half-closing it and waiting for the peer would cost a large part of a short connection.
     */
    static void sayAgreed(Channel channel) {
        boolean isPlain = channel.pipeline().get(SslHandler.class) == null
                && channel.pipeline().context(WebSocketFrames.class) == null;
        if (isPlain) {
            channel.writeAndFlush(Unpooled.EMPTY_BUFFER).addListener(done -> channel.close());
        } else {
            say(channel);
        }
    }

    private static void endFrames(Channel channel) {
        ChannelHandlerContext context = channel.pipeline().context(WebSocketFrames.class);
        if (context == null) {
            endTls(channel);
            return;
        }
        WebSocketFrames frames = (WebSocketFrames) context.handler();
        then(channel, frames.sayClose(context), () -> {
            if (frames.isOver()) {
                endTls(channel);
            } // else the client's Close frame ends it
        });
    }

    private static void endTls(Channel channel) {
        SslHandler tls = channel.pipeline().get(SslHandler.class);
        if (tls == null) {
            endSocket(channel);
        } else {
            then(channel, tls.closeOutbound(), () -> endSocket(channel));
        }
    }

    private static void endSocket(Channel channel) {
        if (channel instanceof DuplexChannel duplex) {
            duplex.shutdownOutput();
        } else {
            channel.close();
        }
    }

    private static void then(Channel channel, Future<?> step, Runnable next) {
        step.addListener(done -> {
            if (done.isSuccess()) {
                next.run();
            } else {
                channel.close();
            }
        });
    }
}
