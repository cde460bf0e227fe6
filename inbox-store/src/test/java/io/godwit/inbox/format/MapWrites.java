package io.godwit.inbox.format;

import io.godwit.kv.coprocessor.RangeCursor;
import io.godwit.kv.coprocessor.RangeWrites;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Receives the puts and deletes of a mutation; nothing is read. */
public record MapWrites(Map<String, byte[]> entries) implements RangeWrites {
    public static String name(byte[] prefix, byte[] suffix) {
        return name(InboxKeys.key(prefix, suffix));
    }

    private static String name(byte[] key) {
        return HexFormat.of().formatHex(key);
    }

    @Override
    public void put(byte[] key, byte[] value) {
        entries.put(name(key), value);
    }

    @Override
    public void delete(byte[] key) {
        entries.remove(name(key));
    }

    @Override
    public void deleteRange(byte[] start, byte[] end) {
        entries.keySet().removeIf(name -> {
            byte[] key = HexFormat.of().parseHex(name);
            return Arrays.compareUnsigned(start, key) <= 0 && Arrays.compareUnsigned(key, end) < 0;
        });
    }

    @Override
    public byte @Nullable [] get(byte[] key) {
        throw new AssertionError("applying reads nothing");
    }

    @Override
    public RangeCursor cursor(byte[] start, byte @Nullable [] end) {
        throw new AssertionError("applying reads nothing");
    }
}
