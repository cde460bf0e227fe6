package io.godwit.mqtt.transport.socket;

import io.godwit.mqtt.codec.PacketEncoder;
import io.godwit.mqtt.packet.Packet;
import io.godwit.mqtt.transport.connection.SharedPublish;
import io.godwit.mqtt.transport.loop.LoopContext;
import io.godwit.mqtt.transport.loop.LoopFlush;
import io.godwit.mqtt.transport.report.TrafficMetrics;
import io.godwit.plugin.message.Qos;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.netty.channel.Channel;
import org.jspecify.annotations.Nullable;

/**
 * Encodes the output of one connection for its client and collects it in one buffer, written once per iteration of the
 * loop, or as soon as it is large. Confined to the channel's event loop; an idle connection holds no buffer.
 */
final class OutBuffer implements LoopFlush {
    private static final int LARGEST_CHUNK = 64 * 1024;
    private static final int SMALLEST_CHUNK = 256;

    private final Channel channel;
    private final LoopContext loop;
    private final TrafficMetrics traffic;
    private final Throttling throttling;

    /** Null until it is known what the client can read: until then nothing is sent. */
    private @Nullable PacketEncoder encoder;

    /** Unwritten output; null when there is none. */
    private @Nullable ByteBuf out;

    private int nextChunk = SMALLEST_CHUNK;
    private boolean isFlushPending;

    OutBuffer(Channel channel, LoopContext loop, TrafficMetrics traffic, Throttling throttling) {
        this.channel = channel;
        this.loop = loop;
        this.traffic = traffic;
        this.throttling = throttling;
    }

    void encodeBy(PacketEncoder ofClient) {
        encoder = ofClient;
    }

    boolean hasEncoder() {
        return encoder != null;
    }

    /** @return false when the packet is larger than the client accepts; nothing is sent then */
    boolean send(Packet packet) {
        PacketEncoder peer = encoder;
        if (peer == null) {
            return true;
        }
        ByteBuf buffer = open();
        if (!peer.encode(packet, buffer)) {
            return false;
        }
        appended(buffer);
        return true;
    }

    /** Sends a copy of a publish, as {@link #send(Packet)} does. */
    boolean send(SharedPublish publish, Qos qos, boolean retain, int packetId) {
        PacketEncoder peer = encoder;
        if (peer == null) {
            return true;
        }
        ByteBuf buffer = open();
        if (!peer.encode(publish.frame(qos, retain, peer.protocolLevel()), packetId, false, buffer)) {
            return false;
        }
        appended(buffer);
        return true;
    }

    /**
     * Lends the buffer for one packet; the caller then calls {@link #appended}. It is written at the end of the
     * iteration.
     */
    private ByteBuf open() {
        ByteBuf buffer = out;
        if (buffer == null) {
            buffer = (isBackedUp() ? UnpooledByteBufAllocator.DEFAULT : channel.alloc()).directBuffer(nextChunk);
            out = buffer;
        }
        if (!isFlushPending) {
            isFlushPending = true;
            loop.flushLater(this);
        }
        return buffer;
    }

    /**
     * Whether the socket has not taken earlier output. Buffers for a client that reads slowly are not pooled: Netty's
     * pool returns free parts of its large chunks only when it is asked for more of them, so it would keep all the
     * memory after a burst of slow clients.
     */
    private boolean isBackedUp() {
        return throttling.unwrittenBytes() > 0;
    }

    /** A packet has been appended. Borrows {@code buffer}, which {@link #open} has lent. */
    private void appended(ByteBuf buffer) {
        traffic.packetOut();
        if (buffer.readableBytes() >= LARGEST_CHUNK) {
            write();
            channel.flush(); // so that isWritable() reflects the socket, not this iteration
        }
    }

    @Override
    public void flush() {
        isFlushPending = false;
        if (out != null) {
            write();
            channel.flush();
        }
    }

    /** Writes the buffer to the channel, which must still be flushed. */
    void write() {
        ByteBuf buffer = out;
        if (buffer == null) {
            return;
        }
        out = null;
        int bytes = buffer.readableBytes();
        if (bytes == 0) {
            buffer.release();
            return;
        }
        // the next chunk is sized by this one, so that a busy connection does not grow its buffer step by step
        nextChunk = Math.min(LARGEST_CHUNK, Math.max(SMALLEST_CHUNK, Integer.highestOneBit(bytes) * 2));
        traffic.bytesOut(bytes);
        channel.write(buffer, channel.voidPromise());
        throttling.onBytesWritten(bytes);
    }

    /** The channel is closed: drops unwritten output. */
    void release() {
        if (out != null) {
            out.release();
            out = null;
        }
    }
}
