package io.godwit.cluster.link;

/**
 * The bytes that a lane may hold.
 *
 * @param maxFrameBytes of one frame that comes
 * @param windowBytes see {@link LinkSettings}
 * @param boundBytes see {@link LinkSettings}
 */
record LinkLimits(int maxFrameBytes, long windowBytes, long boundBytes) {
    private static final int SLACK_BYTES = 1 << 20;
    private static final int PIECES_SHARE = 1_000;

    static LinkLimits of(LinkSettings settings, int maxFrameBytes) {
        return new LinkLimits(maxFrameBytes, settings.windowBytes(), settings.boundBytes());
    }

    /**
     * What a lane's messages can come to that the other end may send before they are received ({@link LaneOutlet}): a
     * window, another one of frames that may be passed, one frame more that was begun within them, and what the
     * protocol adds. Beside it {@link LaneInlet} holds the pieces of one frame.
     */
    long maxArrivedBytes() {
        return 2 * windowBytes + maxFrameBytes + maxFrameBytes / PIECES_SHARE + SLACK_BYTES;
    }
}
