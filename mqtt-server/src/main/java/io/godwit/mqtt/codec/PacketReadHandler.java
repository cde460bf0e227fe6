package io.godwit.mqtt.codec;

import io.godwit.mqtt.packet.Packet;
import io.godwit.mqtt.packet.ProtocolException;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import org.jspecify.annotations.Nullable;

/**
 * Cuts what a channel reads into packets and fires each to the next handler. A fault of the peer is fired once, as a
 * {@link ProtocolException} through {@code exceptionCaught}; what comes after it is thrown away. One per channel.
 *
 * <p>A frame that is whole in the buffer it was read into is decoded from there. Only a frame that comes in pieces is gathered
 * in a buffer of its own, which never has more than twice the room of what has arrived, and is gone with the frame: a
 * channel at rest holds none.
 */
public final class PacketReadHandler extends ChannelInboundHandlerAdapter {
    private static final int MIN_PARTIAL_BYTES = 64;
    /** Larger buffers are not pooled: after a burst of large packets their memory goes back to the system. */
    private static final int MAX_POOLED_BYTES = 64 * 1024;

    private static final ByteBufAllocator LARGE = UnpooledByteBufAllocator.DEFAULT;

    private final PacketDecoder decoder;
    private final PartialListener listener;
    /** The beginning of a frame whose rest has not arrived; null between frames. */
    private @Nullable ByteBuf partial;

    /** Whether the listener knows of {@link #partial}. */
    private boolean isTold;

    private boolean failed;

    public PacketReadHandler(PacketDecoder decoder) {
        this(decoder, PartialListener.NONE);
    }

    public PacketReadHandler(PacketDecoder decoder, PartialListener listener) {
        this.decoder = decoder;
        this.listener = listener;
    }

    /** Consumes {@code msg}. */
    @Override
    public void channelRead(ChannelHandlerContext ctx, Object msg) {
        if (!(msg instanceof ByteBuf in)) {
            ctx.fireChannelRead(msg);
            return;
        }
        try {
            // the next handler may close the channel over any packet; the packets behind it are then nobody's
            while (!failed && in.isReadable() && ctx.channel().isOpen()) {
                Packet packet = next(ctx, in);
                if (packet != null) {
                    ctx.fireChannelRead(packet);
                }
            }
            tellPartial();
        } catch (ProtocolException e) {
            failed = true;
            releasePartial();
            ctx.fireExceptionCaught(e);
        } finally {
            in.release();
        }
    }

    private void tellPartial() {
        int frameBytes = partial == null ? 0 : decoder.frameBytes(partial);
        if (partial != null && frameBytes != 0) {
            isTold = true;
            listener.onPartial(partial.readableBytes(), frameBytes);
        }
    }

    @Override
    public void channelInactive(ChannelHandlerContext ctx) {
        releasePartial();
        ctx.fireChannelInactive();
    }

    @Override
    public void handlerRemoved(ChannelHandlerContext ctx) {
        releasePartial();
    }

    /** The next packet of {@code in}; null when {@code in} is used up first. */
    private @Nullable Packet next(ChannelHandlerContext ctx, ByteBuf in) {
        ByteBuf gathered = partial;
        if (gathered == null) {
            Packet packet = decoder.decode(in);
            if (packet == null) {
                int room = Math.max(MIN_PARTIAL_BYTES, in.readableBytes());
                partial = ctx.alloc().buffer(room).writeBytes(in);
            }
            return packet;
        }
        int frameBytes;
        while ((frameBytes = decoder.frameBytes(gathered)) == 0) {
            if (!in.isReadable()) {
                return null;
            }
            gathered.writeByte(in.readByte());
        }
        int missing = frameBytes - gathered.readableBytes();
        int arrived = Math.min(missing, in.readableBytes());
        if (arrived > gathered.writableBytes()) {
            int needed = gathered.readableBytes() + arrived;
            gathered = withRoom(gathered, (int) Math.min(frameBytes, 2L * needed));
            partial = gathered;
        }
        gathered.writeBytes(in, arrived);
        if (arrived < missing) {
            return null;
        }
        try {
            return decoder.decodeFrame(gathered, frameBytes);
        } finally {
            releasePartial();
        }
    }

    /** Consumes {@code gathered}; returns it, or a copy, with room for {@code bytes} in all. */
    @SuppressWarnings("ReferenceEquality") // there is one such allocator
    private static ByteBuf withRoom(ByteBuf gathered, int bytes) {
        if (bytes <= MAX_POOLED_BYTES || gathered.alloc() == LARGE) {
            return gathered.capacity(bytes);
        }
        try {
            return LARGE.directBuffer(bytes).writeBytes(gathered);
        } finally {
            gathered.release();
        }
    }

    private void releasePartial() {
        if (partial != null) {
            partial.release();
            partial = null;
        }
        if (isTold) {
            isTold = false;
            listener.onPartialEnded();
        }
    }
}
