package io.godwit.cluster.link;

import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * What one lane of a pairing has to send. Each frame has a sequence number, from 1, by its place: {@code inFlight} and
 * then {@code waiting} are the frames {@code firstKept}, {@code firstKept + 1} and so on. A frame stays until the other
 * end has confirmed it. After a connection has broken, the next one begins with the first frame that the other end has
 * not received ({@link #resume}), and frames that were sent in part are sent from their beginning.
 *
 * <p>No more than a window of bytes is in flight when a frame is begun. One that was begun is always sent to its end,
 * since the other end confirms whole frames only.
 *
 * <p>Knows no clock, thread or connection. Owned by one thread at a time.
 */
final class LaneOutlet {
    /** What a frame is charged beside its bytes, for what it takes to hold it. */
    static final int FRAME_CHARGE = 64;

    /** A frame that was given to be sent. */
    @SuppressWarnings("ArrayRecordComponent")
    record Outgoing(byte[] bytes, Peer.@Nullable Confirmation confirmation) {
        Outgoing(byte[] bytes) {
            this(bytes, null);
        }

        long charge() {
            return (long) bytes.length + FRAME_CHARGE;
        }
    }

    private final Lane lane;
    private final int version;
    /** Sent as a whole in this connection. Bytes in {@code inFlightBytes}. */
    private final Deque<Outgoing> inFlight = new ArrayDeque<>();

    private final Deque<Outgoing> waiting = new ArrayDeque<>();
    /** The sequence number of the first frame that is kept. */
    private long firstKept = 1;
    /** The highest sequence number that was sent as a whole in any connection. */
    private long highestSent;

    // per connection
    private boolean isOpen;
    private long windowBytes;
    private long inFlightBytes;
    /** How much of the first waiting frame has been sent. */
    private int offset;

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
            confirmed.accept(waiting.remove());
        }
    }

    /** There is no connection. */
    void suspend() {
        isOpen = false;
        inFlightBytes = 0;
        offset = 0;
        while (!inFlight.isEmpty()) {
            waiting.addFirst(inFlight.removeLast());
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
            inFlightBytes -= frame.charge();
            confirmed.accept(frame);
        }
    }

    /** The next message to send; null when there is none, the window is full or there is no connection. */
    byte @Nullable [] next(LaneCounters counters) {
        int size = LinkMessage.DATA_HEAD_BYTES;
        int frames = 0;
        long filled = inFlightBytes;
        int from = offset;
        for (Outgoing frame : waiting) { // how many are whole in it
            int bytes = LinkMessage.FRAME_HEAD_BYTES + frame.bytes.length - from;
            if (!isOpen || from == 0 && filled >= windowBytes || size + bytes > LinkMessage.MAX_BYTES) {
                break;
            }
            size += bytes;
            filled += frame.charge();
            from = 0;
            frames++;
        }
        if (frames > 0) {
            return whole(size, frames, counters);
        }
        return !isOpen || waiting.isEmpty() || offset == 0 && inFlightBytes >= windowBytes ? null : piece(counters);
    }

    /** Ready for the frames. */
    private ByteBuffer head(byte[] message) {
        return ByteBuffer.wrap(message)
                .put((byte) version)
                .put(LinkMessage.DATA)
                .put((byte) lane.number())
                .putLong(nextSequence());
    }

    private byte[] whole(int size, int frames, LaneCounters counters) {
        byte[] message = new byte[size];
        ByteBuffer rest = head(message);
        for (int i = 0; i < frames; i++) {
            Outgoing frame = waiting.remove();
            int length = frame.bytes.length - offset;
            rest.putInt(length).put(frame.bytes, offset, length);
            count(counters, length);
            offset = 0;
            inFlight.add(frame);
            inFlightBytes += frame.charge();
            counters.sentFrames.incrementAndGet();
            if (highestSent < nextSequence() - 1) {
                highestSent = nextSequence() - 1;
            } else {
                counters.resentFrames.incrementAndGet();
            }
        }
        return message;
    }

    private byte[] piece(LaneCounters counters) {
        byte[] bytes = waiting.element().bytes;
        byte[] message = new byte[LinkMessage.MAX_BYTES];
        head(message).putInt(LinkMessage.BATCH_BYTES | LinkMessage.MORE).put(bytes, offset, LinkMessage.BATCH_BYTES);
        offset += LinkMessage.BATCH_BYTES;
        count(counters, LinkMessage.BATCH_BYTES);
        return message;
    }

    private static void count(LaneCounters counters, int bytes) {
        counters.sentBytes.addAndGet(bytes);
    }

    /** The sequence number of the first waiting frame. */
    long nextSequence() {
        return firstKept + inFlight.size();
    }

    /** All frames up to this one are confirmed. */
    long confirmedUpTo() {
        return firstKept - 1;
    }

    /** All frames that are not confirmed, in order. Nothing is kept, and nothing sent any more. */
    List<Outgoing> end() {
        suspend();
        List<Outgoing> left = new ArrayList<>(waiting);
        waiting.clear();
        return left;
    }
}
