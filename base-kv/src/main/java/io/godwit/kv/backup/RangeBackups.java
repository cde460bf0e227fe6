package io.godwit.kv.backup;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Makes copies of ranges, for operators. Any thread; blocks. */
public interface RangeBackups {
    /**
     * Copies a range that this node leads. The copy includes every write that was acknowledged before the call.
     *
     * @throws IOException if this node does not lead the range, or the copy cannot be written
     */
    RangeCopy copy(String store, long rangeId) throws IOException;

    /**
     * Copies all ranges of some stores at one moment, see {@link io.godwit.kv.range.RangeMoment}. The copies include
     * every write that was acknowledged before the call. The ranges accept no writes at that moment.
     *
     * @return the copies, store after store, in the order of their first keys
     * @throws IOException if this node does not lead all ranges, if one is being changed, or if the copies cannot be
     *     written
     */
    List<RangeCopy> copyAll(List<String> stores) throws IOException;

    /** A copy in its own directory, which {@link #close} deletes. */
    interface RangeCopy extends AutoCloseable {
        String store();

        long id();

        long epoch();

        /** First key, inclusive. */
        byte[] start();

        /** End of the keys, exclusive; null means no end. */
        byte @Nullable [] end();

        /** Contains the files of the database and nothing else. */
        Path directory();

        @Override
        void close();
    }
}
