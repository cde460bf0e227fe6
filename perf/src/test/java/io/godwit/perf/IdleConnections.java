package io.godwit.perf;

import io.godwit.mqtt.codec.PacketDecoder;
import io.godwit.mqtt.codec.PacketEncoder;
import io.godwit.mqtt.packet.Connect;
import io.godwit.mqtt.packet.Packet;
import io.godwit.mqtt.packet.Subscribe;
import io.godwit.mqtt.packet.field.Subscription;
import io.godwit.plugin.message.Qos;
import io.godwit.plugin.topic.TopicFilter;
import io.godwit.testing.Pace;
import io.netty.bootstrap.Bootstrap;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.nio.NioSocketChannel;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslContextBuilder;
import io.netty.handler.ssl.SslProvider;
import io.netty.handler.ssl.util.InsecureTrustManagerFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;

/**
 * Measures the memory that an idle connection with one subscription costs the broker: opens connections, holds them,
 * and prints the broker process's resident memory and (by {@code jcmd}, after a collection) its heap before and after,
 * per connection.
 *
 * <p>Arguments: broker's pid, host, port, {@code tcp} or {@code tls}, number of connections.
 */
final class IdleConnections {
    private static final int WARM_UP = 100;
    private static final int IN_PROGRESS = 50;

    private final Bootstrap bootstrap;
    private final Semaphore room = new Semaphore(IN_PROGRESS);
    private final Semaphore subscribed = new Semaphore(0);

    private IdleConnections(EventLoopGroup group, String host, int port, boolean isTls) throws Exception {
        SslContext ssl = isTls
                ? SslContextBuilder.forClient()
                        .sslProvider(SslProvider.JDK)
                        .trustManager(InsecureTrustManagerFactory.INSTANCE)
                        .endpointIdentificationAlgorithm(null)
                        .build()
                : null;
        bootstrap = new Bootstrap()
                .group(group)
                .channel(NioSocketChannel.class)
                .remoteAddress(host, port)
                .handler(new ChannelInitializer<>() {
                    @Override
                    protected void initChannel(Channel channel) {
                        if (ssl != null) {
                            channel.pipeline().addLast(ssl.newHandler(channel.alloc()));
                        }
                        channel.pipeline().addLast(new Client());
                    }
                });
    }

    public static void main(String[] args) throws Exception {
        long pid = Long.parseLong(args[0]);
        int count = Integer.parseInt(args[4]);
        EventLoopGroup group = new MultiThreadIoEventLoopGroup(1, NioIoHandler.newFactory());
        try {
            IdleConnections load =
                    new IdleConnections(group, args[1], Integer.parseInt(args[2]), args[3].equals("tls"));
            load.open(WARM_UP); // loads classes and fills pools before the first measurement
            Memory before = Memory.of(pid);
            load.open(count);
            Memory after = Memory.of(pid);
            System.out.printf(
                    "%s connections=%d resident=%.1f KB heap=%.1f KB each (resident %d -> %d KB, heap %d -> %d KB)%n",
                    args[3],
                    count,
                    (after.residentKb - before.residentKb) / (double) count,
                    (after.heapKb - before.heapKb) / (double) count,
                    before.residentKb,
                    after.residentKb,
                    before.heapKb,
                    after.heapKb);
        } finally {
            group.shutdownGracefully(0, 5, TimeUnit.SECONDS).sync();
        }
    }

    private void open(int count) throws InterruptedException {
        for (int i = 0; i < count; i++) {
            room.acquire();
            bootstrap.connect().sync();
        }
        subscribed.acquire(count);
        Pace.passMillis(3_000); // garbage of handshakes is gone by then
    }

    /** Connects, subscribes, and then does nothing. */
    private final class Client extends ChannelInboundHandlerAdapter {
        private final PacketEncoder encoder = new PacketEncoder(5, -1, true);
        private final PacketDecoder decoder = PacketDecoder.forClient(5, 1024);
        private final ByteBuf read = Unpooled.buffer(64);
        private int packets;

        @Override
        public void channelActive(ChannelHandlerContext ctx) {
            String id = "idle-" + ctx.channel().id().asLongText();
            send(ctx, new Connect(5, true, 0, id, null, null, null));
            TopicFilter filter = TopicFilter.parse("idle/" + id).orElseThrow();
            send(ctx, new Subscribe(1, List.of(new Subscription(filter, Qos.AT_LEAST_ONCE))));
        }

        private void send(ChannelHandlerContext ctx, Packet packet) {
            ByteBuf out = ctx.alloc().buffer();
            encoder.encode(packet, out);
            ctx.writeAndFlush(out);
        }

        @Override
        public void channelRead(ChannelHandlerContext ctx, Object msg) {
            ByteBuf in = (ByteBuf) msg;
            read.writeBytes(in);
            in.release();
            while (decoder.decode(read) != null) {
                if (++packets == 2) { // CONNACK, SUBACK
                    room.release();
                    subscribed.release();
                }
            }
        }

        @Override
        public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
            cause.printStackTrace();
            System.exit(1);
        }
    }

    private record Memory(long residentKb, long heapKb) {
        static Memory of(long pid) throws Exception {
            jcmd(pid, "GC.run");
            jcmd(pid, "GC.run");
            String heap = jcmd(pid, "GC.heap_info");
            String status = Files.readString(Path.of("/proc/" + pid + "/status"));
            return new Memory(number(status, "VmRSS:\\s+(\\d+) kB"), number(heap, "used (\\d+)K"));
        }

        private static String jcmd(long pid, String command) throws Exception {
            Process process = new ProcessBuilder("jcmd", Long.toString(pid), command)
                    .redirectErrorStream(true)
                    .start();
            String text = new String(process.getInputStream().readAllBytes(), java.nio.charset.StandardCharsets.UTF_8);
            process.waitFor();
            return text;
        }

        private static long number(String text, String pattern) {
            java.util.regex.Matcher matcher =
                    java.util.regex.Pattern.compile(pattern).matcher(text);
            if (!matcher.find()) {
                throw new IllegalStateException("no " + pattern + " in " + text);
            }
            return Long.parseLong(matcher.group(1));
        }
    }
}
