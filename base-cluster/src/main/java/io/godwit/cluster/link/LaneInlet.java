package io.godwit.cluster.link;

import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.function.Function;

/**
 * What one lane of a pairing receives. Frames are received once and in the order of their sequence numbers, whatever a
 * new connection repeats: a frame with a number that was received is passed over. In a connection each message must go
 * on exactly where the last one ended, and the first where {@link #begin} says.
 *
 * <p>A receiver may stop the inlet behind any frame. Then the rest of the message is kept, and received when the inlet
 * goes on ({@link #take}); with a new connection it is forgotten, and comes again.
 *
 * <p>Memory for a frame in pieces grows with what has come, up to twice that.
 *
 * <p>Knows no clock, thread or connection. Owned by one thread at a time; {@link #received} is read by others.
 */
final class LaneInlet {
    private static final byte[] NOTHING = {};
    private static final ByteBuffer NO_MESSAGE = ByteBuffer.wrap(NOTHING);

    /** What a receiver says to a frame. */
    enum Answer {
        /** It has it, and takes the next one. */
        NEXT,
        /** It has it, and takes the next one later. */
        LATER,
        /** It does not have it, nor takes any other. */
        NEVER
    }

    private final Lane lane;
    private final int maxFrameBytes;
    /** All frames up to this sequence number are received. */
    private volatile long received;

    // per connection
    /** The sequence number of the frame that the next bytes belong to. */
    private long cursor;
    /** The first {@code partialLength} bytes are of the frame {@code cursor}, whose pieces are coming. */
    private byte[] partial = NOTHING;

    private int partialLength;
    private boolean isInFrame;
    /** The one that was opened last. */
    private byte[] message = NOTHING;
    /** What has not been taken of it. */
    private ByteBuffer rest = NO_MESSAGE;

    LaneInlet(Lane lane, int maxFrameBytes) {
        this.lane = lane;
        this.maxFrameBytes = maxFrameBytes;
    }

    /** Up to where all frames were received. Any thread; the owner may receive more meanwhile. */
    long received() {
        return received;
    }

    /** @param next what the other end was told that is expected */
    void begin(long next) {
        cursor = next;
        forgetMessage();
        forgetPartial();
    }

    private void forgetPartial() {
        partial = NOTHING;
        partialLength = 0;
        isInFrame = false;
    }

    /** All frames up to this one came in this connection, or before it, and are received. */
    long confirmable() {
        return cursor - 1;
    }

    /** Whether the message that was opened last has not been taken in full. */
    boolean isWithin() {
        return rest.hasRemaining();
    }

    /** A message of data is there to be taken, when the one before has been taken in full. */
    void open(byte[] next) throws LinkProtocolException {
        ByteBuffer opened = ByteBuffer.wrap(next);
        long first = opened.getLong(LinkMessage.HEAD_BYTES + 1);
        opened.position(LinkMessage.DATA_HEAD_BYTES);
        if (first != cursor) {
            throw new LinkProtocolException("lane " + lane + " goes on at " + first + " and not at " + cursor);
        }
        message = next;
        rest = opened;
    }

    /** Takes the rest of the message, up to the first frame to which the answer is not {@code NEXT}; that answer. */
    @SuppressWarnings("ByteBufferBackingArray") // it wraps the whole message
    Answer take(Function<byte[], Answer> receiver) throws LinkProtocolException {
        while (rest.hasRemaining()) {
            int head = rest.remaining() < LinkMessage.FRAME_HEAD_BYTES ? -1 : rest.getInt();
            int length = head & ~LinkMessage.MORE;
            boolean hasMore = (head & LinkMessage.MORE) != 0;
            if (length > rest.remaining() || hasMore && (length == 0 || length < rest.remaining())) {
                throw new LinkProtocolException("lane " + lane + " has a frame of " + length + " bytes where "
                        + rest.remaining() + " are left");
            }
            if ((long) partialLength + length > maxFrameBytes) {
                throw new LinkProtocolException("lane " + lane + " has a frame above " + maxFrameBytes + " bytes");
            }
            if (hasMore || isInFrame) {
                append(rest.position(), length);
                isInFrame = true;
            }
            int at = rest.position();
            rest.position(at + length);
            Answer answer = hasMore ? Answer.NEXT : whole(at, length, receiver);
            if (answer != Answer.NEXT) {
                return answer;
            }
        }
        forgetMessage();
        return Answer.NEXT;
    }

    private void forgetMessage() {
        message = NOTHING;
        rest = NO_MESSAGE;
    }

    private Answer whole(int at, int length, Function<byte[], Answer> receiver) {
        Answer answer = Answer.NEXT;
        if (cursor > received) {
            byte[] frame =
                    isInFrame ? Arrays.copyOf(partial, partialLength) : Arrays.copyOfRange(message, at, at + length);
            forgetPartial();
            answer = receiver.apply(frame);
            if (answer == Answer.NEVER) {
                return answer;
            }
            received = cursor;
        } else {
            forgetPartial();
        }
        cursor++;
        return answer;
    }

    private void append(int at, int length) {
        if (partialLength + length > partial.length) {
            int twice = (int) Math.min(maxFrameBytes, 2L * (partialLength + length));
            partial = Arrays.copyOf(partial, twice);
        }
        System.arraycopy(message, at, partial, partialLength, length);
        partialLength += length;
    }
}
