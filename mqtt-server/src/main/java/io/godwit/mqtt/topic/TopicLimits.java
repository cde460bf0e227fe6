package io.godwit.mqtt.topic;

import io.godwit.plugin.topic.TopicName;

/**
 * Limits on the topics and filters of a client, in the client's form.
 *
 * @param maxLevels of a topic or a filter, 1 to 65,536
 * @param maxBytes of a topic or a filter in UTF-8, 1 to 65,535
 * @param maxFiltersPerSubscribe filters in one SUBSCRIBE; at least 1
 * @param maxFiltersPerSession filters of one session; at least 1
 * @param maxPatternsPerSession patterns of wildcards and share groups of one session's filters; at least 1. A topic
 *     matches at most one filter of each pattern, and one without wildcards. A pattern of more than 16 levels counts as
 *     several
 */
public record TopicLimits(
        int maxLevels, int maxBytes, int maxFiltersPerSubscribe, int maxFiltersPerSession, int maxPatternsPerSession) {
    private static final int MAX_LEVELS = TopicName.MAX_BYTES + 1;

    /** Every limit at its default. */
    public static final TopicLimits DEFAULTS = new TopicLimits(1_000, TopicName.MAX_BYTES, 10_000, 10_000, 100);

    public TopicLimits {
        check("maxLevels", maxLevels, MAX_LEVELS);
        check("maxBytes", maxBytes, TopicName.MAX_BYTES);
        check("maxFiltersPerSubscribe", maxFiltersPerSubscribe, Integer.MAX_VALUE);
        check("maxFiltersPerSession", maxFiltersPerSession, Integer.MAX_VALUE);
        check("maxPatternsPerSession", maxPatternsPerSession, Integer.MAX_VALUE);
    }

    private static void check(String name, int value, int most) {
        if (value < 1 || value > most) {
            throw new IllegalArgumentException(name + " must be 1 to " + most + ", was " + value);
        }
    }

    /**
     * Whether a topic, or the text of a filter, is within the limits. Scans characters only when their number does not
     * decide it.
     */
    public boolean allow(String text) {
        return allowLevels(text) && allowBytes(text);
    }

    /** Whether the number of levels is within the limit. */
    public boolean allowLevels(String text) {
        return text.length() < maxLevels || levels(text) <= maxLevels;
    }

    private boolean allowBytes(String text) {
        return maxBytes == TopicName.MAX_BYTES || 3L * text.length() <= maxBytes || bytes(text) <= maxBytes;
    }

    private static int levels(String text) {
        int levels = 1;
        for (int slash = text.indexOf('/'); slash >= 0; slash = text.indexOf('/', slash + 1)) {
            levels++;
        }
        return levels;
    }

    private static int bytes(String text) {
        int bytes = 0;
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            // a surrogate pair has 4 bytes, so each surrogate counts as two
            bytes += c < 0x80 ? 1 : c < 0x800 || Character.isSurrogate(c) ? 2 : 3;
        }
        return bytes;
    }
}
