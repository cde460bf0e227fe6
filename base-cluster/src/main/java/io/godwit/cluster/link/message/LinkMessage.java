package io.godwit.cluster.link.message;

import com.google.protobuf.InvalidProtocolBufferException;
import io.godwit.cluster.link.Lane;
import io.godwit.cluster.link.Peer;
import io.godwit.cluster.link.wire.Answer;
import io.godwit.cluster.link.wire.Hello;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/**
 * The messages of a {@code LinkStream}.
 *
 * <pre>
 * message    byte version | byte kind
 *   1 hello      protobuf Hello     first message of the dialing end, with version 0
 *   2 answer     protobuf Answer    first message of the other end, with version 0
 *   3 data       byte lane | long sequence of the first frame | frames, at least one
 *   4 confirmed  (byte lane | long sequence, up to which all frames are confirmed)*
 *   5 end        why the pairing is over, in UTF-8; the last message
 *   6 piece      byte lane | long sequence, 0 before the last piece | int length of the whole frame
 *                | int offset of the piece | bytes, at least one         since version 2
 *
 * frame      int length, with the highest bit set when the next piece follows | bytes
 * </pre>
 *
 * Integers are big-endian. The sequence number rises by one with each complete frame. Only the last frame of a data
 * message may be a piece with another to follow; the first frame of the lane's next message is then the next piece. No
 * field tells the total length of such a frame.
 *
 * <p>Between two messages of kind 6 there may be data messages with whole frames only: these pass the frame that comes
 * in pieces. That frame gets the next sequence number when its last piece comes. A lane has at most one such frame at a
 * time.
 */
public final class LinkMessage {
    /** The newest version that this class writes and reads. */
    public static final int VERSION = 2;
    /** The oldest version that this class writes and reads. */
    public static final int LEAST_VERSION = 1;
    /** Since this version other frames of a lane may pass a frame in pieces. */
    public static final int PIECES_VERSION = 2;
    /** Approximate size of a full message. Longer frames are sent in pieces, between which others may pass. */
    public static final int BATCH_BYTES = Peer.PASSABLE_BYTES;

    public static final byte HELLO = 1;
    public static final byte ANSWER = 2;
    public static final byte DATA = 3;
    public static final byte CONFIRMED = 4;
    public static final byte END = 5;
    public static final byte PIECE = 6;

    public static final int HEAD_BYTES = 2;
    public static final int DATA_HEAD_BYTES = HEAD_BYTES + 1 + Long.BYTES;
    public static final int FRAME_HEAD_BYTES = Integer.BYTES;
    public static final int MORE = 1 << 31;

    /** Longer messages are refused. */
    public static final int MAX_BYTES = DATA_HEAD_BYTES + FRAME_HEAD_BYTES + BATCH_BYTES;

    public static final int PIECE_HEAD_BYTES = HEAD_BYTES + 1 + Long.BYTES + 2 * Integer.BYTES;
    /** The most bytes of a frame in one message of kind 6. */
    public static final int PIECE_BYTES = MAX_BYTES - PIECE_HEAD_BYTES;

    private static final int CONFIRMATION_BYTES = 1 + Long.BYTES;
    private static final int MAX_WORDS = 200;
    private static final byte UNAGREED = 0;

    /** Receives the confirmations of a message. */
    public interface Confirmations {
        void confirmed(Lane lane, long upTo) throws LinkProtocolException;
    }

    private LinkMessage() {}

    public static byte[] encode(Hello hello) {
        return encode(UNAGREED, HELLO, hello.toByteArray());
    }

    public static byte[] encode(Answer answer) {
        return encode(UNAGREED, ANSWER, answer.toByteArray());
    }

    public static byte[] end(int version, String why) {
        return encode(version, END, words(why).getBytes(StandardCharsets.UTF_8));
    }

    private static byte[] encode(int version, byte kind, byte[] content) {
        return ByteBuffer.allocate(HEAD_BYTES + content.length)
                .put((byte) version)
                .put(kind)
                .put(content)
                .array();
    }

    /** @param upTo sequence number by lane index; 0 for none */
    public static byte[] confirmed(int version, long[] upTo) {
        int count = (int) Arrays.stream(upTo).filter(each -> each != 0).count();
        ByteBuffer message = ByteBuffer.allocate(HEAD_BYTES + count * CONFIRMATION_BYTES)
                .put((byte) version)
                .put(CONFIRMED);
        for (Lane lane : Lane.values()) {
            if (upTo[lane.ordinal()] != 0) {
                message.put((byte) lane.number()).putLong(upTo[lane.ordinal()]);
            }
        }
        return message.array();
    }

    public static Hello hello(byte[] message) throws LinkProtocolException {
        try {
            return Hello.parser().parseFrom(content(message, HELLO));
        } catch (InvalidProtocolBufferException e) {
            throw new LinkProtocolException("hello is damaged: " + e.getMessage());
        }
    }

    public static Answer answer(byte[] message) throws LinkProtocolException {
        try {
            return Answer.parser().parseFrom(content(message, ANSWER));
        } catch (InvalidProtocolBufferException e) {
            throw new LinkProtocolException("answer is damaged: " + e.getMessage());
        }
    }

    private static byte[] content(byte[] message, byte kind) throws LinkProtocolException {
        if (message.length < HEAD_BYTES || message.length > MAX_BYTES || message[0] != UNAGREED || message[1] != kind) {
            throw new LinkProtocolException("stream does not begin as links do");
        }
        return Arrays.copyOfRange(message, HEAD_BYTES, message.length);
    }

    /**
     * The kind of a message after the answer. Each message names its version, so it can be read before this end knows
     * which version was chosen.
     */
    public static byte kind(byte[] message, VersionRange known) throws LinkProtocolException {
        if (message.length < HEAD_BYTES || message.length > MAX_BYTES) {
            throw new LinkProtocolException("message of " + message.length + " bytes");
        }
        if (!known.includes(message[0])) {
            throw new LinkProtocolException("message of version " + message[0] + ", this node speaks " + known);
        }
        if (message[1] == PIECE && message[0] < PIECES_VERSION) {
            throw new LinkProtocolException("a piece in version " + message[0]);
        }
        return message[1];
    }

    /** The lane of a data or piece message. */
    public static Lane lane(byte[] message) throws LinkProtocolException {
        if (message.length <= (isPiece(message) ? PIECE_HEAD_BYTES : DATA_HEAD_BYTES)) {
            throw new LinkProtocolException("data of " + message.length + " bytes");
        }
        return lane(message[HEAD_BYTES]);
    }

    /** Whether a message is a piece. Its kind must have been checked. */
    public static boolean isPiece(byte[] message) {
        return message[1] == PIECE;
    }

    /**
     * A message of kind 6 with room for the bytes of the piece at {@link #PIECE_HEAD_BYTES}.
     *
     * @param sequence 0 unless this is the last piece
     * @param frameBytes length of the whole frame
     * @param offset of the piece in the frame
     * @param length of the piece
     */
    public static byte[] piece(int version, Lane lane, long sequence, int frameBytes, int offset, int length) {
        return ByteBuffer.allocate(PIECE_HEAD_BYTES + length)
                .put((byte) version)
                .put(PIECE)
                .put((byte) lane.number())
                .putLong(sequence)
                .putInt(frameBytes)
                .putInt(offset)
                .array();
    }

    public static Lane lane(int number) throws LinkProtocolException {
        for (Lane lane : Lane.values()) {
            if (lane.number() == number) {
                return lane;
            }
        }
        throw new LinkProtocolException("unknown lane " + number);
    }

    public static void confirmations(byte[] message, Confirmations to) throws LinkProtocolException {
        if ((message.length - HEAD_BYTES) % CONFIRMATION_BYTES != 0) {
            throw new LinkProtocolException("confirmation of " + message.length + " bytes");
        }
        ByteBuffer rest = ByteBuffer.wrap(message, HEAD_BYTES, message.length - HEAD_BYTES);
        while (rest.hasRemaining()) {
            to.confirmed(lane(rest.get()), rest.getLong());
        }
    }

    public static String why(byte[] message) {
        return words(new String(message, HEAD_BYTES, message.length - HEAD_BYTES, StandardCharsets.UTF_8));
    }

    /** Makes text of another node fit for a log: short, and on one line. */
    public static String words(String text) {
        String line = text.replaceAll("\\p{Cntrl}", " ");
        return line.length() <= MAX_WORDS ? line : line.substring(0, MAX_WORDS);
    }
}
