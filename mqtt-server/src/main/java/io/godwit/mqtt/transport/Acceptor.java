package io.godwit.mqtt.transport;

import io.godwit.mqtt.codec.PacketDecoder;
import io.godwit.mqtt.codec.PacketReadHandler;
import io.godwit.mqtt.transport.tls.ServerTls;
import io.godwit.plugin.event.ConnectionLimit;
import io.netty.channel.Channel;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelPipeline;
import io.netty.channel.local.LocalAddress;
import io.netty.handler.ssl.SslHandler;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Makes the pipeline of each connection that one listener accepts, and closes or refuses those that its limits forbid.
 * Called on the connection's event loop.
 *
 * <pre>
 * tcp       ReadMeter, PacketReadHandler, MqttConnection
 * tls, ws   ReadMeter (wire), SslHandler, WebSocketUpgrade (later WebSocketFrames), ReadMeter (MQTT),
 *           PacketReadHandler, MqttConnection
 * </pre>
 *
 * with {@link ProxyHeader} behind the first meter until it has read its header. A client that is refused is told why as
 * long as few are, over TLS fewer ({@link ConnectionGate}).
 */
final class Acceptor extends ChannelInitializer<Channel> {
    private static final Logger LOG = LoggerFactory.getLogger(Acceptor.class);

    private static final InetSocketAddress WITHIN_PROCESS = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);

    private final ListenerConfig config;
    private final @Nullable ServerTls tls;
    private final Listener.Services services;
    private final ConnectionGate gate;
    private final ListenerScope scope;

    /** @param tls as the configuration says */
    Acceptor(ListenerConfig config, @Nullable ServerTls tls, Listener.Services services) {
        this.config = config;
        this.tls = tls;
        this.services = services;
        this.gate = new ConnectionGate(config.limits(), System::nanoTime);
        this.scope = new ListenerScope(config, services.reports(), services.halfReceived(), services.bans());
    }

    @Override
    protected void initChannel(Channel channel) {
        LoopContext loop = LoopContext.current();
        if (loop == null) {
            throw new IllegalStateException("not on an event loop: " + Thread.currentThread());
        }
        InetSocketAddress peer = peer(channel.remoteAddress());
        if (peer == null) { // gone again
            channel.close();
            return;
        }
        boolean isProxied = config.isProxy(peer.getAddress());
        ConnectionLimit exceeded = isProxied ? null : enter(channel, peer, loop);
        if (exceeded != null && !isTold(channel)) {
            channel.close();
            return;
        }
        SslHandler ssl = tls == null ? null : tls.newHandler(channel.alloc());
        PacketDecoder decoder = PacketDecoder.forServer(
                config.limits().maxPacketBytes(), services.transport().decodeLimits());
        services.open().enter();
        MqttConnection connection = new MqttConnection(channel, loop, scope, decoder, services.open()::leave);
        addHandlers(channel.pipeline(), connection, decoder, ssl);
        if (isProxied) {
            ProxyHeader header =
                    new ProxyHeader(source -> admitProxied(channel, connection, source == null ? peer : source));
            channel.pipeline()
                    .addAfter(channel.pipeline().context(ReadMeter.class).name(), null, header);
        } else {
            connection.setHandler(handler(connection, exceeded));
        }
    }

    /** A client within the process counts as one of this machine; null stays null. */
    private static @Nullable InetSocketAddress peer(@Nullable SocketAddress address) {
        return address instanceof LocalAddress ? WITHIN_PROCESS : (InetSocketAddress) address;
    }

    private void addHandlers(
            ChannelPipeline pipeline, MqttConnection connection, PacketDecoder decoder, @Nullable SslHandler ssl) {
        String path = config.webSocketPath();
        boolean isPlain = ssl == null && path == null;
        pipeline.addLast(isPlain ? ReadMeter.ofPlain(connection) : ReadMeter.ofWire(connection));
        if (ssl != null) {
            pipeline.addLast(ssl);
        }
        if (path != null) {
            pipeline.addLast(WebSocketUpgrade.newHttpCodec(), new WebSocketUpgrade(path, config.origins(), connection));
        }
        if (!isPlain) {
            pipeline.addLast(ReadMeter.ofMqtt(connection));
        }
        pipeline.addLast(new PacketReadHandler(decoder, connection), connection);
    }

    private PacketHandler handler(MqttConnection connection, @Nullable ConnectionLimit exceeded) {
        return exceeded == null ? services.handlers().apply(connection) : new RefusingHandler(connection, exceeded);
    }

    private void admitProxied(Channel channel, MqttConnection connection, InetSocketAddress source) {
        connection.setSource(source);
        ConnectionLimit exceeded = enter(channel, source, connection.loop());
        if (exceeded != null && !isTold(channel)) {
            channel.close();
        } else {
            connection.setHandler(handler(connection, exceeded));
        }
    }

    /** Asks the gate; counts and reports a refusal. */
    private @Nullable ConnectionLimit enter(Channel channel, InetSocketAddress source, LoopContext loop) {
        ConnectionLimit exceeded = exceeded(source.getAddress(), loop);
        if (exceeded == null) {
            if (!gate.admitsAll()) {
                channel.closeFuture().addListener(closed -> gate.leave(source.getAddress()));
            }
            return null;
        }
        services.reports().connectionRefused(config.name(), source, exceeded);
        LOG.debug("connection refused listener={} remote={} limit={}", config.name(), source, exceeded);
        return exceeded;
    }

    private @Nullable ConnectionLimit exceeded(InetAddress source, LoopContext loop) {
        if (loop.isMemoryShort()) {
            return ConnectionLimit.MEMORY;
        }
        return services.bans().isBanned(source) ? ConnectionLimit.BANNED : gate.enter(source);
    }

    /** Whether the client gets to know that it is refused. */
    private boolean isTold(Channel channel) {
        if (!gate.beginRefusal(tls != null)) {
            return false;
        }
        channel.closeFuture().addListener(closed -> gate.endRefusal());
        return true;
    }
}
