package io.godwit.kv.range;

import io.godwit.kv.range.data.RangeDb;
import io.godwit.kv.range.state.RangeState;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Copies several ranges of a node at one moment: if a write in one range was caused by a write in another, the copies
 * never have the effect without its cause. Steps:
 *
 * <ol>
 *   <li>each range confirms that it leads and has applied everything acknowledged before; its memory is flushed, while
 *       it goes on
 *   <li>each range stops writing: from here on nothing is acknowledged, and no range learns of another's commits
 *   <li>each range is copied by hard links, which takes a few milliseconds each
 *   <li>each range goes on
 * </ol>
 *
 * <p>Reads go on all the time. Has no state; for an I/O thread. Two copies at the same time cannot deadlock: one that
 * does not get a range in time releases all of its ranges.
 */
public final class RangeMoment {
    private static final Logger LOG = LoggerFactory.getLogger(RangeMoment.class);
    private static final long PAUSE_WAIT_MILLIS = 2_000;

    private RangeMoment() {}

    /**
     * Copies all of {@code ranges}. Blocks.
     *
     * @param target the directory for each range: it must not exist, but its parent must
     * @return the state of each range in its copy, in the given order
     * @throws IOException if a range does not lead, does not stop writing or cannot be copied; copies made by then are
     *     left behind
     */
    public static Map<Range, RangeState> copy(List<Range> ranges, Function<Range, Path> target) throws IOException {
        for (Range range : ranges) {
            range.confirmLeads();
            range.db().flushAhead();
        }
        Map<Range, RangeState> copied = new LinkedHashMap<>();
        List<RangeDb> paused = new ArrayList<>();
        long begun = System.nanoTime();
        try {
            for (Range range : ranges) {
                if (!range.db().pauseWrites(PAUSE_WAIT_MILLIS)) {
                    throw new IOException(
                            "range " + range.groupId() + " did not stop writing within " + PAUSE_WAIT_MILLIS + " ms");
                }
                paused.add(range.db());
            }
            for (Range range : ranges) {
                range.db().checkpoint(target.apply(range));
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException("interrupted", e);
        } finally {
            paused.forEach(RangeDb::resumeWrites);
            LOG.info(
                    "ranges copied at one moment ranges={} pausedMicros={}",
                    paused.size(),
                    (System.nanoTime() - begun) / 1_000);
        }
        for (Range range : ranges) {
            copied.put(range, range.db().stateIn(target.apply(range)));
        }
        return copied;
    }
}
