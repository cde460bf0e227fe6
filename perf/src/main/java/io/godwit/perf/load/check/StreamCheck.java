package io.godwit.perf.load.check;

import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Tracks which messages of one publisher to one topic have arrived at one receiver: which are missing, repeated, or
 * came after a later one. Confined to the receiver's event loop, unless its owner says otherwise.
 */
public final class StreamCheck {
    /** How a message arrived. */
    public enum Arrival {
        NEXT,
        /** New, but after a later one. */
        OVERTAKEN,
        REPEATED
    }

    /** All sequences below this one have arrived, except for those in gaps. */
    private int next;

    /**
     * The gaps: from the first missing sequence of each to the one after its last; null if there never was a gap, which
     * is nearly always the case.
     */
    private @Nullable TreeMap<Integer, Integer> gaps;

    private int missing;

    /** A stream whose first sequence is {@code sequence}; earlier ones do not count as missing. */
    public static StreamCheck from(int sequence) {
        StreamCheck stream = new StreamCheck();
        stream.next = sequence;
        return stream;
    }

    public Arrival accept(int sequence) {
        if (sequence == next) {
            next++;
            return Arrival.NEXT;
        }
        if (sequence > next) {
            if (gaps == null) {
                gaps = new TreeMap<>();
            }
            gaps.put(next, sequence);
            missing += sequence - next;
            next = sequence + 1;
            return Arrival.NEXT;
        }
        Map.Entry<Integer, Integer> gap = gapOf(sequence);
        if (gaps == null || gap == null) {
            return Arrival.REPEATED;
        }
        gaps.remove(gap.getKey());
        if (gap.getKey() < sequence) {
            gaps.put(gap.getKey(), sequence);
        }
        if (sequence + 1 < gap.getValue()) {
            gaps.put(sequence + 1, gap.getValue());
        }
        missing--;
        return Arrival.OVERTAKEN;
    }

    private Map.@Nullable Entry<Integer, Integer> gapOf(int sequence) {
        Map.Entry<Integer, Integer> gap = gaps == null ? null : gaps.floorEntry(sequence);
        return gap != null && sequence < gap.getValue() ? gap : null;
    }

    public boolean hasArrived(int sequence) {
        return sequence < next && gapOf(sequence) == null;
    }

    /** How many of the first {@code sent} messages have not arrived. */
    public long missing(int sent) {
        return missing + (long) Math.max(0, sent - next);
    }
}
