package io.godwit.mqtt.session;

import io.godwit.plugin.topic.TopicFilter;
import java.util.HashMap;
import java.util.Map;

/**
 * Counts the patterns of a session's filters. A pattern is what a filter with wildcards is without its names: that of
 * {@code a/+/c} is the one of {@code x/+/z}. With a share group, the group is part of it. A topic matches at most one
 * filter of each pattern, so the number of patterns bounds what one publish costs for this session, while a session of
 * ten thousand filters that are alike has one. Confined to the loop of its session.
 */
final class FilterPatterns {
    private final Map<String, Integer> counts = new HashMap<>(2);

    int size() {
        return counts.size();
    }

    /** Whether a filter would add a pattern. */
    boolean lacks(TopicFilter filter) {
        String pattern = of(filter);
        return !pattern.isEmpty() && !counts.containsKey(pattern);
    }

    /** Of a filter that was not there. */
    void add(TopicFilter filter) {
        String pattern = of(filter);
        if (!pattern.isEmpty()) {
            counts.merge(pattern, 1, Integer::sum);
        }
    }

    /** Of a filter that was there. */
    void remove(TopicFilter filter) {
        counts.computeIfPresent(of(filter), (same, count) -> count == 1 ? null : count - 1);
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
        if (text.indexOf('+') < 0 && text.indexOf('#') < 0) {
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
