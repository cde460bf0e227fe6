package io.godwit.cluster.link.pairing;

import io.godwit.cluster.link.Lane;
import io.godwit.cluster.link.Peer;
import io.godwit.cluster.link.message.LinkMessage;
import io.godwit.cluster.link.message.LinkProtocolException;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The sending side of one lane of a pairing. A frame gets its sequence number, from 1, when it is first sent as a
 * whole, and keeps it: {@code inFlight} followed by {@code again} holds the frames {@code firstKept},
 * {@code firstKept + 1} and so on. A frame is kept until the other end has confirmed it. After a connection has broken,
 * the next one begins with the first frame that the other end has not received ({@link #resume}). Frames with a number
 * are sent first, in the order of their numbers. Frames that were only sent in part have no number and are sent from
 * their beginning.
 *
 * <p>Which frame is sent next:
 *
 * <ul>
 *   <li>In general the one that was given first.
 *   <li>A passable frame ({@link Outgoing#isPassable}) goes in pieces ({@link LinkMessage#PIECE}). Between them go
 *       frames that were given later, are small, and have another order. Only one frame at a time goes in this way.
 *       From its turn until it is sent completely it is in {@code held}, by its order, together with all later frames
 *       of that order, small or not.
 *   <li>A frame without an order waits until all frames given before it are sent, and no frame passes it.
 * </ul>
 *
 * So a later frame is completed before an earlier one only if the earlier one is passable, or waits behind a passable
 * one of its own order, and both have different orders. While nothing is {@code held}, orders have no effect. Each
 * frame is moved at most once before it is sent.
 *
 * <p>A frame is begun only while less than a window of bytes is in flight. A frame that was begun is always sent to its
 * end, because the other end confirms complete frames only. Passable frames have a window of their own, so that others
 * go on while a large frame is not confirmed: at most two windows and one frame are in flight ({@link #mayBegin}).
 *
 * <p>Uses no clock, thread or connection. Owned by one thread at a time.
 */
final class LaneOutlet {
    /** Charged for each frame in addition to its bytes, for the memory of the objects that hold it. */
    static final int FRAME_CHARGE = 64;

    /**
     * A frame to be sent: {@code head} followed by {@code tail}, which are not joined, because that would copy a large
     * payload.
     *
     * @param order see {@link Peer#send(Lane, byte[], Object, Peer.Confirmation)}; null if the peer does not support
     *     orders
     */
    @SuppressWarnings("ArrayRecordComponent")
    record Outgoing(byte[] head, byte[] tail, @Nullable Object order, Peer.@Nullable Confirmation confirmation) {
        private static final byte[] NOTHING = {};

        Outgoing(byte[] bytes, @Nullable Object order, Peer.@Nullable Confirmation confirmation) {
            this(bytes, NOTHING, order, confirmation);
        }

        Outgoing(byte[] bytes) {
            this(bytes, null, null);
        }

        int length() {
            return head.length + tail.length;
        }

        long charge() {
            return (long) length() + FRAME_CHARGE;
        }

        boolean isLarge() {
            return length() > LinkMessage.BATCH_BYTES;
        }

        /** Whether frames of other orders may pass it. */
        boolean isPassable() {
            return isLarge() && order != null;
        }

        /** Writes the {@code count} bytes of the frame that begin at {@code from}. */
        void write(int from, int count, ByteBuffer to) {
            int ofHead = Math.max(0, Math.min(count, head.length - from));
            if (ofHead > 0) {
                to.put(head, from, ofHead);
            }
            if (count > ofHead) {
                to.put(tail, from + ofHead - head.length, count - ofHead);
            }
        }
    }

    private final Lane lane;
    private final int version;
    /** Sent as a whole in this connection and not confirmed. */
    private final Deque<Outgoing> inFlight = new ArrayDeque<>();
    /** Sent as a whole in an earlier connection, but not in this one. */
    private final Deque<Outgoing> again = new ArrayDeque<>();

    private final Deque<Outgoing> waiting = new ArrayDeque<>();
    /**
     * Frames by order that were given before all frames in {@code waiting}. The first queue begins with the passable
     * frame that is being sent in pieces or is next to be. No queue is empty. Each begins with a passable frame, except
     * {@code freed}.
     */
    private final Map<Object, Deque<Outgoing>> held = new LinkedHashMap<>();
    /**
     * The queue in {@code held} whose passable frame was just sent; its small frames are sent next. Null if there is
     * none.
     */
    private @Nullable Deque<Outgoing> freed;
    /** The sequence number of the first frame that is kept. */
    private long firstKept = 1;
    /** The highest sequence number used so far. */
    private long highestSent;

    // per connection
    private boolean isOpen;
    private long windowBytes;
    /** Charges in {@code inFlight} of frames that are not passable. */
    private long inFlightBytes;
    /** Charges in {@code inFlight} of passable frames. */
    private long passableBytes;
    /** Bytes sent of the first frame of {@code again}, or of {@code waiting} if {@code again} is empty. */
    private int offset;
    /** Bytes sent, in pieces, of the first frame of {@code held}. */
    private int pieceOffset;
    /** Whether a piece is next while something is held: pieces and messages of whole frames alternate. */
    private boolean isPieceNext;

    /** @param version of the messages to build */
    LaneOutlet(Lane lane, int version) {
        this.lane = lane;
        this.version = version;
    }

    void add(Outgoing frame) {
        waiting.add(frame);
    }

    /**
     * A new connection is there, in which nothing was sent yet.
     *
     * @param next the sequence number that the other end expects
     * @param window the window of the other end, in bytes
     * @param confirmed called with each frame before {@code next}, in order
     */
    void resume(long next, long window, Consumer<Outgoing> confirmed) throws LinkProtocolException {
        if (next < firstKept || next > highestSent + 1) {
            throw new LinkProtocolException("lane " + lane + " goes on at " + next + ", and not between " + firstKept
                    + " and " + (highestSent + 1));
        }
        suspend();
        isOpen = true;
        windowBytes = window;
        while (firstKept < next) {
            firstKept++;
            confirmed.accept(again.remove());
        }
    }

    /** The connection is gone. */
    void suspend() {
        isOpen = false;
        inFlightBytes = 0;
        passableBytes = 0;
        offset = 0;
        pieceOffset = 0;
        while (!inFlight.isEmpty()) {
            again.addFirst(inFlight.removeLast());
        }
    }

    /** The other end has confirmed all frames up to {@code upTo}. */
    void confirm(long upTo, Consumer<Outgoing> confirmed) throws LinkProtocolException {
        if (upTo >= firstKept + inFlight.size()) {
            throw new LinkProtocolException("lane " + lane + " is confirmed up to " + upTo + ", and was sent up to "
                    + (firstKept + inFlight.size() - 1));
        }
        while (firstKept <= upTo) {
            Outgoing frame = inFlight.remove();
            firstKept++;
            charge(frame, -frame.charge());
            confirmed.accept(frame);
        }
    }

    private void charge(Outgoing frame, long bytes) {
        if (frame.isPassable()) {
            passableBytes += bytes;
        } else {
            inFlightBytes += bytes;
        }
    }

    /** The next message to send; null if there is none, the window is full or there is no connection. */
    byte @Nullable [] next(LaneCounters counters) {
        if (!isOpen) {
            return null;
        }
        if (!again.isEmpty()) {
            return inOrder(again, counters);
        }
        if (held.isEmpty()) {
            Outgoing first = waiting.peek();
            if (first == null) {
                return null;
            }
            if (!first.isPassable()) {
                return inOrder(waiting, counters);
            }
            hold(waiting.remove());
        }
        boolean isPiece = isPieceNext;
        byte[] message = isPiece ? piece(counters) : passing(counters);
        if (message == null) {
            isPiece = !isPiece;
            message = isPiece ? piece(counters) : passing(counters);
        }
        isPieceNext = !isPiece;
        return message;
    }

    /**
     * Whether a frame that goes in pieces may be begun. A passable frame waits for room in both windows. Another large
     * frame counts to the window of small frames and waits until both together are below one window. So at most two
     * windows and one frame are in flight, plus the last small frame of a window.
     */
    private boolean mayBegin(Outgoing large) {
        return large.isPassable()
                ? passableBytes < windowBytes && inFlightBytes < windowBytes
                : inFlightBytes + passableBytes < windowBytes;
    }

    // --- frames of one queue in order; the next one begins after the last piece of the one before

    private byte @Nullable [] inOrder(Deque<Outgoing> queue, LaneCounters counters) {
        int size = LinkMessage.DATA_HEAD_BYTES;
        int frames = 0;
        long filled = inFlightBytes;
        int from = offset;
        for (Outgoing frame : queue) { // count the frames that fit completely
            int bytes = LinkMessage.FRAME_HEAD_BYTES + frame.length() - from;
            if (from == 0 && filled >= windowBytes || size + bytes > LinkMessage.MAX_BYTES) {
                break;
            }
            size += bytes;
            filled += frame.charge();
            from = 0;
            frames++;
        }
        if (frames > 0) {
            byte[] message = new byte[size];
            ByteBuffer rest = head(message);
            for (int i = 0; i < frames; i++) {
                Outgoing frame = queue.remove();
                put(frame, offset, rest, counters);
                offset = 0;
            }
            return message;
        }
        Outgoing first = queue.element();
        return first.isLarge() && (offset > 0 || mayBegin(first)) ? pieceInOrder(first, counters) : null;
    }

    /** Writes the head of a data message; the frames follow. */
    private ByteBuffer head(byte[] message) {
        return ByteBuffer.wrap(message)
                .put((byte) version)
                .put(LinkMessage.DATA)
                .put((byte) lane.number())
                .putLong(nextSequence());
    }

    private void put(Outgoing frame, int from, ByteBuffer rest, LaneCounters counters) {
        int length = frame.length() - from;
        frame.write(from, length, rest.putInt(length));
        count(counters, length);
        sent(frame, counters);
    }

    /** The frame was sent completely. */
    private void sent(Outgoing frame, LaneCounters counters) {
        inFlight.add(frame);
        charge(frame, frame.charge());
        counters.sentFrames.incrementAndGet();
        if (highestSent < nextSequence() - 1) {
            highestSent = nextSequence() - 1;
        } else {
            counters.resentFrames.incrementAndGet();
        }
    }

    private byte[] pieceInOrder(Outgoing frame, LaneCounters counters) {
        byte[] message = new byte[LinkMessage.MAX_BYTES];
        ByteBuffer rest = head(message).putInt(LinkMessage.BATCH_BYTES | LinkMessage.MORE);
        frame.write(offset, LinkMessage.BATCH_BYTES, rest);
        offset += LinkMessage.BATCH_BYTES;
        count(counters, LinkMessage.BATCH_BYTES);
        return message;
    }

    private static void count(LaneCounters counters, int bytes) {
        counters.sentBytes.addAndGet(bytes);
    }

    // --- a frame in pieces, and the frames that pass it

    private void hold(Outgoing frame) {
        held.computeIfAbsent(orderOf(frame), none -> new ArrayDeque<>()).add(frame);
    }

    private static Object orderOf(Outgoing frame) {
        Object order = frame.order;
        if (order == null) {
            throw new IllegalStateException("a frame without an order is not held");
        }
        return order;
    }

    private byte @Nullable [] piece(LaneCounters counters) {
        if (held.isEmpty() || freed != null) {
            return null; // the freed frames have waited longer than the next frame in pieces
        }
        Deque<Outgoing> queue = held.values().iterator().next();
        Outgoing frame = queue.element();
        if (pieceOffset == 0 && !mayBegin(frame)) {
            return null;
        }
        int length = Math.min(LinkMessage.PIECE_BYTES, frame.length() - pieceOffset);
        boolean isLast = pieceOffset + length == frame.length();
        byte[] message =
                LinkMessage.piece(version, lane, isLast ? nextSequence() : 0, frame.length(), pieceOffset, length);
        frame.write(pieceOffset, length, ByteBuffer.wrap(message).position(LinkMessage.PIECE_HEAD_BYTES));
        count(counters, length);
        pieceOffset += length;
        if (isLast) {
            pieceOffset = 0;
            queue.remove();
            sent(frame, counters);
            free(queue, orderOf(frame));
        }
        return message;
    }

    /** After the first frame of {@code queue} was sent: decides what is next of its order. */
    private void free(Deque<Outgoing> queue, Object order) {
        Outgoing next = queue.peek();
        freed = null;
        if (next == null) {
            held.remove(order);
        } else if (next.isPassable()) {
            held.remove(order); // moves to the end, so the other orders go first
            held.put(order, queue);
        } else {
            freed = queue;
        }
    }

    private byte @Nullable [] passing(LaneCounters counters) {
        int size = LinkMessage.DATA_HEAD_BYTES;
        long filled = inFlightBytes;
        List<Outgoing> frames = new ArrayList<>();
        for (Outgoing frame = nextSmall(); frame != null && filled < windowBytes; frame = nextSmall()) {
            int bytes = LinkMessage.FRAME_HEAD_BYTES + frame.length();
            if (size + bytes > LinkMessage.MAX_BYTES) {
                break;
            }
            size += bytes;
            filled += frame.charge();
            frames.add(frame);
            removeSmall(frame);
        }
        if (frames.isEmpty()) {
            return null;
        }
        byte[] message = new byte[size];
        ByteBuffer rest = head(message);
        for (Outgoing frame : frames) {
            put(frame, 0, rest, counters);
        }
        return message;
    }

    /** The next small frame that may be sent now, which stays in its queue; null if there is none. */
    private @Nullable Outgoing nextSmall() {
        Deque<Outgoing> first = freed;
        if (first != null) {
            return first.element();
        }
        for (Outgoing frame = waiting.peek(); frame != null; frame = waiting.peek()) {
            if (frame.order == null) {
                return held.isEmpty() && !frame.isLarge() ? frame : null;
            }
            if (!frame.isPassable() && !held.containsKey(frame.order)) {
                return frame;
            }
            hold(waiting.remove());
        }
        return null;
    }

    private void removeSmall(Outgoing frame) {
        Deque<Outgoing> from = freed;
        if (from == null) {
            waiting.remove();
        } else {
            from.remove();
            free(from, orderOf(frame));
        }
    }

    /** The sequence number of the next frame to be sent completely. */
    long nextSequence() {
        return firstKept + inFlight.size();
    }

    /** The sequence number up to which all frames are confirmed. */
    long confirmedUpTo() {
        return firstKept - 1;
    }

    /**
     * Removes and returns all frames that are not confirmed; frames of one order are in order. Nothing is sent after
     * this.
     */
    List<Outgoing> end() {
        suspend();
        List<Outgoing> left = new ArrayList<>(again);
        held.values().forEach(left::addAll);
        left.addAll(waiting);
        again.clear();
        held.clear();
        freed = null;
        waiting.clear();
        return left;
    }
}
