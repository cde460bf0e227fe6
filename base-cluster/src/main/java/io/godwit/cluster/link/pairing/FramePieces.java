package io.godwit.cluster.link.pairing;

import java.util.Arrays;

/**
 * The received part of a frame that comes in pieces. Memory grows with the bytes received, so a peer cannot reserve
 * much memory by merely announcing a large frame. Owned by one thread at a time.
 */
final class FramePieces {
    private static final byte[] NOTHING = {};
    /** Makes few copies, because the receiver of the lane waits for each. */
    private static final long GROWTH = 8;

    private static final long GROWTH_OF_UNTOLD = 2;

    private byte[] bytes = NOTHING;
    /** The number of bytes received. */
    private int length;

    /** The number of bytes received. */
    int length() {
        return length;
    }

    /** Appends a piece of a frame whose length is unknown. Allocates at most twice the bytes received. */
    void append(byte[] from, int at, int count, int maxFrameBytes) {
        append(from, at, count, GROWTH_OF_UNTOLD, maxFrameBytes);
    }

    /**
     * Appends a piece of a frame of {@code frameBytes}. Allocates at most eight times the bytes received, and no more
     * than the frame needs.
     */
    void appendTold(byte[] from, int at, int count, int frameBytes) {
        append(from, at, count, GROWTH, frameBytes);
    }

    private void append(byte[] from, int at, int count, long growth, int most) {
        int needed = length + count;
        if (needed > bytes.length) {
            bytes = Arrays.copyOf(bytes, (int) Math.min(most, growth * needed));
        }
        System.arraycopy(from, at, bytes, length, count);
        length = needed;
    }

    /** Returns the complete frame and forgets it. */
    byte[] take() {
        byte[] frame = length == bytes.length ? bytes : Arrays.copyOf(bytes, length);
        clear();
        return frame;
    }

    void clear() {
        bytes = NOTHING;
        length = 0;
    }
}
