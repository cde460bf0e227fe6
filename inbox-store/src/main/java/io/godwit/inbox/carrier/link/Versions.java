package io.godwit.inbox.carrier.link;

import io.godwit.inbox.wire.Hello;
import io.godwit.inbox.wire.InboxFrame;

/**
 * The version of the inbox protocol is that of the link's frames ({@link FrameLink#version}), which both nodes have
 * agreed on. The hello that each end sends first names only that version.
 */
public final class Versions {
    private Versions() {}

    /** The first frame of each end. */
    public static byte[] hello(int agreed) {
        return InboxFrame.newBuilder()
                .setHello(Hello.newBuilder().setLeastVersion(agreed).setMostVersion(agreed))
                .build()
                .toByteArray();
    }

    /** Fails when the other end does not speak the version of the link. */
    public static void check(Hello other, int agreed) throws FrameException {
        if (Integer.compareUnsigned(agreed, other.getLeastVersion()) < 0
                || Integer.compareUnsigned(agreed, other.getMostVersion()) > 0) {
            throw new FrameException("the other node speaks versions "
                    + Integer.toUnsignedString(other.getLeastVersion()) + " to "
                    + Integer.toUnsignedString(other.getMostVersion()) + " of the inbox protocol, and not " + agreed);
        }
    }

    /** Fails when the version has no frames of the kind. Unknown fields are ignored. */
    public static void check(InboxFrame.KindCase kind, int agreed) throws FrameException {
        if (since(kind) > agreed) {
            throw new FrameException("a frame of no kind of version " + agreed);
        }
    }

    /** The first version that has frames of the kind. */
    private static int since(InboxFrame.KindCase kind) {
        return switch (kind) {
            case HELLO, SESSION, ATTACHMENT, INSERT, ORDER_OVER, ATTACHMENT_OVER, REPLY, FAILURE, DELIVERY -> 1;
            case KIND_NOT_SET -> Integer.MAX_VALUE;
        };
    }
}
