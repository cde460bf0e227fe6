package io.godwit.plugin.topic;

import java.util.Optional;

/**
 * The topic {@code $delayed/{seconds}/{topic}} of a message to be published to {@code topic} later.
 *
 * @param seconds the delay, 0 to 4,294,967,295
 * @param topic a valid topic name
 */
public record DelayedTopic(long seconds, String topic) {
    private static final String PREFIX = "$delayed/";
    private static final long MAX_SECONDS = 0xFFFF_FFFFL;
    private static final int MAX_DIGITS = 10;

    /** Whether the topic has the prefix of a delayed one, well formed or not. */
    public static boolean isDelayed(String topic) {
        return topic.startsWith(PREFIX);
    }

    /** Empty when {@code text} is not a delayed topic, or its number of seconds or its topic is not valid. */
    public static Optional<DelayedTopic> parse(String text) {
        if (!isDelayed(text)) {
            return Optional.empty();
        }
        int slash = text.indexOf('/', PREFIX.length());
        int digits = slash - PREFIX.length();
        if (digits < 1 || digits > MAX_DIGITS) {
            return Optional.empty();
        }
        long seconds = 0;
        for (int i = PREFIX.length(); i < slash; i++) {
            char c = text.charAt(i);
            if (c < '0' || c > '9') {
                return Optional.empty();
            }
            seconds = 10 * seconds + (c - '0');
        }
        String topic = text.substring(slash + 1);
        return seconds <= MAX_SECONDS && TopicName.isValid(topic)
                ? Optional.of(new DelayedTopic(seconds, topic))
                : Optional.empty();
    }

    /** As the client writes it. */
    public String text() {
        return PREFIX + seconds + '/' + topic;
    }
}
