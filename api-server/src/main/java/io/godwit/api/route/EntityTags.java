package io.godwit.api.route;

import java.util.Optional;
import java.util.function.Predicate;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Entity tags of HTTP (RFC 9110, section 8.8.3). */
final class EntityTags {
    /** A tag, weak or not, or what is none up to the next comma. Each character is taken once. */
    private static final Pattern TAG = Pattern.compile("\\G\\s*+(W/)?+\"([^\"]*+)\"\\s*+(?:,|$)");

    private EntityTags() {}

    static String quoted(String tag) {
        return '"' + tag + '"';
    }

    /**
     * Which tags an If-Match header admits: all when there is none, and with {@code *}. A weak tag admits none, and so
     * does what is no list of tags, such as a header that is there and empty.
     */
    static Predicate<String> admitted(Optional<String> header) {
        if (header.isEmpty() || header.get().strip().equals("*")) {
            return tag -> true;
        }
        String ifMatch = header.get();
        return tag -> {
            Matcher tags = TAG.matcher(ifMatch);
            while (tags.find()) {
                if (tags.group(1) == null && tags.group(2).equals(tag)) {
                    return true;
                }
            }
            return false;
        };
    }
}
