package io.godwit.plugin.topic;

/** The rules of a topic name, the topic of a PUBLISH (MQTT 5.0, 4.7). */
public final class TopicName {
    /** The longest topic name or filter in UTF-8 bytes [MQTT5-4.7.3-3]. */
    public static final int MAX_BYTES = 65_535;

    private TopicName() {}

    /**
     * Whether {@code topic} has at least one character and neither a wildcard nor U+0000 [MQTT5-4.7.3-1],
     * [MQTT5-3.3.2-2].
     */
    public static boolean isValid(String topic) {
        if (topic.isEmpty()) {
            return false;
        }
        for (int i = 0; i < topic.length(); i++) {
            char c = topic.charAt(i);
            if (c == '+' || c == '#' || c == 0) {
                return false;
            }
        }
        return true;
    }
}
