package io.godwit.inbox.carrier;

import io.godwit.inbox.wire.Hello;
import io.godwit.inbox.wire.InboxFrame;

/** The versions of the inbox protocol that this release speaks: its own, and the one before when there was one. */
final class Versions {
    static final int LEAST = 1;
    static final int MOST = 1;

    private Versions() {}

    /** What each end sends first. */
    static byte[] hello() {
        return InboxFrame.newBuilder()
                .setHello(Hello.newBuilder().setLeastVersion(LEAST).setMostVersion(MOST))
                .build()
                .toByteArray();
    }

    /** The version that both ends use from now on; fails when there is none that both speak. */
    static int agree(Hello other) throws FrameException {
        int highest = Math.min(MOST, other.getMostVersion());
        if (highest < LEAST || highest < other.getLeastVersion()) {
            throw new FrameException("the other node speaks versions " + other.getLeastVersion() + " to "
                    + other.getMostVersion() + " of the inbox protocol, this one " + LEAST + " to " + MOST);
        }
        return highest;
    }
}
