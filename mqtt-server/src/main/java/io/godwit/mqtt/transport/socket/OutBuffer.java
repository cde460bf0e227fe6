package io.godwit.mqtt.transport.socket;

import io.godwit.mqtt.transport.loop.LoopContext;
import io.godwit.mqtt.transport.loop.LoopFlush;
import io.godwit.mqtt.transport.report.MqttMetrics;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.netty.channel.Channel;
import org.jspecify.annotations.Nullable;

/**
 * Collects the output of one connection in one buffer, written once per iteration of the loop, or as soon as it is
 * large. Confined to the channel's event loop; an idle connection holds no buffer.
 */
final class OutBuffer implements LoopFlush {
    private static final int LARGEST_CHUNK = 64 * 1024;
    private static final int SMALLEST_CHUNK = 256;

    private final Channel channel;
    private final LoopContext loop;
    private final MqttMetrics metrics;
    private final Throttling throttling;

    /** Unwritten output; null when there is none. */
    private @Nullable ByteBuf out;

    private int nextChunk = SMALLEST_CHUNK;
    private boolean isFlushPending;

    OutBuffer(Channel channel, LoopContext loop, MqttMetrics metrics, Throttling throttling) {
        this.channel = channel;
        this.loop = loop;
        this.metrics = metrics;
        this.throttling = throttling;
    }

    /**
     * Lends the buffer for one packet; the caller then calls {@link #appended}. It is written at the end of the
     * iteration.
     */
    ByteBuf open() {
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
    void appended(ByteBuf buffer) {
        metrics.packetOut();
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
        metrics.bytesOut(bytes);
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
