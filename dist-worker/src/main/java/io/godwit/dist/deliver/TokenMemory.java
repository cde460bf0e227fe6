package io.godwit.dist.deliver;

import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Values by delivery token, in insertion order. The owner forgets the oldest when there are too many: a token whose
 * session ends before its message is distributed is never finished. An origin contains a client id, as long as a
 * setting allows; so the characters of the origins are bounded as well as the number of tokens.
 *
 * <p>Not thread-safe.
 */
public final class TokenMemory<V> {
    /** Limit for all origins together. A character takes one or two bytes. */
    static final long MAX_CHARS = 16 << 20;

    /** Comparable, so that the map stays fast when client ids, and so origins, collide. */
    private record Key(String origin, long number) implements Comparable<Key> {
        @Override
        public int compareTo(Key other) {
            int byNumber = Long.compare(number, other.number);
            return byNumber != 0 ? byNumber : origin.compareTo(other.origin);
        }
    }

    private final Map<Key, V> values = new LinkedHashMap<>();
    private long chars;

    public @Nullable V get(String origin, long number) {
        return values.get(new Key(origin, number));
    }

    /** Sets a value; a token that is already remembered keeps its position. */
    public void put(String origin, long number, V value) {
        if (values.put(new Key(origin, number), value) == null) {
            chars += origin.length();
        }
    }

    /** Returns the removed value. */
    public @Nullable V remove(String origin, long number) {
        V removed = values.remove(new Key(origin, number));
        if (removed != null) {
            chars -= origin.length();
        }
        return removed;
    }

    /** Whether there are more than {@code maxTokens}, or too many characters. */
    public boolean isOver(int maxTokens) {
        return values.size() > maxTokens || chars > MAX_CHARS && values.size() > 1;
    }

    /** The oldest value; null for none. */
    @Nullable
    V oldest() {
        return values.isEmpty() ? null : values.values().iterator().next();
    }

    /** Removes and returns the oldest value. The memory must not be empty. */
    public V forgetOldest() {
        Map.Entry<Key, V> oldest = values.entrySet().iterator().next();
        values.remove(oldest.getKey());
        chars -= oldest.getKey().origin.length();
        return oldest.getValue();
    }

    /** Number of remembered tokens. */
    public int size() {
        return values.size();
    }
}
