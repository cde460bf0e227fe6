package io.godwit.perf.option;

import java.util.List;

/** Checks topics that a client library would refuse with each message, or a broker by closing connections. */
public final class Topics {
    private Topics() {}

    /**
     * Checks a topic name by [MQTT5-4.7.1-1] and [MQTT5-4.7.3-1].
     *
     * @throws IllegalArgumentException if it is invalid; names {@code option}
     */
    public static void requireTopic(String option, String topic) {
        requireText(option, topic);
        if (topic.indexOf('+') >= 0 || topic.indexOf('#') >= 0) {
            throw new IllegalArgumentException(option + ": nobody can publish to a wildcard, was " + topic);
        }
    }

    /**
     * Checks a topic filter by [MQTT5-4.7.1-1] and [MQTT5-4.7.1-2].
     *
     * @throws IllegalArgumentException if it is invalid; names {@code option}
     */
    public static void requireFilter(String option, String filter) {
        requireText(option, filter);
        List<String> levels = List.of(filter.split("/", -1));
        for (int i = 0; i < levels.size(); i++) {
            String level = levels.get(i);
            boolean hasWildcard = level.indexOf('+') >= 0 || level.indexOf('#') >= 0;
            if (hasWildcard && level.length() > 1 || level.equals("#") && i < levels.size() - 1) {
                throw new IllegalArgumentException(
                        option + ": + and # take a whole level, # the last one, was " + filter);
            }
        }
    }

    private static void requireText(String option, String text) {
        if (text.isEmpty() || text.indexOf('\0') >= 0) {
            throw new IllegalArgumentException(option + ": neither empty nor with a null character");
        }
    }
}
