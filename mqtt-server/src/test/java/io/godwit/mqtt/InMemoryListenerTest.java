package io.godwit.mqtt;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.mqtt.codec.DecodeLimits;
import io.godwit.mqtt.codec.PacketDecoder;
import io.godwit.mqtt.codec.PacketEncoder;
import io.godwit.mqtt.packet.ConnAck;
import io.godwit.mqtt.packet.Connect;
import io.godwit.mqtt.packet.field.ReasonCode;
import io.godwit.mqtt.session.core.SessionConfig;
import io.godwit.mqtt.transport.Listener;
import io.godwit.mqtt.transport.config.TransportConfig;
import io.netty.bootstrap.Bootstrap;
import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.local.LocalChannel;
import io.netty.channel.local.LocalIoHandler;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** A listener without a socket, as the measurements of very many connections have it. */
class InMemoryListenerTest {
    private static final TransportConfig IN_MEMORY = new TransportConfig(
            2,
            true,
            TransportConfig.Io.IN_MEMORY,
            1024 * 1024,
            128 << 20,
            DecodeLimits.DEFAULTS,
            Duration.ofSeconds(5));

    private final CompletableFuture<ConnAck> answer = new CompletableFuture<>();
    private final CompletableFuture<Void> end = new CompletableFuture<>();

    @Test
    void aClientWithinTheProcessIsServedAndSentAwayAtTheEnd() throws Exception {
        EventLoopGroup clients = new MultiThreadIoEventLoopGroup(1, LocalIoHandler.newFactory());
        try (TestNode node = new TestNode(IN_MEMORY, SessionConfig.DEFAULTS)) {
            Channel channel = new Bootstrap()
                    .group(clients)
                    .channel(LocalChannel.class)
                    .handler(new Client())
                    .connect(Listener.inMemoryAddress(node.address))
                    .sync()
                    .channel();
            ByteBuf connect = channel.alloc().buffer();
            new PacketEncoder(5, -1, true).encode(new Connect(5, true, 60, "c", null, null, null), connect);
            channel.writeAndFlush(connect).sync();

            assertThat(answer.get(10, TimeUnit.SECONDS).reasonCode()).isEqualTo(ReasonCode.SUCCESS);
            node.server.close();
            end.get(10, TimeUnit.SECONDS);
        } finally {
            clients.shutdownGracefully(0, 1, TimeUnit.SECONDS).sync();
        }
    }

    private final class Client extends ChannelInboundHandlerAdapter {
        @Override
        public void channelRead(ChannelHandlerContext ctx, Object msg) {
            ByteBuf in = (ByteBuf) msg;
            try {
                if (!answer.isDone()) {
                    answer.complete((ConnAck) PacketDecoder.forClient(5, 1024).decode(in));
                }
            } finally {
                in.release();
            }
        }

        @Override
        public void channelInactive(ChannelHandlerContext ctx) {
            end.complete(null);
        }
    }
}
