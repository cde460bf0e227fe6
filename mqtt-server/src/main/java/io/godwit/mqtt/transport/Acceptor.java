package io.godwit.mqtt.transport;

import io.godwit.mqtt.codec.DecodeLimits;
import io.godwit.mqtt.codec.PacketDecoder;
import io.godwit.mqtt.codec.PacketReadHandler;
import io.godwit.mqtt.transport.config.ListenerConfig;
import io.godwit.mqtt.transport.config.ListenerLimits;
import io.godwit.mqtt.transport.connection.PacketHandler;
import io.godwit.mqtt.transport.limit.ConnectionGate;
import io.godwit.mqtt.transport.loop.LoopContext;
import io.godwit.mqtt.transport.socket.ListenerScope;
import io.godwit.mqtt.transport.socket.MqttConnection;
import io.godwit.mqtt.transport.socket.ReadMeter;
import io.godwit.mqtt.transport.tls.ServerTls;
import io.godwit.mqtt.transport.ws.WebSocketUpgrade;
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
 * with {@link ProxyHeader} after the first meter until it has read its header. A refused client gets the reason only
 * while few refusals are under way, over TLS even fewer ({@link ConnectionGate}).
 */
final class Acceptor extends ChannelInitializer<Channel> {
    private static final Logger LOG = LoggerFactory.getLogger(Acceptor.class);

    private static final InetSocketAddress WITHIN_PROCESS = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);

    private final @Nullable ServerTls tls;
    private final ListenerServices services;
    private final ConnectionGate gate;
    /** Used by new connections. Volatile: replaced while connections arrive on any loop. */
    private volatile Terms terms;

    /** The settings that a connection is accepted with, and keeps. */
    private record Terms(ListenerScope scope, DecodeLimits decodeLimits) {
        ListenerConfig config() {
            return scope.config();
        }
    }

    /** @param tls from the configuration; null for none */
    Acceptor(ListenerConfig config, @Nullable ServerTls tls, ListenerServices services) {
        this.tls = tls;
        this.services = services;
        this.gate = new ConnectionGate(config.limits(), System::nanoTime);
        this.terms = terms(config, services.transport().decodeLimits());
    }

    private Terms terms(ListenerConfig config, DecodeLimits decodeLimits) {
        return new Terms(
                new ListenerScope(config, services.reports(), services.halfReceived(), services.bans()), decodeLimits);
    }

    /** For new connections. Any thread. */
    void reconfigure(ListenerLimits limits, DecodeLimits decodeLimits) {
        gate.reconfigure(limits);
        terms = terms(terms.config().withLimits(limits), decodeLimits);
    }

    @Override
    protected void initChannel(Channel channel) {
        LoopContext loop = LoopContext.current();
        if (loop == null) {
            throw new IllegalStateException("not on an event loop: " + Thread.currentThread());
        }
        InetSocketAddress peer = peer(channel.remoteAddress());
        if (peer == null) { // already closed
            channel.close();
            return;
        }
        Terms accepted = terms;
        ListenerConfig config = accepted.config();
        boolean isProxied = config.isProxy(peer.getAddress());
        ConnectionLimit exceeded = isProxied ? null : enter(channel, peer, loop);
        if (exceeded != null && !isTold(channel)) {
            channel.close();
            return;
        }
        SslHandler ssl = tls == null ? null : tls.newHandler(channel.alloc());
        PacketDecoder decoder = PacketDecoder.forServer(config.limits().maxPacketBytes(), accepted.decodeLimits());
        services.open().enter();
        MqttConnection connection =
                new MqttConnection(channel, loop, accepted.scope(), decoder, services.open()::leave);
        addHandlers(channel.pipeline(), config, connection, decoder, ssl);
        if (isProxied) {
            ProxyHeader header =
                    new ProxyHeader(source -> admitProxied(channel, connection, source == null ? peer : source));
            channel.pipeline()
                    .addAfter(channel.pipeline().context(ReadMeter.class).name(), null, header);
        } else {
            connection.setHandler(handler(connection, exceeded));
        }
    }

    /** A client within the process counts as local; null stays null. */
    private static @Nullable InetSocketAddress peer(@Nullable SocketAddress address) {
        return address instanceof LocalAddress ? WITHIN_PROCESS : (InetSocketAddress) address;
    }

    private void addHandlers(
            ChannelPipeline pipeline,
            ListenerConfig config,
            MqttConnection connection,
            PacketDecoder decoder,
            @Nullable SslHandler ssl) {
        String path = config.webSocketPath();
        boolean isPlain = ssl == null && path == null;
        pipeline.addLast(isPlain ? ReadMeter.ofPlain(connection) : ReadMeter.ofWire(connection));
        if (ssl != null) {
            pipeline.addLast(ssl);
        }
        if (path != null) {
            pipeline.addLast(
                    WebSocketUpgrade.newHttpCodec(),
                    new WebSocketUpgrade(path, config.origins(), connection, connection::violated));
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

    /** Asks the memory guard, the bans and the gate; counts and reports a refusal. */
    private @Nullable ConnectionLimit enter(Channel channel, InetSocketAddress source, LoopContext loop) {
        boolean isOfSource = gate.countsSources();
        ConnectionLimit exceeded = exceeded(source.getAddress(), isOfSource, loop);
        if (exceeded == null) {
            channel.closeFuture().addListener(closed -> gate.leave(source.getAddress(), isOfSource));
            return null;
        }
        ListenerConfig config = terms.config();
        services.reports().connectionRefused(config.name(), source, exceeded);
        LOG.debug("connection refused listener={} remote={} limit={}", config.name(), source, exceeded);
        return exceeded;
    }

    private @Nullable ConnectionLimit exceeded(InetAddress source, boolean isOfSource, LoopContext loop) {
        if (loop.isMemoryShort()) {
            return ConnectionLimit.MEMORY;
        }
        return services.bans().isBanned(source) ? ConnectionLimit.BANNED : gate.enter(source, isOfSource);
    }

    /** Whether the client may be told the reason of its refusal. */
    private boolean isTold(Channel channel) {
        if (!gate.beginRefusal(tls != null)) {
            return false;
        }
        channel.closeFuture().addListener(closed -> gate.endRefusal());
        return true;
    }
}
