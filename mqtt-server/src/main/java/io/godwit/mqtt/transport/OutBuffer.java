package io.godwit.mqtt.transport;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.netty.channel.Channel;
import org.jspecify.annotations.Nullable;

/**
 * Collects what goes out on one connection in one buffer, written once per iteration of the loop, or as soon as it is
 * large. Confined to the channel's event loop; at rest it holds no buffer.
 */
final class OutBuffer implements LoopFlush {
    private static final int LARGEST_CHUNK = 64 * 1024;
    private static final int SMALLEST_CHUNK = 256;

    private final Channel channel;
    private final LoopContext loop;
    private final MqttMetrics metrics;
    private final Throttling throttling;

    /** Output not yet written; null while there is none. */
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
     * Lends the buffer to append one packet to, before {@link #appended}; it is written at the end of the iteration.
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
     * Whether the socket has not taken what was written before. What is held for a client that reads slowly is not
     * pooled: Netty's pool gives what is free of its large chunks back when it is asked for more of them, so that after
     * a burst of slow clients it would keep it all.
     */
    private boolean isBackedUp() {
        return throttling.unwrittenBytes() > 0;
    }

    /** A packet has been appended. Borrows {@code buffer}, which {@link #open} has lent. */
    void appended(ByteBuf buffer) {
        metrics.packetOut();
        if (buffer.readableBytes() >= LARGEST_CHUNK) {
            write();
            channel.flush(); // so that isWritable() speaks of the socket, not of this iteration
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

    /** Hands what there is to the channel, which has still to be flushed. */
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
        // the next chunk is as large as this one was, so that a busy connection does not grow its buffer step by step
        nextChunk = Math.min(LARGEST_CHUNK, Math.max(SMALLEST_CHUNK, Integer.highestOneBit(bytes) * 2));
        metrics.bytesOut(bytes);
        channel.write(buffer, channel.voidPromise());
        throttling.onBytesWritten(bytes);
    }

    /** The channel is closed: nobody will take what there is. */
    void release() {
        if (out != null) {
            out.release();
            out = null;
        }
    }
}
