package io.godwit.inbox.session.frame;

import com.google.protobuf.CodedOutputStream;
import com.google.protobuf.InvalidProtocolBufferException;
import io.godwit.inbox.session.port.BadFrameException;
import io.godwit.inbox.wire.DirectoryFrame;
import io.godwit.inbox.wire.Hello;
import java.io.IOException;
import java.io.UncheckedIOException;

/** Frames of the directory: the byte 2, then a {@link DirectoryFrame}. */
public final class DirectoryFrames {
    /** First byte of the directory's frames in the CONTROL lane. */
    public static final byte TYPE = 2;

    /** Greater than any frame of this release; a larger frame is refused before it is decoded. */
    public static final int MAX_BYTES = 1 << 20;

    private DirectoryFrames() {}

    /**
     * The first frame of each end. Names the version of the link's frames
     * ({@link io.godwit.cluster.link.Peer#version}), which both nodes have agreed on.
     */
    public static byte[] hello(int agreed) {
        return encode(DirectoryFrame.newBuilder()
                .setHello(Hello.newBuilder().setLeastVersion(agreed).setMostVersion(agreed))
                .build());
    }

    /** Fails when the other end does not speak the version of the link. */
    public static void check(Hello other, int agreed) throws BadFrameException {
        if (Integer.compareUnsigned(agreed, other.getLeastVersion()) < 0
                || Integer.compareUnsigned(agreed, other.getMostVersion()) > 0) {
            throw new BadFrameException("the other node speaks versions "
                    + Integer.toUnsignedString(other.getLeastVersion()) + " to "
                    + Integer.toUnsignedString(other.getMostVersion()) + " of the directory's protocol, and not "
                    + agreed);
        }
    }

    public static byte[] encode(DirectoryFrame frame) {
        byte[] bytes = new byte[1 + frame.getSerializedSize()];
        bytes[0] = TYPE;
        try {
            frame.writeTo(CodedOutputStream.newInstance(bytes, 1, bytes.length - 1));
        } catch (IOException e) {
            throw new UncheckedIOException("an array has no room for what it was made for", e);
        }
        return bytes;
    }

    public static DirectoryFrame decode(byte[] bytes) throws BadFrameException {
        if (bytes.length == 0 || bytes[0] != TYPE || bytes.length > MAX_BYTES) {
            throw new BadFrameException("a frame of " + bytes.length + " bytes is none of the directory's");
        }
        try {
            return DirectoryFrame.parser().parseFrom(bytes, 1, bytes.length - 1);
        } catch (InvalidProtocolBufferException e) {
            throw new BadFrameException("a frame of the directory is not understood: " + e.getMessage());
        }
    }
}
