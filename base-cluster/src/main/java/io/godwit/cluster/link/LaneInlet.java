package io.godwit.cluster.link;

import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.function.Predicate;

/**
 * What one lane of a pairing receives. Frames are received once and in the order of their sequence numbers, whatever a
 * new connection repeats: a frame with a number that was received is passed over. In a connection each message must go
 * on exactly where the last one ended, and the first where {@link #begin} says.
 *
 * <p>Memory for a frame in pieces grows with what has come, up to twice that.
 *
 * <p>Knows no clock, thread or connection. Owned by one thread at a time; {@link #received} is read by others.
 */
final class LaneInlet {
    private static final byte[] NOTHING = {};

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

    /**
     * Takes a message of data.
     *
     * @param receiver returns whether it has received the frame; when not, nothing is received any more
     * @return whether all was received
     */
    boolean take(byte[] message, Predicate<byte[]> receiver) throws LinkProtocolException {
        ByteBuffer rest = ByteBuffer.wrap(message);
        long first = rest.getLong(LinkMessage.HEAD_BYTES + 1);
        rest.position(LinkMessage.DATA_HEAD_BYTES);
        if (first != cursor) {
            throw new LinkProtocolException("lane " + lane + " goes on at " + first + " and not at " + cursor);
        }
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
                append(message, rest.position(), length);
                isInFrame = true;
            }
            int at = rest.position();
            rest.position(at + length);
            if (!hasMore && !whole(message, at, length, receiver)) {
                return false;
            }
        }
        return true;
    }

    private boolean whole(byte[] message, int at, int length, Predicate<byte[]> receiver) {
        if (cursor > received) {
            byte[] frame =
                    isInFrame ? Arrays.copyOf(partial, partialLength) : Arrays.copyOfRange(message, at, at + length);
            forgetPartial();
            if (!receiver.test(frame)) {
                return false;
            }
            received = cursor;
        } else {
            forgetPartial();
        }
        cursor++;
        return true;
    }

    private void append(byte[] message, int at, int length) {
        if (partialLength + length > partial.length) {
            int twice = (int) Math.min(maxFrameBytes, 2L * (partialLength + length));
            partial = Arrays.copyOf(partial, twice);
        }
        System.arraycopy(message, at, partial, partialLength, length);
        partialLength += length;
    }
}
