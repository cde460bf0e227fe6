package io.godwit.mqtt.transport;

import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.socket.DuplexChannel;
import io.netty.handler.ssl.SslHandler;
import io.netty.util.concurrent.Future;

/**
 * How a socket is ended: when the last output has gone, each layer says so to the peer, who then closes its side. On
 * the channel's event loop.
 */
final class Farewell {
    private Farewell() {}

    static void say(Channel channel) {
        SslHandler tls = channel.pipeline().get(SslHandler.class);
        if (tls != null && !tls.handshakeFuture().isSuccess()) {
            channel.close(); // nothing can be said yet
        } else {
            then(channel, channel.writeAndFlush(Unpooled.EMPTY_BUFFER), () -> endFrames(channel));
        }
    }

    /**
     * The same to a peer that has nothing more to say, over a plain socket: that is closed once it has taken the last
     * output. To end only our side of it and wait for the peer's costs a good part of what a short connection costs in
     * all.
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
