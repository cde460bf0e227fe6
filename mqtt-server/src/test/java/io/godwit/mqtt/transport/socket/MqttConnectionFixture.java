package io.godwit.mqtt.transport.socket;

import io.godwit.mqtt.codec.PacketDecoder;
import io.godwit.mqtt.codec.PacketReadHandler;
import io.godwit.mqtt.packet.Connect;
import io.godwit.mqtt.packet.Packet;
import io.godwit.mqtt.packet.PingResp;
import io.godwit.mqtt.transport.config.ListenerConfig;
import io.godwit.mqtt.transport.config.ListenerLimits;
import io.godwit.mqtt.transport.connection.PacketHandler;
import io.godwit.mqtt.transport.limit.Bans;
import io.godwit.mqtt.transport.limit.HalfReceived;
import io.godwit.mqtt.transport.loop.LoopContext;
import io.godwit.mqtt.transport.report.MqttMetrics;
import io.godwit.mqtt.transport.report.MqttReports;
import io.godwit.plugin.event.BrokerEvent;
import io.godwit.plugin.event.DisconnectCause;
import io.godwit.plugin.event.ThrottleCause;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelOutboundHandlerAdapter;
import io.netty.channel.embedded.EmbeddedChannel;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;

/** A connection on an embedded channel, with a hand-moved sweep and a handler that records what it is told. */
abstract class MqttConnectionFixture {
    private static final ListenerConfig CONFIG = listener(0, 0);

    final EmbeddedChannel channel = new EmbeddedChannel();
    final LoopContext loop = new LoopContext(0, channel.eventLoop());
    final Recorder recorder = new Recorder();
    final List<BrokerEvent> events = new ArrayList<>();
    final MeterRegistry meters = new SimpleMeterRegistry();
    private final MqttReports reports = new MqttReports(new MqttMetrics(meters), events::add);
    final HalfReceived halfReceived = new HalfReceived(1 << 20);
    MqttConnection connection = connection(CONFIG);

    @BeforeEach
    void bind() {
        channel.freezeTime(); // no turn ends since the machine was busy
        loop.bindToCurrentThread();
    }

    @AfterEach
    void finish() {
        channel.finishAndReleaseAll();
    }

    static ListenerConfig listener(long maxConnBandwidth, int maxPublishRate) {
        return ListenerConfig.tcp(
                new InetSocketAddress(0),
                new ListenerLimits(1024, maxConnBandwidth, maxPublishRate, Duration.ofSeconds(3), 0, 0, 0, 0));
    }

    MqttConnection connection(ListenerConfig config) {
        PacketDecoder decoder = PacketDecoder.forServer(config.limits().maxPacketBytes());
        MqttConnection made = new MqttConnection(
                channel, loop, new ListenerScope(config, reports, halfReceived, Bans.NONE), decoder, () -> {});
        made.setHandler(recorder);
        return made;
    }

    void open() {
        PacketDecoder decoder = PacketDecoder.forServer(1024);
        channel.pipeline().addLast(ReadMeter.ofPlain(connection), new PacketReadHandler(decoder, connection));
        channel.pipeline().addLast(connection);
        channel.pipeline().fireChannelActive();
    }

    void accept(int keepAliveSeconds) {
        open();
        connection.setUp(new Connect(5, true, keepAliveSeconds, "c", null, null, null), keepAliveSeconds);
        connection.accepted();
    }

    void sweep(int times) {
        for (int i = 0; i < times; i++) {
            loop.sweep();
            channel.runPendingTasks();
        }
    }

    List<Packet> written() {
        PacketDecoder decoder = PacketDecoder.forClient(5, 1024);
        List<Packet> packets = new ArrayList<>();
        for (ByteBuf buffer = channel.readOutbound(); buffer != null; buffer = channel.readOutbound()) {
            for (Packet packet = decoder.decode(buffer); packet != null; packet = decoder.decode(buffer)) {
                packets.add(packet);
            }
            buffer.release();
        }
        return packets;
    }

    double pauses(ThrottleCause cause) {
        return meters.get("godwit.mqtt.pauses")
                .tag("cause", cause.name().toLowerCase(Locale.ROOT))
                .functionCounter()
                .count();
    }

    void answer(int bytes) {
        for (int i = 0; i < bytes / 2; i++) {
            connection.send(new PingResp());
        }
        channel.runPendingTasks();
    }

    /** Accepts nothing while it is stuck. */
    static final class StuckSocket extends ChannelOutboundHandlerAdapter {
        boolean isStuck = true;

        @Override
        public void flush(ChannelHandlerContext ctx) {
            if (!isStuck) {
                ctx.flush();
            }
        }
    }

    static class Recorder implements PacketHandler {
        @Nullable
        String closed;

        @Nullable
        DisconnectCause cause;

        int closings;
        int writables;
        int packets;
        int ticks;
        boolean wantsTicks;

        @Override
        public void onPacket(Packet packet) {
            packets++;
        }

        @Override
        public void onReadComplete() {}

        @Override
        public void onWritable() {
            writables++;
        }

        @Override
        public boolean onTick() {
            ticks++;
            return wantsTicks;
        }

        @Override
        public void onShutdown() {}

        @Override
        public void onClosed(DisconnectCause cause, String reason) {
            this.cause = cause;
            closed = reason;
            closings++;
        }
    }
}
