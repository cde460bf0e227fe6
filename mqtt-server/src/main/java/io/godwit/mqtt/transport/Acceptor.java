package io.godwit.mqtt.transport;

import io.godwit.mqtt.codec.PacketDecoder;
import io.godwit.mqtt.codec.PacketReadHandler;
import io.godwit.plugin.event.BrokerEvent;
import io.godwit.plugin.event.ConnectionLimit;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.socket.SocketChannel;
import java.net.InetSocketAddress;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Makes the pipeline of each connection that one listener accepts, and closes or refuses those that its limits forbid. Called on the connection's
 * event loop.
 */
final class Acceptor extends ChannelInitializer<SocketChannel> {
    private static final Logger LOG = LoggerFactory.getLogger(Acceptor.class);

    private final ListenerConfig config;
    private final Listener.Services services;
    private final ConnectionGate gate;

    Acceptor(ListenerConfig config, Listener.Services services) {
        this.config = config;
        this.services = services;
        this.gate = new ConnectionGate(config.limits(), System::nanoTime);
    }

    @Override
    protected void initChannel(SocketChannel channel) {
        LoopContext loop = LoopContext.current();
        if (loop == null) {
            throw new IllegalStateException("not on an event loop: " + Thread.currentThread());
        }
        InetSocketAddress peer = channel.remoteAddress();
        if (peer == null) { // gone again
            channel.close();
            return;
        }
        ConnectionLimit exceeded = enter(channel, peer);
        if (exceeded != null && !answers(channel)) {
            channel.close();
            return;
        }
        services.open().enter();
        PacketDecoder decoder = PacketDecoder.forServer(config.limits().maxPacketBytes());
        MqttConnection connection = new MqttConnection(
                channel, loop, config, services.metrics(), services.events(), decoder, services.open()::leave);
        connection.setHandler(
                exceeded == null ? services.handlers().apply(connection) : new RefusingHandler(connection, exceeded));
        channel.pipeline().addLast(new ReadMeter(connection), new PacketReadHandler(decoder), connection);
    }

    /** Asks the gate; counts and reports a refusal. */
    private @Nullable ConnectionLimit enter(SocketChannel channel, InetSocketAddress peer) {
        ConnectionLimit exceeded = gate.enter(peer.getAddress());
        if (exceeded == null) {
            if (!gate.admitsAll()) {
                channel.closeFuture().addListener(closed -> gate.leave(peer.getAddress()));
            }
            return null;
        }
        services.metrics().connectionRefused(exceeded);
        services.events()
                .onEvent(new BrokerEvent.ConnectionRefused(
                        config.transport(), peer.getAddress().getHostAddress() + ":" + peer.getPort(), exceeded));
        LOG.debug("connection refused listener={} remote={} limit={}", config.address(), peer, exceeded);
        return exceeded;
    }

    /** Whether the client is told of the refusal. */
    private boolean answers(SocketChannel channel) {
        if (!gate.beginRefusal()) {
            return false;
        }
        channel.closeFuture().addListener(closed -> gate.endRefusal());
        return true;
    }
}
