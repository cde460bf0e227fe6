package io.godwit.cluster.link;

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
 * What one lane of a pairing has to send. A frame gets its sequence number, from 1, when it is sent as a whole for the
 * first time, and keeps it: {@code inFlight} and then {@code again} are the frames {@code firstKept}, {@code firstKept
 * + 1} and so on. A frame stays until the other end has confirmed it. After a connection has broken, the next one
 * begins with the first frame that the other end has not received ({@link #resume}): what has a number is sent in the
 * order of the numbers, before all else. Frames that were sent in part have none, and are sent from their beginning.
 *
 * <p>Which frame is sent next:
 *
 * <ul>
 *   <li>In general the one that was given first.
 *   <li>A frame that {@link Outgoing#isPassable} goes in pieces ({@link LinkMessage#PIECE}), and other frames between
 *       them: those that were given later, are small, and keep to another order. One at a time goes so. From when it is
 *       its turn until it is sent as a whole it is in {@code held}, by its order, with all that comes behind it in that
 *       order, small or not.
 *   <li>A frame without an order waits until all that was given before it is sent, and none passes it.
 * </ul>
 *
 * So of two frames the later one is sent as a whole first only if the earlier one is passable, or waits behind a
 * passable one of its own order, and both have orders, which differ. While nothing is {@code held} all is as if there
 * were no orders. Each frame is moved once at most before it is sent.
 *
 * <p>No more than a window of bytes is in flight when a frame is begun. One that was begun is always sent to its end,
 * since the other end confirms whole frames only. Passable frames have a window of their own, so that others go on
 * while a large one is not confirmed: at most two windows and one frame are in flight ({@link #mayBegin}).
 *
 * <p>Knows no clock, thread or connection. Owned by one thread at a time.
 */
final class LaneOutlet {
    /** What a frame is charged beside its bytes, for what it takes to hold it. */
    static final int FRAME_CHARGE = 64;

    /**
     * A frame that was given to be sent.
     *
     * @param order see {@link Peer#send(Lane, byte[], Object, Peer.Confirmation)}; null for a peer that does not know
     *     of orders
     */
    @SuppressWarnings("ArrayRecordComponent")
    record Outgoing(byte[] bytes, @Nullable Object order, Peer.@Nullable Confirmation confirmation) {
        Outgoing(byte[] bytes) {
            this(bytes, null, null);
        }

        long charge() {
            return (long) bytes.length + FRAME_CHARGE;
        }

        /** Whether frames of other orders may pass it. */
        boolean isPassable() {
            return bytes.length > LinkMessage.BATCH_BYTES && order != null;
        }
    }

    private final Lane lane;
    private final int version;
    /** Sent as a whole in this connection. */
    private final Deque<Outgoing> inFlight = new ArrayDeque<>();
    /** Sent as a whole in an earlier connection, and not in this one. */
    private final Deque<Outgoing> again = new ArrayDeque<>();

    private final Deque<Outgoing> waiting = new ArrayDeque<>();
    /**
     * Given before all that is {@code waiting}. The first one's queue begins with the passable frame that is sent in
     * pieces, or is the next to be. Queues are not empty; each begins with a passable frame, but for {@code freed}.
     */
    private final Map<Object, Deque<Outgoing>> held = new LinkedHashMap<>();
    /** Of {@code held}: what was behind a passable frame that has been sent, the next to be sent; else null. */
    private @Nullable Deque<Outgoing> freed;
    /** The sequence number of the first frame that is kept. */
    private long firstKept = 1;
    /** The highest sequence number that was given. */
    private long highestSent;

    // per connection
    private boolean isOpen;
    private long windowBytes;
    /** Charges in {@code inFlight} of frames that are not passable. */
    private long inFlightBytes;
    /** Charges in {@code inFlight} of frames that are. */
    private long passableBytes;
    /** How much of the first frame of {@code again}, or else of {@code waiting}, has been sent. */
    private int offset;
    /** How much of the first frame of {@code held} has been sent in pieces. */
    private int pieceOffset;
    /** A message of whole frames was the last one while something is held. */
    private boolean isPieceNext;

    /** @param version of the messages that are made */
    LaneOutlet(Lane lane, int version) {
        this.lane = lane;
        this.version = version;
    }

    void add(Outgoing frame) {
        waiting.add(frame);
    }

    /**
     * There is a connection; nothing was sent in it.
     *
     * @param next the sequence number that the other end expects
     * @param window of the other end
     * @param confirmed told of those before, in order
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

    /** There is no connection. */
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

    /** The other end has confirmed all frames up to a sequence number. */
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

    /** The next message to send; null when there is none, the window is full or there is no connection. */
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
     * Whether a frame that would go in pieces may be begun. A passable one waits for room in both windows; another one,
     * which counts to the window of small frames, until both together leave room. So whatever is begun when, no more
     * than two windows and one frame are in flight, but for the last small frame of a window.
     */
    private boolean mayBegin(Outgoing large) {
        return large.isPassable()
                ? passableBytes < windowBytes && inFlightBytes < windowBytes
                : inFlightBytes + passableBytes < windowBytes;
    }

    // --- frames in the order of a queue, each behind the last piece of the one before

    private byte @Nullable [] inOrder(Deque<Outgoing> queue, LaneCounters counters) {
        int size = LinkMessage.DATA_HEAD_BYTES;
        int frames = 0;
        long filled = inFlightBytes;
        int from = offset;
        for (Outgoing frame : queue) { // how many are whole in it
            int bytes = LinkMessage.FRAME_HEAD_BYTES + frame.bytes.length - from;
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
        boolean isLarge = first.bytes.length > LinkMessage.BATCH_BYTES;
        return isLarge && (offset > 0 || mayBegin(first)) ? pieceInOrder(first.bytes, counters) : null;
    }

    /** A message of data, ready for its frames. */
    private ByteBuffer head(byte[] message) {
        return ByteBuffer.wrap(message)
                .put((byte) version)
                .put(LinkMessage.DATA)
                .put((byte) lane.number())
                .putLong(nextSequence());
    }

    private void put(Outgoing frame, int from, ByteBuffer rest, LaneCounters counters) {
        int length = frame.bytes.length - from;
        rest.putInt(length).put(frame.bytes, from, length);
        count(counters, length);
        sent(frame, counters);
    }

    /** As a whole. */
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

    private byte[] pieceInOrder(byte[] bytes, LaneCounters counters) {
        byte[] message = new byte[LinkMessage.MAX_BYTES];
        head(message).putInt(LinkMessage.BATCH_BYTES | LinkMessage.MORE).put(bytes, offset, LinkMessage.BATCH_BYTES);
        offset += LinkMessage.BATCH_BYTES;
        count(counters, LinkMessage.BATCH_BYTES);
        return message;
    }

    private static void count(LaneCounters counters, int bytes) {
        counters.sentBytes.addAndGet(bytes);
    }

    // --- a frame in pieces, and those that pass it

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
            return null; // what was freed has waited for longer than the next one
        }
        Deque<Outgoing> queue = held.values().iterator().next();
        Outgoing frame = queue.element();
        if (pieceOffset == 0 && !mayBegin(frame)) {
            return null;
        }
        int length = Math.min(LinkMessage.PIECE_BYTES, frame.bytes.length - pieceOffset);
        boolean isLast = pieceOffset + length == frame.bytes.length;
        byte[] message =
                LinkMessage.piece(version, lane, isLast ? nextSequence() : 0, frame.bytes, pieceOffset, length);
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

    /** The first frame of the queue has been sent: what is next of its order? */
    private void free(Deque<Outgoing> queue, Object order) {
        Outgoing next = queue.peek();
        freed = null;
        if (next == null) {
            held.remove(order);
        } else if (next.isPassable()) {
            held.remove(order); // one of each other order goes before it
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
            int bytes = LinkMessage.FRAME_HEAD_BYTES + frame.bytes.length;
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

    /** The next one that may be sent now; null when there is none. It stays. */
    private @Nullable Outgoing nextSmall() {
        Deque<Outgoing> first = freed;
        if (first != null) {
            return first.element();
        }
        for (Outgoing frame = waiting.peek(); frame != null; frame = waiting.peek()) {
            if (frame.order == null) {
                return held.isEmpty() && frame.bytes.length <= LinkMessage.BATCH_BYTES ? frame : null;
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

    /** The sequence number of the next frame that is sent as a whole. */
    long nextSequence() {
        return firstKept + inFlight.size();
    }

    /** All frames up to this one are confirmed. */
    long confirmedUpTo() {
        return firstKept - 1;
    }

    /** All frames that are not confirmed, those of one order in order. Nothing is kept, and nothing sent any more. */
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
