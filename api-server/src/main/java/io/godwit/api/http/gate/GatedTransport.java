package io.godwit.api.http.gate;

import io.netty.bootstrap.Bootstrap;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFactory;
import io.netty.channel.IoHandlerFactory;
import io.netty.channel.ServerChannel;
import io.netty.channel.socket.DatagramChannel;
import io.netty.channel.socket.InternetProtocolFamily;
import io.vertx.core.net.TcpConfig;
import io.vertx.core.spi.transport.Transport;

/** Vert.x's NIO transport, with an {@link AcceptGate} in each server channel: Vert.x has no connection limit. */
final class GatedTransport implements io.vertx.core.transport.Transport, Transport {
    private final Transport nio = NIO.implementation();
    private final AcceptGate gate;

    GatedTransport(AcceptGate gate) {
        this.gate = gate;
    }

    @Override
    public ChannelFactory<? extends ServerChannel> serverChannelFactory(boolean domainSocket) {
        ChannelFactory<? extends ServerChannel> plain = nio.serverChannelFactory(domainSocket);
        return () -> {
            ServerChannel channel = plain.newChannel();
            channel.pipeline().addLast("accept-gate", gate);
            return channel;
        };
    }

    @Override
    public String name() {
        return "gated-nio";
    }

    @Override
    public boolean available() {
        return true;
    }

    @Override
    public Throwable unavailabilityCause() {
        throw new IllegalStateException("NIO is available");
    }

    @Override
    public Transport implementation() {
        return this;
    }

    @Override
    public IoHandlerFactory ioHandlerFactory() {
        return nio.ioHandlerFactory();
    }

    @Override
    @SuppressWarnings("deprecation") // deprecated in Netty, but Vert.x asks for it
    public DatagramChannel datagramChannel(InternetProtocolFamily family) {
        return nio.datagramChannel(family);
    }

    @Override
    public ChannelFactory<? extends DatagramChannel> datagramChannelFactory() {
        return nio.datagramChannelFactory();
    }

    @Override
    public ChannelFactory<? extends Channel> channelFactory(boolean domainSocket) {
        return nio.channelFactory(domainSocket);
    }

    @Override
    public void configure(TcpConfig config, boolean domainSocket, Bootstrap bootstrap) {
        nio.configure(config, domainSocket, bootstrap);
    }

    @Override
    public void configure(TcpConfig config, boolean domainSocket, ServerBootstrap bootstrap) {
        nio.configure(config, domainSocket, bootstrap);
    }
}
