package io.godwit.perf.load;

import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * What has arrived of one publisher's messages to one topic at one receiver: which are missing, which came twice, which
 * came after a later one. Confined to the receiver's event loop, unless its owner says otherwise.
 */
final class StreamCheck {
    /** What an arrival was. */
    enum Arrival {
        NEXT,
        /** New, after a later one. */
        OVERTAKEN,
        REPEATED
    }

    /** All below have arrived, but for those in gaps. */
    private int next;

    /**
     * First missing sequence to the one after the last missing of a gap; null while there never was one, which is
     * nearly always.
     */
    private @Nullable TreeMap<Integer, Integer> gaps;

    private int missing;

    /** A stream that is heard from {@code sequence} on. */
    static StreamCheck from(int sequence) {
        StreamCheck stream = new StreamCheck();
        stream.next = sequence;
        return stream;
    }

    Arrival accept(int sequence) {
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

    boolean hasArrived(int sequence) {
        return sequence < next && gapOf(sequence) == null;
    }

    /** How many of the first {@code sent} have not arrived. */
    long missing(int sent) {
        return missing + (long) Math.max(0, sent - next);
    }
}
