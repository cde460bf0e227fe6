package io.godwit.inbox.carrier.link;

import io.godwit.inbox.wire.InboxFrame;

/**
 * Sends the frames of one end within the size limit of the link: a larger frame is not sent, and its sender fails with
 * a message. Thread-safe; order as for {@link FrameLink}.
 */
public final class FrameSender {
    /** Long content is sent in parts of about this size; larger parts would not be cheaper. */
    private static final int PART_BYTES = 512 << 10;
    /** Size of a frame without its variable content. */
    private static final int HEAD_BYTES = 64;

    private final FrameLink link;

    public FrameSender(FrameLink link) {
        this.link = link;
    }

    /** Most bytes of variable content in one frame. */
    public int partBytes() {
        return Math.max(1, Math.min(PART_BYTES, link.maxFrameBytes() - HEAD_BYTES));
    }

    /** Returns false, and sends nothing, when the frame is above the limit. */
    public boolean send(InboxFrame.Builder builder) {
        InboxFrame frame = builder.build();
        boolean isSent = fits(frame.getSerializedSize());
        if (isSent) {
            link.send(frame.toByteArray());
        }
        return isSent;
    }

    /** Sends a frame that {@link #fits}. */
    public void send(byte[] frame) {
        link.send(frame);
    }

    /** Whether a frame of this size may be sent. */
    public boolean fits(int bytes) {
        return bytes <= link.maxFrameBytes();
    }

    /** Sends a frame of fixed, small size. */
    public void sendSmall(InboxFrame.Builder frame) {
        link.send(frame.build().toByteArray());
    }

    /** The error message for a frame above the limit. */
    public String tooLarge(String what) {
        return what + " is above the " + link.maxFrameBytes() + " bytes that go to another node at once";
    }
}
