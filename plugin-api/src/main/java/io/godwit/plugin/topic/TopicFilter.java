package io.godwit.plugin.topic;

import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * A valid topic filter, split into its share group and the filter proper.
 *
 * @param shareGroup the {@code ShareName} of {@code $share/ShareName/filter}, null for a filter that is not shared
 * @param filter the filter that topics are matched against, without the {@code $share/ShareName/} part
 */
public record TopicFilter(@Nullable String shareGroup, String filter) {
    private static final String SHARE_PREFIX = "$share/";

    public boolean isShared() {
        return shareGroup != null;
    }

    /** Whether the filter proper has a wildcard level. */
    public boolean hasWildcard() {
        return filter.indexOf('+') >= 0 || filter.indexOf('#') >= 0;
    }

    /** The text as the client wrote it. */
    public String text() {
        return shareGroup == null ? filter : SHARE_PREFIX + shareGroup + '/' + filter;
    }

    /** Parses what a SUBSCRIBE carries; empty when it breaks [MQTT5-4.7.1-1], [MQTT5-4.7.1-2], [MQTT5-4.7.3-1], [MQTT5-4.8.2-1], [MQTT5-4.8.2-2]. */
    public static Optional<TopicFilter> parse(String text) {
        if (!text.startsWith(SHARE_PREFIX)) {
            return isValid(text) ? Optional.of(new TopicFilter(null, text)) : Optional.empty();
        }
        int slash = text.indexOf('/', SHARE_PREFIX.length());
        if (slash <= SHARE_PREFIX.length()) {
            return Optional.empty();
        }
        String group = text.substring(SHARE_PREFIX.length(), slash);
        String filter = text.substring(slash + 1);
        if (group.indexOf('+') >= 0 || group.indexOf('#') >= 0 || !isValid(filter)) {
            return Optional.empty();
        }
        return Optional.of(new TopicFilter(group, filter));
    }

    /** Whether this filter proper matches {@code topic}; a leading wildcard matches no topic that begins with '$' [MQTT5-4.7.2-1]. */
    public boolean matches(String topic) {
        int f = 0;
        int t = 0;
        if (topic.charAt(0) == '$' && (filter.charAt(0) == '+' || filter.charAt(0) == '#')) {
            return false;
        }
        while (true) {
            int fEnd = levelEnd(filter, f);
            if (fEnd - f == 1 && filter.charAt(f) == '#') {
                return true;
            }
            int tEnd = levelEnd(topic, t);
            boolean single = fEnd - f == 1 && filter.charAt(f) == '+';
            if (!single && (fEnd - f != tEnd - t || !filter.regionMatches(f, topic, t, fEnd - f))) {
                return false;
            }
            boolean filterDone = fEnd == filter.length();
            boolean topicDone = tEnd == topic.length();
            if (topicDone) {
                // "sport/#" matches "sport" too: the multi-level wildcard includes the parent level
                return filterDone || filter.length() - fEnd == 2 && filter.charAt(fEnd + 1) == '#';
            }
            if (filterDone) {
                return false;
            }
            f = fEnd + 1;
            t = tEnd + 1;
        }
    }

    private static int levelEnd(String text, int from) {
        int slash = text.indexOf('/', from);
        return slash < 0 ? text.length() : slash;
    }

    private static boolean isValid(String filter) {
        if (filter.isEmpty()) {
            return false;
        }
        for (int i = 0; i < filter.length(); i++) {
            char c = filter.charAt(i);
            boolean startsLevel = i == 0 || filter.charAt(i - 1) == '/';
            boolean last = i == filter.length() - 1;
            if (c == 0
                    || c == '#' && !(startsLevel && last)
                    || c == '+' && !(startsLevel && (last || filter.charAt(i + 1) == '/'))) {
                return false;
            }
        }
        return true;
    }
}
