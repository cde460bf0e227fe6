package io.godwit.kv.range.data;

import io.godwit.kv.coprocessor.RangeBounds;
import io.godwit.kv.coprocessor.RangeCursor;
import io.godwit.kv.coprocessor.RangeReader;
import io.godwit.kv.coprocessor.RangeWrites;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The writes of one batch, with reads that see them. A write costs its bytes in the batch and one list entry. The first
 * read sorts the writes into an overlay, which is kept up to date from then on. Confined to the apply thread.
 */
public final class BufferedWrites implements RangeWrites {
    /** A write that reads must see; value null is a deletion, end non-null a deletion of an interval. */
    @SuppressWarnings("ArrayRecordComponent") // never compared
    private record Write(byte[] key, byte @Nullable [] value, byte @Nullable [] end) {}

    /** The overlay's entry for a key; value null is a deletion. */
    @SuppressWarnings("ArrayRecordComponent") // never compared
    private record Overlaid(byte @Nullable [] value) {}

    private final RangeReader db;
    private final Supplier<RangeBounds> bounds;
    private final BatchBytes bytes = new BatchBytes();
    private final List<Write> unsorted = new ArrayList<>();
    private final NavigableMap<byte[], Overlaid> overlay = new TreeMap<>(Arrays::compareUnsigned);
    private final List<RangeBounds> deletedIntervals = new ArrayList<>();
    private boolean sorted;
    private int count;
    /** One of the written keys, as a sample for the load measurement; null if there is none. */
    private byte @Nullable [] sample;

    BufferedWrites(RangeReader db, Supplier<RangeBounds> bounds) {
        this.db = db;
        this.bounds = bounds;
    }

    BatchBytes bytes() {
        return bytes;
    }

    /** The present size of the batch in bytes. */
    public int sizeBytes() {
        return bytes.size();
    }

    /**
     * Deletes everything in the range that is not within {@code kept}. Reads do not see this, so the batch must be
     * committed next.
     */
    public void deleteOutside(RangeBounds kept) {
        if (kept.start().length > 0) {
            bytes.deleteRange(new byte[0], kept.start());
        }
        byte @Nullable [] end = kept.end();
        if (end != null) {
            bytes.deleteToEnd(end);
        }
    }

    public void clear() {
        bytes.clear();
        unsorted.clear();
        overlay.clear();
        deletedIntervals.clear();
        sorted = false;
        count = 0;
        sample = null;
    }

    public int count() {
        return count;
    }

    public byte @Nullable [] sample() {
        return sample;
    }

    @Override
    public void put(byte[] key, byte[] value) {
        bytes.put(key, value);
        record(new Write(key, value, null));
    }

    @Override
    public void delete(byte[] key) {
        bytes.delete(key);
        record(new Write(key, null, null));
    }

    @Override
    public void deleteRange(byte[] start, byte[] end) {
        if (Arrays.compareUnsigned(start, end) < 0) {
            bytes.deleteRange(start, end);
            record(new Write(start, null, end));
        }
    }

    @Override
    public byte @Nullable [] get(byte[] key) {
        sort();
        Overlaid overlaid = overlay.isEmpty() ? null : overlay.get(key);
        if (overlaid != null) {
            return overlaid.value;
        }
        return isDeleted(key) ? null : db.get(key);
    }

    @Override
    public RangeCursor cursor(byte[] start, byte @Nullable [] end) {
        sort();
        byte @Nullable [] last = end == null ? bounds.get().end() : end;
        DbCursor stored = (DbCursor) db.cursor(start, last);
        return bytes.isEmpty() ? stored : new OverlayCursor(stored, start, last);
    }

    private void record(Write write) {
        count++;
        if ((count & count - 1) == 0) { // the last write with a power of two as number is in the second half
            sample = write.key;
        }
        if (sorted) {
            overlay(write);
        } else {
            unsorted.add(write);
        }
    }

    private void sort() {
        if (!sorted) {
            sorted = true;
            unsorted.forEach(this::overlay);
            unsorted.clear();
        }
    }

    private void overlay(Write write) {
        if (write.end != null) {
            overlay.subMap(write.key, write.end).clear();
            deletedIntervals.add(new RangeBounds(write.key, write.end));
        } else {
            overlay.put(write.key, new Overlaid(write.value));
        }
    }

    /** Whether an interval deletion hides the stored value of {@code key}. */
    private boolean isDeleted(byte[] key) {
        for (RangeBounds interval : deletedIntervals) {
            if (interval.contains(key)) {
                return true;
            }
        }
        return false;
    }

    /**
     * Merges the overlay into a cursor of the database. Holds its position by key, so that it tolerates writes in
     * between.
     */
    private final class OverlayCursor implements RangeCursor {
        private final DbCursor stored;
        private final byte[] start;
        private final byte @Nullable [] end;
        private Map.@Nullable Entry<byte[], Overlaid> written;

        OverlayCursor(DbCursor stored, byte[] start, byte @Nullable [] end) {
            this.stored = stored;
            this.start = start;
            this.end = end;
        }

        @Override
        public void seekToFirst() {
            seek(start);
        }

        @Override
        public void seek(byte[] key) {
            byte[] target = Arrays.compareUnsigned(key, start) < 0 ? start : key;
            stored.seek(target);
            skipHidden();
            written = firstWritten(overlay.ceilingEntry(target));
        }

        @Override
        public void seekToLast() {
            stored.seekToLast();
            while (stored.isValid() && isHidden(stored.key())) {
                stored.previous();
            }
            Map.Entry<byte[], Overlaid> last = end == null ? overlay.lastEntry() : overlay.lowerEntry(end);
            while (last != null && last.getValue().value == null) {
                last = overlay.lowerEntry(last.getKey());
            }
            boolean inside = last != null && Arrays.compareUnsigned(start, last.getKey()) <= 0;
            if (inside && (!stored.isValid() || Arrays.compareUnsigned(stored.key(), last.getKey()) < 0)) {
                seek(last.getKey());
            } else if (stored.isValid()) {
                seek(stored.key());
            } else {
                written = null;
            }
        }

        @Override
        public boolean isValid() {
            return written != null || stored.isValid();
        }

        @Override
        public void next() {
            Map.Entry<byte[], Overlaid> current = written;
            if (isWrittenFirst() && current != null) {
                written = firstWritten(overlay.higherEntry(current.getKey()));
            } else {
                stored.next();
                skipHidden();
            }
        }

        @Override
        public byte[] key() {
            Map.Entry<byte[], Overlaid> current = written;
            return isWrittenFirst() && current != null ? current.getKey() : stored.key();
        }

        @Override
        public byte[] value() {
            Map.Entry<byte[], Overlaid> current = written;
            if (isWrittenFirst() && current != null) {
                byte[] value = current.getValue().value;
                if (value != null) {
                    return value;
                }
            }
            return stored.value();
        }

        @Override
        public void close() {
            stored.close();
        }

        private boolean isWrittenFirst() {
            return written != null && (!stored.isValid() || Arrays.compareUnsigned(written.getKey(), stored.key()) < 0);
        }

        /** The overlay's entry of a key replaces the stored one. */
        private boolean isHidden(byte[] key) {
            return overlay.containsKey(key) || isDeleted(key);
        }

        private void skipHidden() {
            while (stored.isValid() && isHidden(stored.key())) {
                stored.next();
            }
        }

        private Map.@Nullable Entry<byte[], Overlaid> firstWritten(Map.@Nullable Entry<byte[], Overlaid> from) {
            Map.Entry<byte[], Overlaid> entry = from;
            while (entry != null && entry.getValue().value == null) {
                entry = overlay.higherEntry(entry.getKey());
            }
            return entry != null && (end == null || Arrays.compareUnsigned(entry.getKey(), end) < 0) ? entry : null;
        }
    }
}
