package io.godwit.inbox.session;

import com.google.protobuf.CodedOutputStream;
import com.google.protobuf.InvalidProtocolBufferException;
import io.godwit.inbox.wire.DirectoryFrame;
import io.godwit.inbox.wire.Hello;
import java.io.IOException;
import java.io.UncheckedIOException;

/** Frames of the directory: the byte 2, then a {@link DirectoryFrame}. */
final class DirectoryFrames {
    /** Of the frames of the CONTROL lane, those of the directory. */
    static final byte TYPE = 2;

    static final int LEAST_VERSION = 1;
    static final int MOST_VERSION = 1;
    /** More than any frame of this release has; a frame with more is refused before it is taken apart. */
    static final int MAX_BYTES = 1 << 20;

    private DirectoryFrames() {}

    static byte[] hello() {
        return encode(DirectoryFrame.newBuilder()
                .setHello(Hello.newBuilder().setLeastVersion(LEAST_VERSION).setMostVersion(MOST_VERSION))
                .build());
    }

    /** Fails when there is no version that both ends speak. */
    static void agree(Hello other) throws BadFrameException {
        int highest = Math.min(MOST_VERSION, other.getMostVersion());
        if (highest < LEAST_VERSION || highest < other.getLeastVersion()) {
            throw new BadFrameException("the other node speaks versions " + other.getLeastVersion() + " to "
                    + other.getMostVersion() + " of the directory's protocol, this one " + LEAST_VERSION + " to "
                    + MOST_VERSION);
        }
    }

    static byte[] encode(DirectoryFrame frame) {
        byte[] bytes = new byte[1 + frame.getSerializedSize()];
        bytes[0] = TYPE;
        try {
            frame.writeTo(CodedOutputStream.newInstance(bytes, 1, bytes.length - 1));
        } catch (IOException e) {
            throw new UncheckedIOException("an array has no room for what it was made for", e);
        }
        return bytes;
    }

    static DirectoryFrame decode(byte[] bytes) throws BadFrameException {
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
