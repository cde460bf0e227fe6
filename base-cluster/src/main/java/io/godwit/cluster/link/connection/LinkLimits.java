package io.godwit.cluster.link.connection;

import io.godwit.cluster.link.LinkSettings;

/**
 * Limits on the bytes that a lane may hold.
 *
 * @param maxFrameBytes the largest frame that this node accepts
 * @param windowBytes see {@link LinkSettings}
 * @param boundBytes see {@link LinkSettings}
 */
public record LinkLimits(int maxFrameBytes, long windowBytes, long boundBytes) {
    private static final int SLACK_BYTES = 1 << 20;
    private static final int PIECES_SHARE = 1_000;

    public static LinkLimits of(LinkSettings settings, int maxFrameBytes) {
        return new LinkLimits(maxFrameBytes, settings.windowBytes(), settings.boundBytes());
    }

    /**
     * The most bytes of messages of a lane that the other end may send before they are received ({@code LaneOutlet}):
     * one window, another one of passable frames, one frame that was begun within them, and the overhead of the
     * protocol. In addition, {@code LaneInlet} holds the pieces of one frame.
     */
    long maxArrivedBytes() {
        return 2 * windowBytes + maxFrameBytes + maxFrameBytes / PIECES_SHARE + SLACK_BYTES;
    }
}
