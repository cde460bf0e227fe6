package io.godwit.cluster.link.pairing;

import io.godwit.cluster.link.Lane;
import io.godwit.cluster.link.message.LinkMessage;
import io.godwit.cluster.link.message.LinkProtocolException;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.function.Function;

/**
 * The receiving side of one lane of a pairing. Each frame is received once, in the order of the sequence numbers, even
 * if a new connection repeats some: a frame whose number was received already is skipped. Within a connection each
 * message must begin exactly where the last one ended, and the first one where {@link #begin} says.
 *
 * <p>A receiver may pause the inlet after any frame. The rest of the message is then kept until {@link #take} goes on.
 * A new connection drops it, because it is sent again.
 *
 * <p>One frame at a time may come in pieces. Either its pieces follow one another in the lane, or whole frames come in
 * between ({@link LinkMessage#PIECE}). So the inlet holds at most {@code maxFrameBytes} of pieces, in memory that grows
 * with the bytes received ({@link FramePieces}). A new connection drops them, because the frame is sent again from its
 * beginning.
 *
 * <p>Uses no clock, thread or connection. Owned by one thread at a time; {@link #received} is read by others.
 */
final class LaneInlet {
    private static final byte[] NOTHING = {};
    private static final ByteBuffer NO_MESSAGE = ByteBuffer.wrap(NOTHING);

    /** What a receiver answers to a frame. */
    enum Answer {
        /** Received; ready for the next frame. */
        NEXT,
        /** Received; ready for the next frame later. */
        LATER,
        /** Not received, and no other frame will be. */
        NEVER
    }

    private final Lane lane;
    private final int maxFrameBytes;
    /** The sequence number up to which all frames are received. */
    private volatile long received;

    // per connection
    /** The sequence number of the next complete frame. */
    private long cursor;
    /** The received part of the frame that comes in pieces. */
    private final FramePieces pieces = new FramePieces();
    /** Whether the next bytes of the lane are the next piece of the frame. */
    private boolean isInFrame;
    /** The length of the frame in pieces that whole frames may pass; 0 if there is none. */
    private int passedBytes;
    /** The message that was opened last. */
    private byte[] message = NOTHING;
    /** The part of {@code message} that was not taken yet. */
    private ByteBuffer rest = NO_MESSAGE;

    LaneInlet(Lane lane, int maxFrameBytes) {
        this.lane = lane;
        this.maxFrameBytes = maxFrameBytes;
    }

    /** The sequence number up to which all frames are received. Any thread; the owner may receive more meanwhile. */
    long received() {
        return received;
    }

    /** @param next the sequence number that the other end was told to begin with */
    void begin(long next) {
        cursor = next;
        forgetMessage();
        pieces.clear();
        isInFrame = false;
        passedBytes = 0;
    }

    /** The sequence number up to which all frames are received and came in this connection or before it. */
    long confirmable() {
        return cursor - 1;
    }

    /** Whether the message that was opened last was not taken completely. */
    boolean isWithin() {
        return rest.hasRemaining();
    }

    /** Opens the next data message. The message before must have been taken completely. */
    void open(byte[] next) throws LinkProtocolException {
        ByteBuffer opened = ByteBuffer.wrap(next);
        long first = opened.getLong(LinkMessage.HEAD_BYTES + 1);
        opened.position(LinkMessage.DATA_HEAD_BYTES);
        if (first != cursor) {
            throw new LinkProtocolException("lane " + lane + " continues at " + first + ", expected " + cursor);
        }
        message = next;
        rest = opened;
    }

    /**
     * Takes frames of the opened message until the receiver answers something else than {@code NEXT} or the message
     * ends; returns the last answer.
     */
    @SuppressWarnings("ByteBufferBackingArray") // wraps the whole message
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
                throw new LinkProtocolException("lane " + lane + " begins a frame inside another");
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
     * Takes a message of kind {@link LinkMessage#PIECE}. The message before must have been taken completely.
     *
     * @return the receiver's answer if the frame is complete now, else {@code NEXT}
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
