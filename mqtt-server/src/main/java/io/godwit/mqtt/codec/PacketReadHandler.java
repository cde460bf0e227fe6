package io.godwit.mqtt.codec;

import io.godwit.mqtt.packet.Connect;
import io.godwit.mqtt.packet.Packet;
import io.godwit.mqtt.packet.ProtocolException;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.CompositeByteBuf;
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
 * Splits the bytes of a channel into packets and fires each to the next handler. A fault of the peer is fired once, as
 * a {@link ProtocolException} through {@code exceptionCaught}; later bytes are discarded. One per channel.
 *
 * <p>A frame that is complete in its read buffer is decoded from there. Only a frame that arrives in pieces is gathered
 * in its own buffer, which is at most twice as large as the bytes that have arrived, and is freed with the frame: an
 * idle channel holds none. A large one grows by parts of {@link #PART_BYTES} at most, and without copying: to copy 16
 * MiB would take the loop several milliseconds.
 *
 * <p>One read may bring work for seconds. After a turn ({@link LoopTurns}) the rest waits, in order, until the loop has
 * served its other channels; later reads wait behind it. This also holds for a channel that has ended: its end is fired
 * after everything is handled, so that a client that sends and closes at once cannot block the loop either.
 */
public final class PacketReadHandler extends ChannelInboundHandlerAdapter {
    private static final int MIN_PARTIAL_BYTES = 64;
    /** Larger buffers are not pooled: after a burst of large packets their memory returns to the system. */
    private static final int MAX_POOLED_BYTES = 64 * 1024;
    /** The largest part that is added before its bytes have arrived. */
    static final int PART_BYTES = 1 << 20;

    /**
     * The end of the turn is checked after packets 1, 2, 4 and so on, since a single one may have many matches, and
     * later after this many packets each time.
     */
    static final int PACKETS_PER_LOOK = 16;
    /** Time to the next turn. Uses a timer, since the loop runs consecutive tasks before it checks its channels. */
    private static final long PAUSE_NANOS = TimeUnit.MICROSECONDS.toNanos(100);

    /**
     * Limit for all ended channels together. Bytes beyond it are dropped, else many clients that send and close could
     * fill the memory or block the loop. Such a channel has already had a turn, and a client that closes cannot count
     * on an answer.
     */
    static final long MAX_ENDED_BYTES = 16L << 20;

    private static final AtomicLong ENDED_BYTES = new AtomicLong();

    private static final ByteBufAllocator LARGE = UnpooledByteBufAllocator.DEFAULT;

    private final PacketDecoder decoder;
    private final ReadListener listener;
    private final LoopTurns turns;
    /** For the parts of large frames. */
    private final ByteBufAllocator large;

    /** The beginning of an incomplete frame; null between frames. */
    private @Nullable ByteBuf partial;

    /** Whether the listener has been told of {@link #partial}. */
    private boolean isTold;

    private boolean failed;

    /** Buffers read, waiting for the next turn; null when none wait. */
    private @Nullable Deque<ByteBuf> waiting;

    /** Whether the listener has been told that the waiting bytes take several turns. */
    private boolean isTurnOver;

    /** Whether they wait for the answer to the CONNECT. */
    private boolean isHeld;

    /** Whether they wait for the filter budget of the packet they begin with. */
    private boolean waitsForRoom;

    /** Whether they wait until their sender may continue. */
    private boolean isHeldBack;

    /** Whether the filter budget allows one packet now. */
    private boolean hasRoom;

    /** Whether the channel has ended: its SUBSCRIBEs and UNSUBSCRIBEs are then useless and not decoded. */
    private boolean isEnded;

    /**
     * The next handler, set when the channel ends before everything is handled; null until then. The pipeline is
     * dismantled by then, so it is called directly.
     */
    private @Nullable ChannelInboundHandler last;

    /** This channel's share of {@link #ENDED_BYTES}. */
    private long endedBytes;

    public PacketReadHandler(PacketDecoder decoder) {
        this(decoder, ReadListener.NONE);
    }

    public PacketReadHandler(PacketDecoder decoder, ReadListener listener) {
        this(decoder, listener, LARGE);
    }

    PacketReadHandler(PacketDecoder decoder, ReadListener listener, ByteBufAllocator large) {
        this.decoder = decoder;
        this.listener = listener;
        this.turns = listener.turns();
        this.large = large;
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
     * Passes on the packets of {@code in}. Consumes it when it returns true.
     *
     * @param isLimited whether to stop after a turn
     * @return whether all were passed on; false when the rest must wait
     */
    private boolean handle(ChannelHandlerContext ctx, ByteBuf in, boolean isLimited) {
        boolean isDone = true;
        try {
            long end = 0;
            int nextLook = 1;
            // the next handler may close the channel on any packet; packets after that are dropped
            for (int packets = 1;
                    !failed
                            && (in.isReadable() || hasRoom)
                            && (!isLimited || last != null || ctx.channel().isOpen());
                    packets++) {
                if (isLimited && !hasRoom && mustHold(packets)) { // the request that got its budget is not a publish
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

    /** @param packets number of the next packet in this turn */
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
        } catch (Exception e) { // as in a pipeline
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

    /** Reading pauses too: further bytes would only wait behind those already waiting. */
    private void holdBack(ChannelHandlerContext ctx) {
        isHeldBack = true;
        markTurnOver();
        turns.onWait(); // many channels may continue at the same time
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

    @SuppressWarnings("FutureReturnValueIgnored") // the event loop logs exceptions of tasks
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
        } catch (RuntimeException | Error e) { // as in a pipeline: else this task would swallow it
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

    /** Ends the turn; reading should pause until the waiting bytes are handled. */
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
        } catch (Exception e) { // as in a pipeline
            fault(ctx, e);
        }
    }

    /** Decides, when the channel has ended, whether its waiting bytes are handled in further turns. */
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
     * Handles the waiting bytes at once, when the channel ended together with its event loop. The socket's buffer
     * bounds their size.
     */
    private void handleWaiting(ChannelHandlerContext ctx) {
        Deque<ByteBuf> rest = waiting;
        if (rest == null) {
            return;
        }
        waiting = null;
        if (isHeld) { // the client has not logged in: its packets do not count
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
            return; // the pipeline of an ended channel is dismantled, but its turns continue
        }
        if (waiting != null) {
            waiting.forEach(ByteBuf::release);
            waiting = null;
        }
        releasePartial();
    }

    /** The next packet of {@code in}; null when {@code in} is used up, or the packet must not be decoded now. */
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
            gathered = withRoom(gathered, gathered.readableBytes() + arrived, frameBytes);
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

    /** Whether a SUBSCRIBE or UNSUBSCRIBE must not be decoded, now or ever. */
    private boolean isBarred(ChannelHandlerContext ctx) {
        boolean mayEnter = hasRoom;
        hasRoom = false;
        waitsForRoom = !mayEnter && !isEnded && listener.holdsRequest(() -> goOnWithRoom(ctx));
        return isEnded || waitsForRoom;
    }

    /**
     * Consumes {@code gathered}, unless it throws for lack of memory; returns it or a copy, with capacity for at least
     * {@code needed} bytes in all.
     */
    private ByteBuf withRoom(ByteBuf gathered, int needed, int frameBytes) {
        int wanted = (int) Math.min(frameBytes, 2L * needed);
        if (gathered instanceof CompositeByteBuf parts) {
            return parts.addComponent(part(parts.capacity(), needed, wanted));
        }
        if (wanted <= MAX_POOLED_BYTES) {
            return gathered.capacity(wanted);
        }
        ByteBuf part = part(0, needed, wanted); // first: without memory for it, the caller still owns `gathered`
        CompositeByteBuf parts = large.compositeDirectBuffer(Integer.MAX_VALUE) // never puts its parts together
                .addComponent(part);
        parts.writeBytes(gathered);
        gathered.release();
        return parts;
    }

    /** A part that follows {@code present} bytes. Its readable bytes become capacity of the whole. */
    private ByteBuf part(int present, int needed, int wanted) {
        int bytes = Math.max(needed - present, Math.min(wanted - present, PART_BYTES));
        return large.directBuffer(bytes, bytes).writerIndex(bytes);
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
