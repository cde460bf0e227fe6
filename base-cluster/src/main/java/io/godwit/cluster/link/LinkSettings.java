package io.godwit.cluster.link;

import java.time.Duration;

/**
 * How patient the links are, and how much they hold.
 *
 * @param clusterId both ends must have the same
 * @param silence after so long without a connection a peer is over
 * @param windowBytes of a lane that is not {@link Peer#isWritable}; so much also is under way at most, as much again of
 *     frames that may be passed, and one frame
 * @param boundBytes when more than this waits in a lane to be confirmed, the peer is over. Frames that may be passed do
 *     not count, unless all together are above the bound and the largest frame
 * @param threads that receivers and confirmations are called on, beside one for the CONTROL lane
 */
public record LinkSettings(String clusterId, Duration silence, long windowBytes, long boundBytes, int threads) {
    static final long LEAST_WINDOW_BYTES = 64 << 10;
    /** Frames that hold no client's message are smaller: every node accepts those. */
    static final int LEAST_FRAME_BYTES = 384 << 10;

    private static final Duration SILENCE = Duration.ofSeconds(20);
    private static final long WINDOW_BYTES = 8 << 20;
    private static final long BOUND_BYTES = 64 << 20;
    private static final int THREADS = 2;

    public LinkSettings {
        if (silence.isNegative() || silence.isZero()) {
            throw new IllegalArgumentException("silence must be above 0, was " + silence);
        }
        if (windowBytes < LEAST_WINDOW_BYTES) {
            throw new IllegalArgumentException(
                    "window must be at least " + LEAST_WINDOW_BYTES + " bytes, was " + windowBytes);
        }
        if (boundBytes < windowBytes) {
            throw new IllegalArgumentException(
                    "bound must be at least the window of " + windowBytes + ", was " + boundBytes);
        }
        if (threads < 1) {
            throw new IllegalArgumentException("at least one thread is needed, was " + threads);
        }
    }

    /** What suits most clusters; the broker has its silence from the configuration. */
    public static LinkSettings of(String clusterId) {
        return new LinkSettings(clusterId, SILENCE, WINDOW_BYTES, BOUND_BYTES, THREADS);
    }

    public LinkSettings withSilence(Duration changed) {
        return new LinkSettings(clusterId, changed, windowBytes, boundBytes, threads);
    }

    /** Has a lane bear so many bytes more, which is what publishers have unacknowledged at most. */
    public LinkSettings withPublishes(long bytes) {
        return withBytes(windowBytes, boundBytes + bytes);
    }

    public LinkSettings withBytes(long window, long bound) {
        return new LinkSettings(clusterId, silence, window, bound, threads);
    }
}
