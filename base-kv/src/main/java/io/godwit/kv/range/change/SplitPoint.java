package io.godwit.kv.range.change;

import io.godwit.kv.coprocessor.RangeBounds;
import io.godwit.kv.coprocessor.RangeCoprocessor;
import io.godwit.kv.coprocessor.RangeCursor;
import io.godwit.kv.coprocessor.RangeReader;
import io.godwit.kv.range.data.RangeDb;
import java.math.BigInteger;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Finds the key that halves a range, by bisecting the keys with RocksDB's estimate of the bytes on either side. Reads
 * some dozens of keys and no values, so it takes milliseconds for a range of any size. For an I/O thread.
 */
final class SplitPoint {
    /** Bytes after the common prefix that the bisection distinguishes. */
    private static final int DIGITS = 16;

    private static final int MAX_STEPS = 40;
    /** Keys to walk if the estimate, which counts blocks, is too coarse. */
    private static final int MAX_WALK = 100_000;

    private final RangeDb db;
    private final RangeCoprocessor coprocessor;
    private final RangeBounds bounds;

    SplitPoint(RangeDb db, RangeCoprocessor coprocessor) {
        this.db = db;
        this.coprocessor = coprocessor;
        this.bounds = db.state().bounds();
    }

    /** The first key of the right part; null if the range cannot be split because all its keys must stay together. */
    byte @Nullable [] find() {
        return db.readSnapshot(this::find);
    }

    private byte @Nullable [] find(RangeReader reader) {
        try (RangeCursor cursor = reader.cursor(bounds.start(), bounds.end())) {
            cursor.seekToFirst();
            if (!cursor.isValid()) {
                return null;
            }
            byte[] first = cursor.key();
            cursor.seekToLast();
            byte[] last = cursor.key();
            byte @Nullable [] halving = bisect(cursor, first, last);
            return halving != null ? halving : walk(cursor, first);
        }
    }

    private byte @Nullable [] bisect(RangeCursor cursor, byte[] first, byte[] last) {
        long half = db.bytesBetween(first, bounds.end()) / 2;
        int shared = Arrays.mismatch(first, last);
        if (half == 0 || shared < 0) {
            return null;
        }
        BigInteger low = digits(first, shared);
        BigInteger high = digits(last, shared);
        byte @Nullable [] best = null;
        for (int step = 0; step < MAX_STEPS && high.subtract(low).compareTo(BigInteger.ONE) > 0; step++) {
            BigInteger middle = low.add(high).shiftRight(1);
            cursor.seek(key(first, shared, middle));
            if (!cursor.isValid()) {
                high = middle;
                continue;
            }
            byte[] candidate = coprocessor.splitPoint(cursor.key());
            if (isInside(candidate, first)) {
                best = candidate;
            }
            if (db.bytesBetween(first, cursor.key()) < half) {
                low = middle;
            } else {
                high = middle;
            }
        }
        return best;
    }

    /** Halves by the number of keys, for a range so small that none of its blocks was written. */
    private byte @Nullable [] walk(RangeCursor cursor, byte[] first) {
        int count = 0;
        for (cursor.seekToFirst(); cursor.isValid() && count < MAX_WALK; cursor.next()) {
            count++;
        }
        int at = 0;
        for (cursor.seekToFirst(); cursor.isValid() && at < MAX_WALK; cursor.next()) {
            byte[] candidate = coprocessor.splitPoint(cursor.key());
            if (at++ >= count / 2 && isInside(candidate, first)) {
                return candidate;
            }
        }
        return null;
    }

    /** Whether there is something on either side. */
    private boolean isInside(byte[] candidate, byte[] first) {
        return db.state().canSplitAt(candidate) && Arrays.compareUnsigned(first, candidate) < 0;
    }

    private static BigInteger digits(byte[] key, int shared) {
        return new BigInteger(1, Arrays.copyOfRange(key, shared, shared + DIGITS));
    }

    private static byte[] key(byte[] first, int shared, BigInteger digits) {
        byte[] key = Arrays.copyOf(first, shared + DIGITS);
        byte[] low = digits.toByteArray();
        Arrays.fill(key, shared, key.length, (byte) 0);
        int length = Math.min(DIGITS, low.length);
        System.arraycopy(low, low.length - length, key, key.length - length, length);
        return key;
    }
}
