package io.godwit.mqtt.codec;

import io.godwit.mqtt.packet.Connect;
import io.godwit.mqtt.packet.Packet;
import io.godwit.mqtt.packet.ProtocolException;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandler;
import io.netty.channel.ChannelInboundHandlerAdapter;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * Cuts what a channel reads into packets and fires each to the next handler. A fault of the peer is fired once, as a
 * {@link ProtocolException} through {@code exceptionCaught}; what comes after it is thrown away. One per channel.
 *
 * <p>A frame that is whole in the buffer it was read into is decoded from there. Only a frame that comes in pieces is
 * gathered in a buffer of its own, which never has more than twice the room of what has arrived, and is gone with the
 * frame: a channel at rest holds none.
 *
 * <p>What one read brings may be work for seconds. After a turn ({@link LoopTurns}) the rest waits, in order, until the
 * loop has served its other channels; what is read meanwhile waits behind it. That holds for a channel that has ended
 * as well: its end is told when all is handled, since who sends and closes at once must not stop the loop either.
 */
public final class PacketReadHandler extends ChannelInboundHandlerAdapter {
    private static final int MIN_PARTIAL_BYTES = 64;
    /** Larger buffers are not pooled: after a burst of large packets their memory goes back to the system. */
    private static final int MAX_POOLED_BYTES = 64 * 1024;

    /**
     * Whether the turn is over is looked at after packets 1, 2, 4 and so on, since a single one may have many matches,
     * and later after so many packets each time.
     */
    static final int PACKETS_PER_LOOK = 16;
    /**
     * Until the next turn. A timer, since the loop runs tasks that follow each other before it looks at its channels.
     */
    private static final long PAUSE_NANOS = TimeUnit.MICROSECONDS.toNanos(100);

    /**
     * Of all ended channels together. What is over it is dropped, else many that send and close fill the memory, or
     * stop the loop. A channel has had a turn by then, and who closes has no answer to count on.
     */
    static final long MAX_ENDED_BYTES = 16L << 20;

    private static final AtomicLong ENDED_BYTES = new AtomicLong();

    private static final ByteBufAllocator LARGE = UnpooledByteBufAllocator.DEFAULT;

    private final PacketDecoder decoder;
    private final ReadListener listener;
    private final LoopTurns turns;
    /** The beginning of a frame whose rest has not arrived; null between frames. */
    private @Nullable ByteBuf partial;

    /** Whether the listener knows of {@link #partial}. */
    private boolean isTold;

    private boolean failed;

    /** What was read and waits for the next turn; null when nothing does. */
    private @Nullable Deque<ByteBuf> waiting;

    /** Whether the listener knows that what waits takes several turns. */
    private boolean isTurnOver;

    /** Whether what waits does so for the answer to the CONNECT. */
    private boolean isHeld;

    /** Whether what waits does so for room for the filters of the packet it begins with. */
    private boolean waitsForRoom;

    /** Whether what waits does so until its sender may go on. */
    private boolean isHeldBack;

    /** Whether there is room now: for one packet. */
    private boolean hasRoom;

    /** Whether the channel has ended: what it asks to subscribe to is for nobody, and is not decoded. */
    private boolean isEnded;

    /**
     * The handler behind this one once the channel has ended before all was handled; null until then. By then the
     * pipeline is taken apart, so it is called directly.
     */
    private @Nullable ChannelInboundHandler last;

    /** This channel's share of {@link #ENDED_BYTES}. */
    private long endedBytes;

    public PacketReadHandler(PacketDecoder decoder) {
        this(decoder, ReadListener.NONE);
    }

    public PacketReadHandler(PacketDecoder decoder, ReadListener listener) {
        this.decoder = decoder;
        this.listener = listener;
        this.turns = listener.turns();
    }

    /** Consumes {@code msg}. */
    @Override
    public void channelRead(ChannelHandlerContext ctx, Object msg) {
        if (!(msg instanceof ByteBuf in)) {
            ctx.fireChannelRead(msg);
            return;
        }
        if (waiting != null) {
            waiting.add(in);
        } else if (!handle(ctx, in, true)) {
            waiting = new ArrayDeque<>(1);
            waiting.add(in);
            if (!isHeld && !waitsForRoom && !isHeldBack) {
                endTurn(ctx);
            }
        }
    }

    /**
     * Hands the packets of {@code in} on. Consumes it when it returns true.
     *
     * @param isLimited whether to stop after a turn
     * @return whether all are handed on; false when the turn is over
     */
    private boolean handle(ChannelHandlerContext ctx, ByteBuf in, boolean isLimited) {
        boolean isDone = true;
        try {
            long end = 0;
            int nextLook = 1;
            // the next handler may close the channel over any packet; the packets behind it are then nobody's
            for (int packets = 1;
                    !failed
                            && (in.isReadable() || hasRoom)
                            && (!isLimited || last != null || ctx.channel().isOpen());
                    packets++) {
                if (isLimited && !hasRoom && mustHold(packets)) { // the request that has room is no publish
                    holdBack(ctx);
                    isDone = false;
                    return false;
                }
                Packet packet = next(ctx, in);
                if (packet != null) {
                    give(ctx, packet);
                    if (packet instanceof Connect && isLimited && listener.holds(() -> goOn(ctx))) {
                        isHeld = true;
                        isDone = false;
                        return false;
                    }
                } else if (waitsForRoom) {
                    isDone = false;
                    return false;
                }
                if (packets == nextLook && isLimited && in.isReadable()) {
                    nextLook += Math.min(packets, PACKETS_PER_LOOK);
                    long now = ctx.channel().eventLoop().ticker().nanoTime();
                    end = packets == 1 ? now + turns.turnNanos() : end;
                    if (now - end > 0) {
                        isDone = false;
                        return false;
                    }
                }
            }
            tellPartial();
        } catch (ProtocolException e) {
            failed = true;
            releasePartial();
            fault(ctx, e);
        } finally {
            if (isDone) {
                in.release();
            }
        }
        return true;
    }

    /** @param packets the place of the next one in this turn */
    private boolean mustHold(int packets) {
        return listener.isHeldBack() || packets == 1 && listener.isInDoubt();
    }

    private void give(ChannelHandlerContext ctx, Packet packet) {
        if (last == null) {
            ctx.fireChannelRead(packet);
            return;
        }
        try {
            last.channelRead(ctx, packet);
        } catch (Exception e) { // as a pipeline does
            fault(ctx, e);
        }
    }

    private void fault(ChannelHandlerContext ctx, Throwable e) {
        if (last == null) {
            ctx.fireExceptionCaught(e);
            return;
        }
        try {
            last.exceptionCaught(ctx, e);
        } catch (Exception again) {
            throw new IllegalStateException("fault of an ended channel", again);
        }
    }

    private void goOn(ChannelHandlerContext ctx) {
        if (isHeld) {
            isHeld = false;
            takeTurn(ctx);
        }
    }

    /** Nothing is read meanwhile either: what a read brings would wait behind what waits already. */
    private void holdBack(ChannelHandlerContext ctx) {
        isHeldBack = true;
        markTurnOver();
        turns.onWait(); // many may go on at the same time
        listener.onHeldBack(() -> {
            turns.onTurn();
            if (isHeldBack) {
                isHeldBack = false;
                takeTurn(ctx);
            }
        });
    }

    private void goOnWithRoom(ChannelHandlerContext ctx) {
        if (waitsForRoom) {
            waitsForRoom = false;
            hasRoom = true;
            takeTurn(ctx);
            hasRoom = false;
        }
    }

    @SuppressWarnings("FutureReturnValueIgnored") // the event loop logs what a task throws
    private void takeTurnLater(ChannelHandlerContext ctx) {
        turns.onWait();
        ctx.channel()
                .eventLoop()
                .schedule(
                        () -> {
                            turns.onTurn();
                            takeTurn(ctx);
                        },
                        PAUSE_NANOS,
                        TimeUnit.NANOSECONDS);
    }

    private void takeTurn(ChannelHandlerContext ctx) {
        Deque<ByteBuf> rest = waiting;
        if (rest == null) {
            return; // the channel has ended meanwhile
        }
        try {
            if (handle(ctx, rest.element(), true)) {
                rest.remove();
            }
        } catch (RuntimeException | Error e) { // as a pipeline does: it would be lost with this task
            rest.remove();
            failed = true;
            fault(ctx, e);
        }
        if (last != null) {
            takeTurnOfEnded(ctx, last, rest);
            return;
        }
        if (rest.isEmpty()) {
            waiting = null;
            isTurnOver = false;
            listener.onCaughtUp();
        } else if (!waitsForRoom && !isHeldBack) {
            endTurn(ctx);
        }
        ctx.fireChannelReadComplete();
    }

    /** No more is to be read until what waits is handled. */
    private void endTurn(ChannelHandlerContext ctx) {
        markTurnOver();
        takeTurnLater(ctx);
    }

    private void markTurnOver() {
        if (!isTurnOver) {
            isTurnOver = true;
            listener.onTurnOver();
        }
    }

    private void takeTurnOfEnded(ChannelHandlerContext ctx, ChannelInboundHandler next, Deque<ByteBuf> rest) {
        if (!rest.isEmpty()) {
            if (!isHeldBack) {
                takeTurnLater(ctx);
            }
            return;
        }
        waiting = null;
        ENDED_BYTES.addAndGet(-endedBytes);
        releasePartial();
        try {
            next.channelReadComplete(ctx);
            next.channelInactive(ctx);
        } catch (Exception e) { // as a pipeline does
            fault(ctx, e);
        }
    }

    /** The channel has ended: whether what was read of it before is handed on in further turns. */
    private boolean goesOn(ChannelHandlerContext ctx) {
        if (waiting == null || isHeld || ctx.channel().eventLoop().isShuttingDown()) {
            return false;
        }
        long bytes = 0;
        for (ByteBuf in : waiting) {
            bytes += in.capacity();
        }
        if (ENDED_BYTES.addAndGet(bytes) > MAX_ENDED_BYTES) {
            ENDED_BYTES.addAndGet(-bytes);
            dropWaiting();
            return false;
        }
        endedBytes = bytes;
        last = (ChannelInboundHandler) ctx.pipeline().last();
        if (waitsForRoom) {
            waitsForRoom = false;
            takeTurnLater(ctx);
        }
        return true;
    }

    private void dropWaiting() {
        Deque<ByteBuf> rest = waiting;
        waiting = null;
        waitsForRoom = false;
        isHeldBack = false;
        long bytes = partial == null ? 0 : partial.readableBytes();
        while (rest != null && !rest.isEmpty()) {
            ByteBuf in = rest.remove();
            bytes += in.readableBytes();
            in.release();
        }
        listener.onDropped(bytes);
    }

    /**
     * The channel has ended with its event loop, and what was read of it before is handed on at once. Its bytes are
     * bounded by the socket's buffer.
     */
    private void handleWaiting(ChannelHandlerContext ctx) {
        Deque<ByteBuf> rest = waiting;
        if (rest == null) {
            return;
        }
        waiting = null;
        if (isHeld) { // its client has not logged in: nothing of it counts
            rest.forEach(ByteBuf::release);
            return;
        }
        waitsForRoom = false;
        isHeldBack = false;
        rest.forEach(in -> handle(ctx, in, false));
        ctx.fireChannelReadComplete();
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
        isEnded = true;
        if (goesOn(ctx)) {
            return;
        }
        handleWaiting(ctx);
        releasePartial();
        ctx.fireChannelInactive();
    }

    @Override
    public void handlerRemoved(ChannelHandlerContext ctx) {
        if (last != null) {
            return; // the pipeline is taken apart behind an ended channel, whose turns go on
        }
        if (waiting != null) {
            waiting.forEach(ByteBuf::release);
            waiting = null;
        }
        releasePartial();
    }

    /** The next packet of {@code in}; null when {@code in} is used up first, or the packet is not to be decoded now. */
    private @Nullable Packet next(ChannelHandlerContext ctx, ByteBuf in) {
        ByteBuf gathered = partial;
        if (gathered == null) {
            int requestBytes = decoder.requestBytes(in);
            if (requestBytes > 0 && isBarred(ctx)) {
                in.skipBytes(isEnded ? requestBytes : 0);
                return null;
            }
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
        if (decoder.requestBytes(gathered) > 0 && isBarred(ctx)) {
            if (isEnded) {
                releasePartial();
            }
            return null;
        }
        try {
            return decoder.decodeFrame(gathered, frameBytes);
        } finally {
            releasePartial();
        }
    }

    /** Whether a SUBSCRIBE or UNSUBSCRIBE is not to be decoded, now or ever. */
    private boolean isBarred(ChannelHandlerContext ctx) {
        boolean mayEnter = hasRoom;
        hasRoom = false;
        waitsForRoom = !mayEnter && !isEnded && listener.holdsRequest(() -> goOnWithRoom(ctx));
        return isEnded || waitsForRoom;
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
