package io.godwit.mqtt.transport;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.handler.codec.ByteToMessageDecoder;
import io.netty.handler.codec.ProtocolDetectionState;
import io.netty.handler.codec.haproxy.HAProxyCommand;
import io.netty.handler.codec.haproxy.HAProxyMessage;
import io.netty.handler.codec.haproxy.HAProxyMessageDecoder;
import io.netty.handler.codec.haproxy.HAProxyProtocolException;
import io.netty.handler.codec.haproxy.HAProxyProxiedProtocol.AddressFamily;
import io.netty.util.NetUtil;
import io.netty.util.ReferenceCountUtil;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Reads the PROXY header, version 1 or 2, that a trusted proxy sends first, and reports the client's address; then it
 * leaves the pipeline. Input without such a header is refused at its first bytes. Confined to the channel's event loop.
 */
final class ProxyHeader extends ByteToMessageDecoder {
    /** Limit for extra fields of version 2, which are ignored. */
    private static final int MAX_EXTRA_BYTES = 1024;

    private final Consumer<@Nullable InetSocketAddress> onSource;

    /**
     * @param onSource gets the client's address; null when the proxy speaks for itself (its health checks) or does
     *     not know
     */
    ProxyHeader(Consumer<@Nullable InetSocketAddress> onSource) {
        this.onSource = onSource;
    }

    @Override
    protected void decode(ChannelHandlerContext ctx, ByteBuf in, List<Object> out) {
        ProtocolDetectionState state = HAProxyMessageDecoder.detectProtocol(in).state();
        if (state == ProtocolDetectionState.INVALID) {
            throw new HAProxyProtocolException("no PROXY header from a source that must send one");
        }
        if (state == ProtocolDetectionState.DETECTED) {
            HAProxyMessageDecoder decoder = new HAProxyMessageDecoder(MAX_EXTRA_BYTES, true);
            Source source = new Source(onSource);
            ctx.pipeline().addAfter(ctx.name(), null, source);
            ctx.pipeline().addAfter(ctx.name(), null, decoder);
            ctx.pipeline().remove(this); // passes on the bytes it has read
        }
    }

    /** Takes the header from the decoder, which removes itself after it. */
    private static final class Source extends ChannelInboundHandlerAdapter {
        private final Consumer<@Nullable InetSocketAddress> onSource;

        private Source(Consumer<@Nullable InetSocketAddress> onSource) {
            this.onSource = onSource;
        }

        @Override
        public void channelRead(ChannelHandlerContext ctx, Object msg) {
            if (!(msg instanceof HAProxyMessage header)) {
                ctx.fireChannelRead(msg);
                return;
            }
            InetSocketAddress source;
            try {
                source = sourceOf(header);
            } finally {
                ReferenceCountUtil.release(header);
            }
            ctx.pipeline().remove(this);
            onSource.accept(source);
        }

        private static @Nullable InetSocketAddress sourceOf(HAProxyMessage header) {
            AddressFamily family = header.proxiedProtocol().addressFamily();
            String address = header.sourceAddress();
            boolean isInet = family == AddressFamily.AF_IPv4 || family == AddressFamily.AF_IPv6;
            if (header.command() == HAProxyCommand.LOCAL || !isInet || address == null) {
                return null;
            }
            byte[] bytes = NetUtil.createByteArrayFromIpAddressString(address);
            if (bytes == null) {
                throw new HAProxyProtocolException("not an address: " + address);
            }
            try {
                return new InetSocketAddress(InetAddress.getByAddress(bytes), header.sourcePort());
            } catch (UnknownHostException e) {
                throw new HAProxyProtocolException("not an address: " + address, e);
            }
        }
    }
}
