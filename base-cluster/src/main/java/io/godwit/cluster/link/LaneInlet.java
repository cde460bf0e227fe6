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
 * <p>One frame at a time comes in pieces. Either the next bytes of the lane are its next piece, or whole frames come in
 * between ({@link LinkMessage#PIECE}). So no more than {@code maxFrameBytes} of pieces are held, and memory for them
 * grows with what has come ({@link FramePieces}). With a new connection they are forgotten: the frame begins anew.
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
    /** The sequence number of the next frame that is whole. */
    private long cursor;
    /** What has come of the one frame that comes in pieces. */
    private final FramePieces pieces = new FramePieces();
    /** The next bytes are its next piece. */
    private boolean isInFrame;
    /** The length of it when whole frames may pass it; 0 when none comes so. */
    private int passedBytes;
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
        pieces.clear();
        isInFrame = false;
        passedBytes = 0;
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
            if (hasMore && passedBytes != 0) {
                throw new LinkProtocolException("lane " + lane + " has two frames in pieces");
            }
            boolean isPiece = hasMore || isInFrame;
            if ((isPiece ? (long) pieces.length() : 0) + length > maxFrameBytes) {
                throw new LinkProtocolException("lane " + lane + " has a frame above " + maxFrameBytes + " bytes");
            }
            int at = rest.position();
            if (isPiece) {
                pieces.append(message, at, length, maxFrameBytes);
            }
            isInFrame = hasMore;
            rest.position(at + length);
            Answer answer = Answer.NEXT;
            if (!hasMore) {
                answer = isPiece ? wholeOfPieces(receiver) : whole(at, length, receiver);
            }
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

    /**
     * Takes a message of kind {@link LinkMessage#PIECE}, when the one before has been taken in full.
     *
     * @return the answer to the frame, when that is whole now
     */
    Answer takePiece(byte[] next, Function<byte[], Answer> receiver) throws LinkProtocolException {
        ByteBuffer piece = ByteBuffer.wrap(next);
        piece.position(LinkMessage.HEAD_BYTES + 1);
        long sequence = piece.getLong();
        int frameBytes = piece.getInt();
        int offset = piece.getInt();
        int length = piece.remaining();
        int known = passedBytes == 0 ? frameBytes : passedBytes;
        if (isInFrame || frameBytes != known || offset != pieces.length() || length > frameBytes - (long) offset) {
            throw new LinkProtocolException("lane " + lane + " has a piece of " + length + " bytes at " + offset
                    + " of a frame of " + frameBytes + ", " + pieces.length() + " of " + known + " have come");
        }
        if (frameBytes > maxFrameBytes) {
            throw new LinkProtocolException("lane " + lane + " has a frame above " + maxFrameBytes + " bytes");
        }
        boolean isLast = offset + length == frameBytes;
        if (sequence != (isLast ? cursor : 0)) {
            throw new LinkProtocolException("lane " + lane + " has a piece of " + sequence + " where " + cursor
                    + " is next, the last one: " + isLast);
        }
        passedBytes = isLast ? 0 : frameBytes;
        pieces.appendTold(next, LinkMessage.PIECE_HEAD_BYTES, length, frameBytes);
        return isLast ? wholeOfPieces(receiver) : Answer.NEXT;
    }

    private Answer wholeOfPieces(Function<byte[], Answer> receiver) {
        if (cursor > received) {
            return receive(pieces.take(), receiver);
        }
        pieces.clear();
        cursor++;
        return Answer.NEXT;
    }

    private Answer whole(int at, int length, Function<byte[], Answer> receiver) {
        if (cursor > received) {
            return receive(Arrays.copyOfRange(message, at, at + length), receiver);
        }
        cursor++;
        return Answer.NEXT;
    }

    private Answer receive(byte[] frame, Function<byte[], Answer> receiver) {
        Answer answer = receiver.apply(frame);
        if (answer != Answer.NEVER) {
            received = cursor;
            cursor++;
        }
        return answer;
    }
}
