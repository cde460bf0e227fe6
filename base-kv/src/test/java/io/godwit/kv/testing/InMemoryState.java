package io.godwit.kv.testing;

import io.godwit.kv.coprocessor.RangeBounds;
import io.godwit.kv.coprocessor.RangeCursor;
import io.godwit.kv.coprocessor.RangeReader;
import io.godwit.kv.coprocessor.RangeWrites;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Deque;
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The sorted state of one range. A view is valid only during the call that it was passed to, as in the contract of
 * {@link RangeReader}.
 */
final class InMemoryState {
    private final NavigableMap<byte[], byte[]> entries = new TreeMap<>(Arrays::compareUnsigned);
    private final RangeBounds bounds;

    InMemoryState(RangeBounds bounds) {
        this.bounds = bounds;
    }

    /** A copy that does not change with this object. */
    InMemoryState copy() {
        InMemoryState copy = new InMemoryState(bounds);
        copy.entries.putAll(entries); // values are never changed in place
        return copy;
    }

    /** Runs {@code work} on the present content. */
    <T extends @Nullable Object> T read(Function<RangeReader, T> work) {
        View view = new View();
        try {
            return work.apply(view);
        } finally {
            view.open = false;
        }
    }

    /** Runs {@code work}; if it throws, none of its writes are kept. */
    <T> T write(Function<RangeWrites, T> work) {
        Writes writes = new Writes();
        boolean done = false;
        try {
            T result = work.apply(writes);
            done = true;
            return result;
        } finally {
            writes.open = false;
            if (!done) {
                writes.undo();
            }
        }
    }

    private class View implements RangeReader {
        boolean open = true;

        @Override
        public byte @Nullable [] get(byte[] key) {
            checkOpen();
            byte[] value = entries.get(key);
            return value == null ? null : value.clone();
        }

        @Override
        public RangeCursor cursor(byte[] start, byte @Nullable [] end) {
            checkOpen();
            return new Cursor(this, start.clone(), end == null ? bounds.end() : end.clone());
        }

        void checkOpen() {
            if (!open) {
                throw new IllegalStateException("used after the call it was handed to");
            }
        }
    }

    private final class Writes extends View implements RangeWrites {
        private final Deque<Runnable> undo = new ArrayDeque<>();

        @Override
        public void put(byte[] key, byte[] value) {
            checkOpen();
            byte[] ownKey = key.clone();
            remember(ownKey, entries.put(ownKey, value.clone()));
        }

        @Override
        public void delete(byte[] key) {
            checkOpen();
            byte[] ownKey = key.clone();
            remember(ownKey, entries.remove(ownKey));
        }

        @Override
        public void deleteRange(byte[] start, byte[] end) {
            checkOpen();
            if (Arrays.compareUnsigned(start, end) >= 0) {
                return;
            }
            for (byte[] key : new ArrayList<>(entries.subMap(start, end).keySet())) {
                delete(key);
            }
        }

        private void remember(byte[] key, byte @Nullable [] before) {
            undo.push(() -> {
                if (before == null) {
                    entries.remove(key);
                } else {
                    entries.put(key, before);
                }
            });
        }

        void undo() {
            undo.forEach(Runnable::run);
        }
    }

    private final class Cursor implements RangeCursor {
        private final View view;
        private final byte[] start;
        private final byte @Nullable [] end;
        private Map.@Nullable Entry<byte[], byte[]> here;
        private boolean closed;

        Cursor(View view, byte[] start, byte @Nullable [] end) {
            this.view = view;
            this.start = start;
            this.end = end;
        }

        @Override
        public void seekToFirst() {
            seek(start);
        }

        @Override
        public void seek(byte[] key) {
            checkOpen();
            moveTo(entries.ceilingEntry(Arrays.compareUnsigned(key, start) < 0 ? start : key));
        }

        @Override
        public void seekToLast() {
            checkOpen();
            moveTo(end == null ? entries.lastEntry() : entries.lowerEntry(end));
        }

        @Override
        public boolean isValid() {
            checkOpen();
            return here != null;
        }

        @Override
        public void next() {
            moveTo(entries.higherEntry(entry().getKey()));
        }

        @Override
        public byte[] key() {
            return entry().getKey().clone();
        }

        @Override
        public byte[] value() {
            return entry().getValue().clone();
        }

        @Override
        public void close() {
            closed = true;
        }

        private void moveTo(Map.@Nullable Entry<byte[], byte[]> entry) {
            boolean inside = entry != null
                    && Arrays.compareUnsigned(start, entry.getKey()) <= 0
                    && (end == null || Arrays.compareUnsigned(entry.getKey(), end) < 0);
            here = inside ? entry : null;
        }

        private Map.Entry<byte[], byte[]> entry() {
            checkOpen();
            if (here == null) {
                throw new IllegalStateException("cursor is not on an entry");
            }
            return here;
        }

        private void checkOpen() {
            view.checkOpen();
            if (closed) {
                throw new IllegalStateException("cursor is closed");
            }
        }
    }
}
