package io.godwit.kv.range.data;

import io.godwit.kv.coprocessor.RangeCursor;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;
import org.rocksdb.ReadOptions;
import org.rocksdb.RocksDB;
import org.rocksdb.RocksDBException;
import org.rocksdb.RocksIterator;
import org.rocksdb.Slice;
import org.rocksdb.Snapshot;

/** A cursor over stored entries; owns its native objects. */
final class DbCursor implements RangeCursor {
    private final byte[] start;
    private final Slice lower;
    private final Slice upper;
    private final ReadOptions options;
    private final RocksIterator iterator;

    DbCursor(RocksDB db, @Nullable Snapshot snapshot, byte[] start, byte @Nullable [] end) {
        this.start = DbKeys.stored(start);
        byte[] last = DbKeys.storedEnd(end);
        // RocksDB rejects an upper bound below the lower one; here it means an empty interval
        this.upper = new Slice(Arrays.compareUnsigned(last, this.start) < 0 ? this.start : last);
        this.lower = new Slice(this.start);
        this.options = new ReadOptions().setIterateLowerBound(lower).setIterateUpperBound(upper);
        if (snapshot != null) {
            options.setSnapshot(snapshot);
        }
        this.iterator = db.newIterator(options);
    }

    @Override
    public void seekToFirst() {
        iterator.seek(start);
        check();
    }

    @Override
    public void seek(byte[] key) {
        byte[] target = DbKeys.stored(key);
        iterator.seek(Arrays.compareUnsigned(target, start) < 0 ? start : target);
        check();
    }

    @Override
    public void seekToLast() {
        iterator.seekToLast();
        check();
    }

    @Override
    public boolean isValid() {
        return iterator.isValid();
    }

    @Override
    public void next() {
        iterator.next();
        check();
    }

    void previous() {
        iterator.prev();
        check();
    }

    @Override
    public byte[] key() {
        return DbKeys.user(iterator.key());
    }

    @Override
    public byte[] value() {
        return iterator.value();
    }

    @Override
    public void close() {
        iterator.close();
        options.close();
        upper.close();
        lower.close();
    }

    /**
     * Throws if the iterator has met an error: RocksDB reports it like the end, so a damaged block would look like
     * missing data.
     */
    private void check() {
        if (!iterator.isValid()) {
            try {
                iterator.status();
            } catch (RocksDBException e) {
                throw new RangeDbException("iteration", e);
            }
        }
    }
}
