package io.godwit.kv;

import java.io.IOException;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/** Copies of ranges, for operators. Any thread; blocks. */
public interface RangeBackups {
    /**
     * Copies a range that this node leads, as it is when this returns: with everything in it that was acknowledged before the call.
     *
     * @throws IOException if this node does not lead the range, or the copy cannot be written
     */
    RangeCopy copy(String store, long rangeId) throws IOException;

    /** A copy in a directory of its own, deleted by {@link #close}. */
    interface RangeCopy extends AutoCloseable {
        long id();

        long epoch();

        /** Inclusive. */
        byte[] start();

        /** Exclusive; null means without end. */
        byte @Nullable [] end();

        /** Holds the files of its database and nothing else. */
        Path directory();

        @Override
        void close();
    }
}
