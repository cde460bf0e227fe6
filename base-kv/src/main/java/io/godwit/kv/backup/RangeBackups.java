package io.godwit.kv.backup;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Copies of ranges, for operators. Any thread; blocks. */
public interface RangeBackups {
    /**
     * Copies a range that this node leads, as it is when this returns: with everything in it that was acknowledged
     * before the call.
     *
     * @throws IOException if this node does not lead the range, or the copy cannot be written
     */
    RangeCopy copy(String store, long rangeId) throws IOException;

    /**
     * Copies all ranges of some stores as they are at one moment, see {@link io.godwit.kv.range.RangeMoment}: with
     * everything in them that was acknowledged before the call. They take no writes for that moment.
     *
     * @return by their first keys, store after store
     * @throws IOException if this node does not lead all of them, one is being changed, or they cannot be written
     */
    List<RangeCopy> copyAll(List<String> stores) throws IOException;

    /** A copy in a directory of its own, deleted by {@link #close}. */
    interface RangeCopy extends AutoCloseable {
        String store();

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
