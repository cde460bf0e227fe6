package io.godwit.cluster.link;

import java.util.Arrays;

/**
 * A frame that comes in pieces, as far as it has come. Its memory grows with that, so that nobody takes much by words
 * alone. Owned by one thread at a time.
 */
final class FramePieces {
    private static final byte[] NOTHING = {};
    /** Few large copies, since who receives a lane waits for each. */
    private static final long GROWTH = 8;

    private static final long GROWTH_OF_UNTOLD = 2;

    private byte[] bytes = NOTHING;
    /** So many have come. */
    private int length;

    /** So many have come. */
    int length() {
        return length;
    }

    /** The next piece of a frame whose length is not known. Takes memory for up to twice what has come. */
    void append(byte[] from, int at, int count, int maxFrameBytes) {
        append(from, at, count, GROWTH_OF_UNTOLD, maxFrameBytes);
    }

    /** The next piece of a frame of so many bytes. Takes memory for up to eight times what has come, and no more. */
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

    /** The frame, all of which has come. Nothing of it is kept. */
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
