package io.godwit.mqtt.transport.socket;

import io.godwit.dist.client.SharedPick;
import io.godwit.mqtt.transport.config.ListenerLimits;
import io.godwit.mqtt.transport.connection.Connection;
import io.godwit.mqtt.transport.limit.Bans;
import io.godwit.mqtt.transport.report.MqttReports;
import io.godwit.mqtt.transport.tls.PeerName;
import io.godwit.mqtt.transport.tls.TlsConfig;
import io.godwit.plugin.client.ClientInfo;
import io.netty.channel.Channel;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.handler.ssl.SslHandler;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.security.cert.X509Certificate;
import javax.net.ssl.SSLSession;
import org.jspecify.annotations.Nullable;

/**
 * A socket that a listener has accepted: where it comes from, what its listener says about it, and who it is by its TLS
 * certificate. Counts its faults against its source ({@link Bans}). Confined to the channel's event loop, except for
 * {@link #remoteAddress}.
 *
 * <p>It is a base class of {@link MqttConnection} and not an object of its own, because it would be one more object per
 * connection.
 */
abstract class AcceptedSocket extends ChannelInboundHandlerAdapter implements Connection {
    final Channel channel;
    final ListenerScope scope;

    /** The client's address from a proxy; null without one. */
    private @Nullable InetSocketAddress source;

    AcceptedSocket(Channel channel, ListenerScope scope) {
        this.channel = channel;
        this.scope = scope;
    }

    // ---- its listener

    final ListenerLimits limits() {
        return scope.config().limits();
    }

    @Override
    public String listener() {
        return scope.config().name();
    }

    @Override
    public String mountPoint() {
        return scope.config().mountPoint();
    }

    @Override
    public @Nullable SharedPick sharedPick() {
        return scope.config().sharedPick();
    }

    @Override
    public String tenant() {
        return scope.config().tenant();
    }

    @Override
    public int maxPacketBytes() {
        return limits().maxPacketBytes();
    }

    // ---- its address

    @Override
    public String remoteAddress() {
        return MqttReports.text(source == null ? channel.remoteAddress() : source);
    }

    /** Null when the peer was gone before the address was read. */
    private @Nullable InetAddress sourceAddress() {
        if (source != null) {
            return source.getAddress();
        }
        return channel.remoteAddress() instanceof InetSocketAddress peer ? peer.getAddress() : null;
    }

    @Override
    public void loginFailed() {
        InetAddress address = sourceAddress();
        if (address != null) {
            scope.bans().loginFailed(address);
        }
    }

    public void setSource(InetSocketAddress client) {
        source = client;
    }

    /** The client has violated a protocol. */
    final void countViolation() {
        InetAddress address = sourceAddress();
        if (address != null) {
            scope.bans().violated(address);
        }
    }

    /**
     * The connection is over.
     *
     * @param client null before CONNECT was accepted
     * @param ticks for which it was open
     */
    final void countFlap(@Nullable ClientInfo client, int ticks) {
        InetAddress address = sourceAddress();
        if (client != null && address != null && scope.bans().isFlap(ticks)) {
            scope.bans().flapped(address, client, mountPoint());
        }
    }

    // ---- TLS

    @Override
    public @Nullable String serverName() {
        SSLSession session = tlsSession();
        return session == null ? null : PeerName.requestedHost(session);
    }

    @Override
    public @Nullable X509Certificate certificate() {
        SSLSession session = tlsSession();
        return session == null ? null : PeerName.certificateOf(session);
    }

    private @Nullable SSLSession tlsSession() {
        SslHandler ssl =
                scope.config().tls() == null ? null : channel.pipeline().get(SslHandler.class);
        return ssl == null ? null : ssl.engine().getSession();
    }

    @Override
    public @Nullable String certificateUserName() {
        TlsConfig tls = scope.config().tls();
        SSLSession session = tlsSession();
        return tls == null || session == null ? null : PeerName.of(session, tls.userName());
    }
}
