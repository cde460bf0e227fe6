package io.godwit.it.wire;

/** Whether a filter matches a topic. */
public final class TopicMatch {
    private TopicMatch() {}

    /** [MQTT5-4.7]; not for topics that begin with {@code $}, nor for shared filters. */
    public static boolean matches(String filter, String topic) {
        String[] wanted = filter.split("/", -1);
        String[] levels = topic.split("/", -1);
        for (int i = 0; i < wanted.length; i++) {
            if (wanted[i].equals("#")) {
                return true;
            }
            if (i >= levels.length || (!wanted[i].equals("+") && !wanted[i].equals(levels[i]))) {
                return false;
            }
        }
        return wanted.length == levels.length;
    }
}
