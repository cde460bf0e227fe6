package io.godwit.inbox.format;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * The messages of shared groups that an ended session did not finish. They stay in the queue, below the first sequence
 * of the next session of the client id, until other members have them.
 *
 * <pre>
 * varint   number of messages; unless 0:
 * varint   first
 * varint   end - first
 * then runs of sequences without a gap, until that many: varint distance from the end of the one before, the
 *     first from first; varint length
 * </pre>
 *
 * @param first the first sequence of the session
 * @param end greater than its last sequence
 * @param sequences of those messages, ascending, not empty; shared, never modified
 * @param mayBeRepeat whether an earlier process may have given some to other members
 */
@SuppressWarnings("ArrayRecordComponent")
public record Remains(long first, long end, long[] sequences, boolean mayBeRepeat) {

    /** The same with only the sequences {@code left}; null when there are none. */
    public @Nullable Remains only(long[] left) {
        return left.length == 0 ? null : new Remains(first, end, left, mayBeRepeat);
    }

    public boolean contains(long sequence) {
        return Arrays.binarySearch(sequences, sequence) >= 0;
    }

    static void write(ByteWriter out, @Nullable Remains remains) {
        if (remains == null) {
            out.varint(0);
            return;
        }
        long[] sequences = remains.sequences;
        out.varint(sequences.length);
        out.varint(remains.first);
        out.varint(remains.end - remains.first);
        long before = remains.first;
        int next = 0;
        while (next < sequences.length) {
            int length = 1;
            while (next + length < sequences.length && sequences[next + length] == sequences[next] + length) {
                length++;
            }
            out.varint(sequences[next] - before);
            out.varint(length);
            before = sequences[next] + length;
            next += length;
        }
    }

    static @Nullable Remains read(ByteReader in) {
        int count = in.length();
        if (count == 0) {
            return null;
        }
        long first = in.varint();
        long end = first + in.varint();
        long[] sequences = new long[count];
        long before = first;
        int next = 0;
        while (next < count) {
            long from = before + in.varint();
            int length = in.length();
            if (length < 1 || length > count - next) {
                throw new IllegalArgumentException(length + " messages where " + (count - next) + " are left");
            }
            for (int i = 0; i < length; i++) {
                sequences[next++] = from + i;
            }
            before = from + length;
        }
        return new Remains(first, end, sequences, true);
    }
}
