package io.godwit.mqtt.session.filter;

import io.godwit.plugin.topic.TopicFilter;
import java.util.HashMap;
import java.util.Map;

/**
 * Counts the patterns of a session's filters. The pattern of a filter with wildcards is the filter without its names:
 * {@code a/+/c} and {@code x/+/z} have the same pattern. A share group is part of the pattern. A topic matches at most
 * one filter of each pattern, so the number of patterns bounds the cost of one publish for this session, while ten
 * thousand filters of one pattern count as one. A publish walks the levels of each pattern, even of one that does not
 * match in the end, so a pattern with many levels counts as several. Confined to the loop of its session.
 */
public final class FilterPatterns {
    /** A pattern counts as one for each started group of this many levels. */
    static final int LEVELS_OF_ONE = 16;

    private final Map<String, Integer> counts = new HashMap<>(2);
    private int size;

    /** The number of patterns; those with many levels count as several. */
    int size() {
        return size;
    }

    /** {@link #size} with the pattern of a filter, which may be present already. */
    public int sizeWith(TopicFilter filter) {
        return counts.containsKey(of(filter)) ? size : size + weightOf(filter);
    }

    /** Adds a filter that was absent. */
    public void add(TopicFilter filter) {
        String pattern = of(filter);
        if (!pattern.isEmpty() && counts.merge(pattern, 1, Integer::sum) == 1) {
            size += weightOf(filter);
        }
    }

    /** Removes a filter that was present. */
    void remove(TopicFilter filter) {
        String pattern = of(filter);
        if (counts.containsKey(pattern)
                && counts.computeIfPresent(pattern, (same, count) -> count == 1 ? null : count - 1) == null) {
            size -= weightOf(filter);
        }
    }

    /** How much the pattern of a filter counts; 0 when it has none. */
    public static int weightOf(TopicFilter filter) {
        String text = filter.filter();
        if (isExact(text)) {
            return filter.isShared() ? 1 : 0;
        }
        int levels = 1;
        for (int slash = text.indexOf('/'); slash >= 0; slash = text.indexOf('/', slash + 1)) {
            levels++;
        }
        return (levels + LEVELS_OF_ONE - 1) / LEVELS_OF_ONE;
    }

    private static boolean isExact(String text) {
        return text.indexOf('+') < 0 && text.indexOf('#') < 0;
    }

    /** Empty for a filter with neither wildcard nor group: a topic matches at most one of these. */
    static String of(TopicFilter filter) {
        StringBuilder pattern = new StringBuilder();
        if (filter.isShared()) {
            pattern.append(filter.sharing().ordinal())
                    .append(filter.shareGroup())
                    .append('/');
        }
        String text = filter.filter();
        if (isExact(text)) {
            return pattern.toString();
        }
        for (int level = 0; level >= 0; ) {
            char first = level < text.length() ? text.charAt(level) : '/';
            pattern.append(first == '+' || first == '#' ? first : 'x');
            int slash = text.indexOf('/', level);
            level = slash < 0 ? -1 : slash + 1;
        }
        return pattern.toString();
    }
}
