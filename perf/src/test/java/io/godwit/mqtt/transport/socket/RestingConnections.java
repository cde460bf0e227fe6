package io.godwit.mqtt.transport.socket;

import io.godwit.mqtt.codec.PacketDecoder;
import io.godwit.mqtt.packet.Connect;
import io.godwit.mqtt.transport.connection.Connection;
import io.godwit.mqtt.transport.loop.LoopContext;
import io.godwit.mqtt.transport.report.MqttMetrics;
import io.godwit.mqtt.transport.report.MqttReports;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.local.LocalChannel;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;

/**
 * Accepted connections of clients that only ping, on channels to which nothing is written, all on one event loop, which
 * is the thread that created this object and calls {@link #sweep}.
 */
public final class RestingConnections {
    private final ArrayDeque<Runnable> tasks = new ArrayDeque<>();
    private final LoopContext loop = new LoopContext(0, tasks::add);
    private final MqttReports reports = new MqttReports(new MqttMetrics(new SimpleMeterRegistry()), event -> {});
    private final ListenerScope scope = SinkConnections.scope(reports);
    /** Of connections that have not begun. */
    private final List<ChannelHandlerContext> contexts = new ArrayList<>();

    private final List<MqttConnection> connections = new ArrayList<>();

    public RestingConnections() {
        loop.bindToCurrentThread();
    }

    public MqttReports reports() {
        return reports;
    }

    /** A connection of an MQTT 5.0 client. */
    public Connection open(int keepAliveSeconds) {
        LocalChannel channel = new LocalChannel();
        MqttConnection connection =
                new MqttConnection(channel, loop, scope, PacketDecoder.forServer(1 << 20), () -> {});
        channel.pipeline().addLast(connection);
        connection.setUp(new Connect(5, true, keepAliveSeconds, "c", null, null, null), keepAliveSeconds);
        contexts.add(channel.pipeline().firstContext());
        return connection;
    }

    /**
     * Begins all connections, in an order that differs from that of their memory, as it does after garbage collections
     * and when connections come and go.
     */
    public void begin() {
        Collections.shuffle(contexts, new Random(7));
        for (ChannelHandlerContext context : contexts) {
            MqttConnection connection = (MqttConnection) context.handler();
            connections.add(connection);
            connection.channelActive(context);
            connection.accepted();
        }
        contexts.clear();
    }

    /** The client at this place sends a ping. */
    public void ping(int place) {
        connections.get(place).onMqttRead();
    }

    /** Advances by a second, with a whole pass over all connections. */
    public void sweep() {
        loop.sweep();
        for (Runnable task = tasks.poll(); task != null; task = tasks.poll()) {
            task.run();
        }
    }

    /** The number of connections that are still open. */
    public long open() {
        return connections.stream().filter(Connection::isOpen).count();
    }
}
