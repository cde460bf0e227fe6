package io.godwit.plugin.topic;

import java.util.Comparator;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * A valid topic filter, split into its share group and the filter proper.
 *
 * <p>The order has no meaning. It exists because clients choose filters with colliding hash codes, and a hash map
 * searches such keys in logarithmic time only when they can be compared.
 *
 * @param shareGroup the {@code ShareName} of {@code $share/ShareName/filter} or {@code $oshare/ShareName/filter},
 *     empty for {@code $queue/filter}, null for a filter that is not shared
 * @param filter the filter that topics are matched against, without the prefix that marks it as shared
 * @param sharing how the messages are shared out; {@code NONE} or {@code EXCLUSIVE} exactly when there is no share
 *     group
 */
public record TopicFilter(@Nullable String shareGroup, String filter, Sharing sharing)
        implements Comparable<TopicFilter> {
    /** Orders filters with the same text. */
    private static final Comparator<TopicFilter> ORDER_OF_SHARING = Comparator.comparing(TopicFilter::sharing)
            .thenComparing(TopicFilter::shareGroup, Comparator.nullsFirst(Comparator.naturalOrder()));

    private static final String SHARE_PREFIX = "$share/";
    private static final String ORDERED_PREFIX = "$oshare/";
    private static final String QUEUE_PREFIX = "$queue/";
    private static final String EXCLUSIVE_PREFIX = "$exclusive/";

    /** How a message is shared out among the sessions with this filter. */
    public enum Sharing {
        /** Each session gets it. */
        NONE,
        /** One member of the group gets it: {@code $share/ShareName/filter} (MQTT 5.0, 4.8.2). */
        SHARED,
        /**
         * As {@link #SHARED}, and messages of one publisher and topic go to one member as long as it lives:
         * {@code $oshare/ShareName/filter}.
         */
        ORDERED,
        /** As {@link #SHARED} with the one group that has no name: {@code $queue/filter}. */
        QUEUE,
        /** Not shared: at most one session may hold it: {@code $exclusive/filter}. */
        EXCLUSIVE
    }

    public TopicFilter {
        if ((shareGroup == null) != (sharing == Sharing.NONE || sharing == Sharing.EXCLUSIVE)) {
            throw new IllegalArgumentException("share group " + shareGroup + " does not fit " + sharing);
        }
    }

    /** A filter that is not shared, or of {@code $share} if it has a group. */
    public TopicFilter(@Nullable String shareGroup, String filter) {
        this(shareGroup, filter, shareGroup == null ? Sharing.NONE : Sharing.SHARED);
    }

    public boolean isShared() {
        return shareGroup != null;
    }

    public boolean isExclusive() {
        return sharing == Sharing.EXCLUSIVE;
    }

    @Override
    public int compareTo(TopicFilter other) {
        int byText = filter.compareTo(other.filter);
        return byText != 0 ? byText : ORDER_OF_SHARING.compare(this, other);
    }

    /** The text as the client wrote it. */
    public String text() {
        return switch (sharing) {
            case NONE -> filter;
            case SHARED -> SHARE_PREFIX + shareGroup + '/' + filter;
            case ORDERED -> ORDERED_PREFIX + shareGroup + '/' + filter;
            case QUEUE -> QUEUE_PREFIX + filter;
            case EXCLUSIVE -> EXCLUSIVE_PREFIX + filter;
        };
    }

    /**
     * Parses a filter of a SUBSCRIBE; empty when it breaks [MQTT5-4.7.1-1], [MQTT5-4.7.1-2], [MQTT5-4.7.3-1],
     * [MQTT5-4.8.2-1], [MQTT5-4.8.2-2].
     */
    public static Optional<TopicFilter> parse(String text) {
        if (text.startsWith(SHARE_PREFIX)) {
            return parseNamed(text, SHARE_PREFIX.length(), Sharing.SHARED);
        }
        if (text.startsWith(ORDERED_PREFIX)) {
            return parseNamed(text, ORDERED_PREFIX.length(), Sharing.ORDERED);
        }
        if (text.startsWith(QUEUE_PREFIX)) {
            String filter = text.substring(QUEUE_PREFIX.length());
            return isValid(filter) ? Optional.of(new TopicFilter("", filter, Sharing.QUEUE)) : Optional.empty();
        }
        if (text.startsWith(EXCLUSIVE_PREFIX)) {
            String filter = text.substring(EXCLUSIVE_PREFIX.length());
            return isValid(filter) ? Optional.of(new TopicFilter(null, filter, Sharing.EXCLUSIVE)) : Optional.empty();
        }
        return isValid(text) ? Optional.of(new TopicFilter(null, text)) : Optional.empty();
    }

    private static Optional<TopicFilter> parseNamed(String text, int nameAt, Sharing sharing) {
        int slash = text.indexOf('/', nameAt);
        if (slash <= nameAt) {
            return Optional.empty();
        }
        String group = text.substring(nameAt, slash);
        String filter = text.substring(slash + 1);
        if (group.indexOf('+') >= 0 || group.indexOf('#') >= 0 || group.indexOf('\0') >= 0 || !isValid(filter)) {
            return Optional.empty();
        }
        return Optional.of(new TopicFilter(group, filter, sharing));
    }

    /**
     * Whether this filter proper matches {@code topic}; a leading wildcard matches no topic that begins with '$'
     * [MQTT5-4.7.2-1].
     */
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
