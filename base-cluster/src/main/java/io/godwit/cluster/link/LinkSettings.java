package io.godwit.cluster.link;

import java.time.Duration;

/**
 * Time-outs and memory bounds of the links.
 *
 * @param clusterId must be the same at both ends
 * @param silence a peer is over after this time without a connection
 * @param windowBytes a lane with this many unconfirmed bytes is not {@link Peer#isWritable}. At most this much of a
 *     lane is in flight, plus as much of passable frames, plus one frame
 * @param boundBytes a peer is over when a lane has more unconfirmed bytes than this. Passable frames do not count,
 *     unless the total exceeds the bound and the largest frame together
 * @param threads number of threads that call receivers and confirmations, besides one for the CONTROL lane
 */
public record LinkSettings(String clusterId, Duration silence, long windowBytes, long boundBytes, int threads) {
    public static final long LEAST_WINDOW_BYTES = 64 << 10;
    /** Frames without a client's message are smaller than this, so every node accepts them. */
    public static final int LEAST_FRAME_BYTES = 384 << 10;

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

    /** Defaults for most clusters; the broker takes the silence from its configuration. */
    public static LinkSettings of(String clusterId) {
        return new LinkSettings(clusterId, SILENCE, WINDOW_BYTES, BOUND_BYTES, THREADS);
    }

    public LinkSettings withSilence(Duration changed) {
        return new LinkSettings(clusterId, changed, windowBytes, boundBytes, threads);
    }

    /** Raises the bound by {@code bytes}, the most that publishers may have unacknowledged. */
    public LinkSettings withPublishes(long bytes) {
        return withBytes(windowBytes, boundBytes + bytes);
    }

    public LinkSettings withBytes(long window, long bound) {
        return new LinkSettings(clusterId, silence, window, bound, threads);
    }
}
