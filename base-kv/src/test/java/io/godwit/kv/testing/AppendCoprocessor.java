package io.godwit.kv.testing;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.godwit.kv.coprocessor.RangeBounds;
import io.godwit.kv.coprocessor.RangeCoprocessor;
import io.godwit.kv.coprocessor.RangeReader;
import io.godwit.kv.coprocessor.RangeWrites;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

/**
 * A small coprocessor for tests: {@code key=suffix} appends to the value of the key and returns it; a query returns the
 * value.
 */
public class AppendCoprocessor implements RangeCoprocessor {
    @Override
    public void open(RangeBounds bounds, RangeReader reader) {}

    @Override
    public List<byte[]> apply(RangeWrites writes, List<byte[]> mutations, Consumer<Runnable> afterCommit) {
        List<byte[]> replies = new ArrayList<>(mutations.size());
        for (byte[] mutation : mutations) {
            String text = new String(mutation, UTF_8);
            int cut = text.indexOf('=');
            byte[] key = text.substring(0, cut).getBytes(UTF_8);
            byte[] before = writes.get(key);
            String after = (before == null ? "" : new String(before, UTF_8)) + text.substring(cut + 1);
            byte[] value = after.getBytes(UTF_8);
            writes.put(key, value);
            replies.add(value);
        }
        return replies;
    }

    @Override
    public byte[] query(RangeReader snapshot, byte[] query) {
        byte[] value = snapshot.get(query);
        return value == null ? new byte[0] : value;
    }
}
