package io.godwit.kv.range;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.godwit.kv.coprocessor.RangeBounds;
import io.godwit.kv.coprocessor.RangeCursor;
import io.godwit.kv.range.state.RangeCommand;
import io.godwit.kv.range.state.RangeEntry;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** Access to ranges for a simulation: what it reads, and the faults that it causes to show that they are detected. */
public final class SimRanges {
    /** Kinds of log entries. */
    public static final byte COPY = RangeEntry.COPY;

    public static final byte REFRAIN = RangeEntry.REFRAIN;

    public static final byte RESUME = RangeEntry.RESUME;

    public static final byte REPLICAS = RangeEntry.REPLICAS;

    private SimRanges() {}

    /** All data of the replica within its bounds. */
    public static Map<String, String> content(Range range) {
        RangeBounds bounds = range.state().bounds();
        return range.db().readSnapshot(reader -> {
            Map<String, String> content = new TreeMap<>();
            try (RangeCursor cursor = reader.cursor(bounds.start(), bounds.end())) {
                for (cursor.seekToFirst(); cursor.isValid(); cursor.next()) {
                    content.put(new String(cursor.key(), UTF_8), new String(cursor.value(), UTF_8));
                }
            }
            return content;
        });
    }

    /** Lets direct requests to a new range overtake those still being forwarded from the old one. */
    public static void forgetForwarding(Range child) {
        child.requests().release();
    }

    /** The same log entry without the entries that a merge copies. */
    public static byte[] withoutCopies(byte[] entry) {
        if (RangeEntry.isMutations(ByteBuffer.wrap(entry))
                || !(RangeCommand.decode(ByteBuffer.wrap(entry)) instanceof RangeCommand.Copy copy)) {
            return entry;
        }
        return new RangeCommand.Copy(copy.epoch(), copy.rightId(), List.of()).encode();
    }
}
