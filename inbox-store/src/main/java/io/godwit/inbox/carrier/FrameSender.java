package io.godwit.inbox.carrier;

import io.godwit.inbox.wire.InboxFrame;

/**
 * Sends the frames of one end, and keeps to the limit of the link: a frame above it is not sent, and who wanted it sent
 * fails in words. Thread-safe; order is as {@link FrameLink} has it.
 */
final class FrameSender {
    /** What may grow comes in parts of about so many bytes: more would not make it cheaper. */
    private static final int PART_BYTES = 512 << 10;
    /** Of a frame beside what grows in it. */
    private static final int HEAD_BYTES = 64;

    private final FrameLink link;

    FrameSender(FrameLink link) {
        this.link = link;
    }

    /** Bytes of what grows in one frame, at most. */
    int partBytes() {
        return Math.max(1, Math.min(PART_BYTES, link.maxFrameBytes() - HEAD_BYTES));
    }

    /** Returns false, and sends nothing, when the frame is above the limit. */
    boolean send(InboxFrame.Builder builder) {
        InboxFrame frame = builder.build();
        boolean isSent = fits(frame.getSerializedSize());
        if (isSent) {
            link.send(frame.toByteArray());
        }
        return isSent;
    }

    /** Sends what {@link #fits}. */
    void send(byte[] frame) {
        link.send(frame);
    }

    /** Whether a frame of so many bytes may be sent. */
    boolean fits(int bytes) {
        return bytes <= link.maxFrameBytes();
    }

    /** Sends a frame that cannot grow. */
    void sendSmall(InboxFrame.Builder frame) {
        link.send(frame.build().toByteArray());
    }

    /** In words, what may not be sent. */
    String tooLarge(String what) {
        return what + " is above the " + link.maxFrameBytes() + " bytes that go to another node at once";
    }
}
