package io.godwit.mqtt.session;

import io.godwit.plugin.topic.TopicFilter;
import java.util.HashMap;
import java.util.Map;

/**
 * Counts the patterns of a session's filters. A pattern is what a filter with wildcards is without its names: that of
 * {@code a/+/c} is the one of {@code x/+/z}. With a share group, the group is part of it. A topic matches at most one
 * filter of each pattern, so the number of patterns bounds what one publish costs for this session, while a session of
 * ten thousand filters that are alike has one. A publish walks the levels of each pattern, also of those that do not
 * match in the end, so one of many levels counts for several. Confined to the loop of its session.
 */
final class FilterPatterns {
    /** A pattern of more levels counts as one more for each time these are exceeded. */
    static final int LEVELS_OF_ONE = 16;

    private final Map<String, Integer> counts = new HashMap<>(2);
    private int size;

    /** How many there are; those of many levels count for several. */
    int size() {
        return size;
    }

    /** {@link #size} with the pattern of a filter that may be there already. */
    int sizeWith(TopicFilter filter) {
        return counts.containsKey(of(filter)) ? size : size + weightOf(filter);
    }

    /** Of a filter that was not there. */
    void add(TopicFilter filter) {
        String pattern = of(filter);
        if (!pattern.isEmpty() && counts.merge(pattern, 1, Integer::sum) == 1) {
            size += weightOf(filter);
        }
    }

    /** Of a filter that was there. */
    void remove(TopicFilter filter) {
        String pattern = of(filter);
        if (counts.containsKey(pattern)
                && counts.computeIfPresent(pattern, (same, count) -> count == 1 ? null : count - 1) == null) {
            size -= weightOf(filter);
        }
    }

    /** As what the pattern of a filter counts; 0 when it has none. */
    static int weightOf(TopicFilter filter) {
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

    /** Empty for a filter that has neither wildcard nor group: a topic matches one of these at most. */
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
