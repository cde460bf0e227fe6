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
 * Copies several ranges of a node as they are at one moment: what one of them has because of what another had is never
 * without that. In order:
 *
 * <ol>
 *   <li>each is asked whether it leads, and has applied all that was acknowledged before; what it has in memory is
 *   flushed, while it goes on
 *   <li>each stops to write: from here on nothing is acknowledged, and none learns of what another commits
 *   <li>each is copied by hard links, which takes a few milliseconds for each
 *   <li>each goes on
 * </ol>
 *
 * <p>Reads go on throughout. Has no state; for an I/O thread. Two at a time do not wait for each other for ever: who
 * does not get a range in time lets go of all.
 */
public final class RangeMoment {
    private static final Logger LOG = LoggerFactory.getLogger(RangeMoment.class);
    private static final long PAUSE_WAIT_MILLIS = 2_000;

    private RangeMoment() {}

    /**
     * Copies all of {@code ranges}. Blocks.
     *
     * @param target of a range: must not exist, while its parent must
     * @return what each is in its copy, in the order given
     * @throws IOException if one does not lead, does not stop, or cannot be copied; what was copied by then is left
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
                            "range " + range.groupId() + " did not stop to write in " + PAUSE_WAIT_MILLIS + " ms");
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
