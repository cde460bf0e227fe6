package io.godwit.retain.topic;

import io.godwit.plugin.client.TenantId;
import io.godwit.plugin.topic.TopicFilter;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * A topic filter as an interval of keys and a rule for walking it. For a key, {@link #test} says that it matches, or
 * names the next key that may match, or says that there is none. A walk therefore visits one key per branch that the
 * filter allows, however many topics lie below the branches that it rules out. Immutable.
 */
public final class KeyFilter {
    private static final byte[] PLUS = {'+'};
    private static final byte[] MULTI = {'#'};

    private final byte[] tenantPrefix;
    private final byte[][] levels;
    private final byte[] start;
    private final byte[] end;

    public KeyFilter(TenantId tenant, TopicFilter filter) {
        tenantPrefix = RetainKeys.tenantPrefix(tenant);
        String[] names = filter.filter().split("/", -1);
        levels = new byte[names.length][];
        int literals = 0;
        for (int i = 0; i < names.length; i++) {
            levels[i] = names[i].equals("+") ? PLUS : names[i].equals("#") ? MULTI : RetainKeys.encode(names[i]);
            literals += literals == i && !isWildcard(levels[i]) ? 1 : 0;
        }
        String prefix = String.join("/", Arrays.copyOf(names, literals));
        start = RetainKeys.concat(tenantPrefix, RetainKeys.encode(prefix));
        end = literals == 0 ? tenantEnd() : RetainKeys.append(start, start.length, endByte(literals));
    }

    /** The lowest key that may match, inclusive. */
    public byte[] start() {
        return start;
    }

    /** The end of the keys that may match, exclusive. */
    public byte[] end() {
        return end;
    }

    /**
     * The result of {@link #test}: whether the key matches; otherwise the next key that may match, or null if there is
     * none.
     */
    @SuppressWarnings("ArrayRecordComponent")
    record Verdict(boolean matches, byte @Nullable [] next) {
        static final Verdict MATCH = new Verdict(true, null);
        static final Verdict END = new Verdict(false, null);
    }

    /**
     * Tests {@code key}, which lies from {@link #start} to {@link #end}. The next key of the result is always higher.
     */
    Verdict test(byte[] key) {
        int at = tenantPrefix.length;
        if (isWildcard(levels[0]) && at < key.length && key[at] == '$') {
            // a filter that begins with a wildcard matches no topic that begins with '$' [MQTT5-4.7.2-1]
            return new Verdict(false, RetainKeys.append(key, at, (byte) ('$' + 1)));
        }
        int openEnd = -1; // end of the deepest level that a '+' has matched
        for (int i = 0; i < levels.length; i++) {
            if (levels[i] == MULTI) {
                return Verdict.MATCH;
            }
            int end = levelEnd(key, at);
            if (levels[i] == PLUS) {
                openEnd = end;
            } else {
                int order = Arrays.compareUnsigned(key, at, end, levels[i], 0, levels[i].length);
                if (order < 0) {
                    return new Verdict(false, RetainKeys.concat(Arrays.copyOf(key, at), levels[i]));
                }
                if (order > 0) {
                    return after(key, openEnd);
                }
            }
            boolean lastLevel = i == levels.length - 1;
            if (end == key.length) {
                // "sport/#" matches "sport" too (MQTT 5.0, 4.7.1.2)
                return lastLevel || levels[i + 1] == MULTI ? Verdict.MATCH : below(key, levels[i + 1]);
            }
            if (lastLevel) {
                return after(key, openEnd);
            }
            at = end + 1;
        }
        throw new AssertionError("a filter has at least one level");
    }

    /**
     * No later key below the level that ends at {@code openEnd} matches, so the walk goes on at its next sibling. If
     * {@code openEnd} is negative, no later key matches at all.
     */
    private static Verdict after(byte[] key, int openEnd) {
        return openEnd < 0
                ? Verdict.END
                : new Verdict(false, RetainKeys.append(key, openEnd, RetainKeys.AFTER_SEPARATOR));
    }

    private static Verdict below(byte[] key, byte[] level) {
        byte[] child = RetainKeys.append(key, key.length, RetainKeys.SEPARATOR);
        return new Verdict(false, level == PLUS ? child : RetainKeys.concat(child, level));
    }

    /**
     * The end of the interval: of the subtree below the literal levels if the filter has wildcards, else of the one
     * key.
     */
    private byte endByte(int literals) {
        return literals == levels.length ? 0 : RetainKeys.AFTER_SEPARATOR;
    }

    private byte[] tenantEnd() {
        byte[] beyond = tenantPrefix.clone();
        beyond[beyond.length - 1]++;
        return beyond;
    }

    private static boolean isWildcard(byte[] level) {
        return level == PLUS || level == MULTI;
    }

    private static int levelEnd(byte[] key, int from) {
        for (int i = from; i < key.length; i++) {
            if (key[i] == RetainKeys.SEPARATOR) {
                return i;
            }
        }
        return key.length;
    }
}
