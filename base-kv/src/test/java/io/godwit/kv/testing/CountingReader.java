package io.godwit.kv.testing;

import io.godwit.kv.coprocessor.RangeCursor;
import io.godwit.kv.coprocessor.RangeReader;
import java.util.Arrays;
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** The entries of a range; counts those that are read. */
public final class CountingReader implements RangeReader {
    private final NavigableMap<byte[], byte[]> content = new TreeMap<>(Arrays::compareUnsigned);
    private int reads;

    /** The entries, to be changed by the test. */
    public NavigableMap<byte[], byte[]> content() {
        return content;
    }

    /** How many entries were read since {@link #forgetReads}. */
    public int reads() {
        return reads;
    }

    public void forgetReads() {
        reads = 0;
    }

    @Override
    public byte @Nullable [] get(byte[] key) {
        reads++;
        return content.get(key);
    }

    @Override
    public RangeCursor cursor(byte[] start, byte @Nullable [] end) {
        NavigableMap<byte[], byte[]> part =
                end == null ? content.tailMap(start, true) : content.subMap(start, true, end, false);
        return new RangeCursor() {
            private Map.@Nullable Entry<byte[], byte[]> at;

            @Override
            public void seekToFirst() {
                at = part.firstEntry();
            }

            @Override
            public void seek(byte[] key) {
                at = part.ceilingEntry(key);
            }

            @Override
            public void seekToLast() {
                at = part.lastEntry();
            }

            @Override
            public boolean isValid() {
                return at != null;
            }

            @Override
            public void next() {
                at = part.higherEntry(here().getKey());
            }

            @Override
            public byte[] key() {
                return here().getKey();
            }

            @Override
            public byte[] value() {
                reads++;
                return here().getValue();
            }

            private Map.Entry<byte[], byte[]> here() {
                if (at == null) {
                    throw new IllegalStateException("at the end");
                }
                return at;
            }

            @Override
            public void close() {}
        };
    }
}
