package io.godwit.dist.peer.link;

import com.google.protobuf.CodedInputStream;
import com.google.protobuf.CodedOutputStream;
import com.google.protobuf.InvalidProtocolBufferException;
import io.godwit.dist.wire.PeerFrame;
import java.io.IOException;
import java.io.UncheckedIOException;

/**
 * Frames of the CONTROL lane.
 *
 * <pre>
 * size  field
 * 1     owner of the frame: 1 for the dist-worker
 * n     PeerFrame, see peer_protocol.proto
 * </pre>
 */
public final class ControlFrames {
    public static final byte TYPE = 1;

    /** Several times the size of any frame: a hostile frame must not expand to a multiple of itself on the heap. */
    public static final int MAX_BYTES = 1024 * 1024;

    private ControlFrames() {}

    public static byte[] encode(PeerFrame frame) {
        byte[] bytes = new byte[1 + frame.getSerializedSize()];
        bytes[0] = TYPE;
        CodedOutputStream out = CodedOutputStream.newInstance(bytes, 1, bytes.length - 1);
        try {
            frame.writeTo(out);
            out.checkNoSpaceLeft();
        } catch (IOException e) {
            throw new UncheckedIOException(e); // an array of the right size does not fail
        }
        return bytes;
    }

    /** The first version that has frames of the kind. */
    private static int since(PeerFrame.KindCase kind) {
        return switch (kind) {
            case FILTERS, BARRIER, BARRIER_DONE, FINISHED, GROUP_ANSWER, CHOICE_QUESTION, CHOICE_ANSWER, SERVING -> 1;
            case STICKY_CHOICES -> 1; // only sent to peers that say that they read strategies
            case KIND_NOT_SET -> Integer.MAX_VALUE;
        };
    }

    /**
     * Fails with {@link IllegalArgumentException} when the bytes are no such frame, or of a kind that the version
     * lacks. Unknown fields are ignored.
     *
     * @param agreed the version that the sender must keep to
     */
    public static PeerFrame decode(int agreed, byte[] bytes) {
        if (bytes.length == 0 || bytes[0] != TYPE || bytes.length > MAX_BYTES) {
            throw new IllegalArgumentException("a control frame begins with 1 and has at most " + MAX_BYTES
                    + " bytes, this one has " + bytes.length);
        }
        try {
            PeerFrame frame = PeerFrame.parseFrom(CodedInputStream.newInstance(bytes, 1, bytes.length - 1));
            if (since(frame.getKindCase()) > agreed) {
                throw new IllegalArgumentException("a control frame of no kind of version " + agreed);
            }
            return frame;
        } catch (InvalidProtocolBufferException e) {
            throw new IllegalArgumentException("control frame of " + bytes.length + " bytes: " + e.getMessage(), e);
        } catch (IOException e) {
            throw new UncheckedIOException(e); // an array does not fail
        }
    }
}
