package io.godwit.api.route;

import java.util.Optional;
import java.util.function.Predicate;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Entity tags of HTTP (RFC 9110, section 8.8.3). */
public final class EntityTags {
    /** A tag, weak or strong, with its comma. Possessive, so that each character is matched once. */
    private static final Pattern TAG = Pattern.compile("\\G\\s*+(W/)?+\"([^\"]*+)\"\\s*+(?:,|$)");

    private EntityTags() {}

    public static String quoted(String tag) {
        return '"' + tag + '"';
    }

    /**
     * Tests whether an If-Match header admits a tag. Without a header, or with {@code *}, it admits all. It admits no
     * weak tag, and none at all if it is not a list of tags, such as an empty header.
     */
    public static Predicate<String> admitted(Optional<String> header) {
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
