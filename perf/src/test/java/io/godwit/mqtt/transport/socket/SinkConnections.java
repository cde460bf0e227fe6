package io.godwit.mqtt.transport.socket;

import io.godwit.mqtt.codec.PacketDecoder;
import io.godwit.mqtt.packet.Connect;
import io.godwit.mqtt.transport.config.ListenerConfig;
import io.godwit.mqtt.transport.config.ListenerLimits;
import io.godwit.mqtt.transport.connection.Connection;
import io.godwit.mqtt.transport.limit.Bans;
import io.godwit.mqtt.transport.limit.HalfReceived;
import io.godwit.mqtt.transport.loop.LoopContext;
import io.godwit.mqtt.transport.report.MqttMetrics;
import io.godwit.mqtt.transport.report.MqttReports;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelOutboundHandlerAdapter;
import io.netty.channel.ChannelPromise;
import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.util.ReferenceCountUtil;
import java.net.InetSocketAddress;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;

/**
 * Accepted connections whose sockets accept everything at once and discard it, all on one event loop, which is the
 * thread that created this object and calls {@link #runLoop}.
 */
public final class SinkConnections implements AutoCloseable {
    private final ArrayDeque<Runnable> tasks = new ArrayDeque<>();
    private final LoopContext loop = new LoopContext(0, tasks::add);
    private final MqttReports reports = new MqttReports(new MqttMetrics(new SimpleMeterRegistry()), event -> {});
    private final ListenerScope scope = scope(reports);
    private final List<EmbeddedChannel> channels = new ArrayList<>();
    private long bytes;

    public SinkConnections() {
        loop.bindToCurrentThread();
    }

    /** The scope of a listener without limits. */
    static ListenerScope scope(MqttReports reports) {
        return new ListenerScope(
                ListenerConfig.tcp(
                        new InetSocketAddress(0),
                        new ListenerLimits(1 << 20, 0, 0, java.time.Duration.ofSeconds(20), 0, 0, 0, 0)),
                reports,
                new HalfReceived(1 << 20),
                Bans.NONE);
    }

    public LoopContext loop() {
        return loop;
    }

    public MqttReports reports() {
        return reports;
    }

    /** Bytes that all sockets have accepted. */
    public long bytes() {
        return bytes;
    }

    /** A connection of an MQTT 5.0 client. */
    public Connection open() {
        EmbeddedChannel channel = new EmbeddedChannel(new Sink());
        channels.add(channel);
        MqttConnection connection =
                new MqttConnection(channel, loop, scope, PacketDecoder.forServer(1 << 20), () -> {});
        channel.pipeline().addLast(connection);
        connection.setUp(new Connect(5, true, 0, "c", null, null, null), 0);
        connection.accepted();
        return connection;
    }

    /** Runs the tasks of the loop that follow its reads. */
    public void runLoop() {
        for (Runnable task = tasks.poll(); task != null; task = tasks.poll()) {
            task.run();
        }
    }

    @Override
    public void close() {
        channels.forEach(EmbeddedChannel::finishAndReleaseAll);
    }

    /** Keeps writes from the channel, whose flush would run an event loop of its own. */
    private final class Sink extends ChannelOutboundHandlerAdapter {
        @Override
        public void flush(ChannelHandlerContext ctx) {
            // taken already
        }

        @Override
        public void write(ChannelHandlerContext ctx, Object msg, ChannelPromise promise) {
            bytes += ((io.netty.buffer.ByteBuf) msg).readableBytes();
            ReferenceCountUtil.release(msg);
            if (!promise.isVoid()) {
                promise.setSuccess();
            }
        }
    }
}
