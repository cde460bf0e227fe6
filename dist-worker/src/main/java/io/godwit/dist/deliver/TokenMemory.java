package io.godwit.dist.deliver;

import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What is remembered by delivery tokens, in the order in which they came. The owner forgets the oldest when there are
 * too many: a token whose session ends before its message is distributed is never finished. An origin has the id of a
 * client, as long as a setting allows; so besides the number of tokens the characters of the origins are bounded.
 *
 * <p>Not thread-safe.
 */
public final class TokenMemory<V> {
    /** Of all origins together. A character takes one or two bytes. */
    static final long MAX_CHARS = 16 << 20;

    /** Ordered, so that the map stays fast when client ids, and with them origins, collide. */
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

    /** A token that is remembered keeps its place. */
    public void put(String origin, long number, V value) {
        if (values.put(new Key(origin, number), value) == null) {
            chars += origin.length();
        }
    }

    /** Returns what was remembered. */
    public @Nullable V remove(String origin, long number) {
        V removed = values.remove(new Key(origin, number));
        if (removed != null) {
            chars -= origin.length();
        }
        return removed;
    }

    /** Whether there are more than so many tokens, or more characters than there may be. */
    public boolean isOver(int maxTokens) {
        return values.size() > maxTokens || chars > MAX_CHARS && values.size() > 1;
    }

    /** What was remembered first; null for nothing. */
    @Nullable
    V oldest() {
        return values.isEmpty() ? null : values.values().iterator().next();
    }

    /** Returns what was remembered first. There is something. */
    public V forgetOldest() {
        Map.Entry<Key, V> oldest = values.entrySet().iterator().next();
        values.remove(oldest.getKey());
        chars -= oldest.getKey().origin.length();
        return oldest.getValue();
    }

    /** Tokens remembered. */
    public int size() {
        return values.size();
    }
}
