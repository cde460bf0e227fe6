package io.godwit.mqtt.topic;

import io.godwit.plugin.client.ClientInfo;
import io.godwit.plugin.topic.TopicFilter;
import java.util.Arrays;
import java.util.Locale;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.regex.PatternSyntaxException;

/**
 * A rule of the operator that renames topics.
 *
 * @param scope the packets it applies to
 * @param source the topics it applies to
 * @param pattern must be found in the topic
 * @param replacement the new topic; {@code $1} to {@code $9} stand for groups of the pattern, {@code %c} and
 *     {@code %u} as in {@link Placeholders}
 */
public record RewriteRule(Scope scope, TopicFilter source, Pattern pattern, String replacement) {
    private static final int PARTS = 4;

    /** The packets that a rule applies to. */
    public enum Scope {
        /** Topics of PUBLISH and of wills. */
        PUBLISH,
        /** Filters of SUBSCRIBE and UNSUBSCRIBE. */
        SUBSCRIBE,
        ALL;

        boolean includes(Scope other) {
            return this == ALL || this == other;
        }
    }

    /**
     * Reads {@code scope source pattern replacement}, separated by blanks. Fails with an
     * {@link IllegalArgumentException} that gives the expected form.
     */
    public static RewriteRule parse(String text) {
        String[] parts = text.strip().split("\\s+", -1);
        if (parts.length != PARTS) {
            throw new IllegalArgumentException(
                    "must be \"publish|subscribe|all source-filter pattern replacement\" but has \"" + text + "\"");
        }
        Scope scope = Arrays.stream(Scope.values())
                .filter(each -> each.name().toLowerCase(Locale.ROOT).equals(parts[0]))
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException(
                        "must begin with publish, subscribe or all but has \"" + parts[0] + "\""));
        TopicFilter source = TopicFilter.parse(parts[1])
                .filter(filter -> !filter.isShared())
                .orElseThrow(() -> new IllegalArgumentException("\"" + parts[1] + "\" is no topic filter"));
        try {
            Pattern pattern = Pattern.compile(parts[2]);
            RewriteRule rule = new RewriteRule(scope, source, pattern, parts[3]);
            rule.checkGroups();
            return rule;
        } catch (PatternSyntaxException e) {
            throw new IllegalArgumentException(
                    "\"" + parts[2] + "\" is no regular expression: " + e.getDescription(), e);
        }
    }

    private void checkGroups() {
        int groups = pattern.matcher("").groupCount();
        for (int i = 0; i + 1 < replacement.length(); i++) {
            if (isGroup(replacement, i) && replacement.charAt(i + 1) - '0' > groups) {
                throw new IllegalArgumentException("\"" + replacement + "\" names group " + replacement.charAt(i + 1)
                        + " of a pattern that has " + groups);
            }
        }
    }

    /**
     * The new name of a topic, or of a filter, which is treated as a topic; empty when the rule does not apply, or a
     * placeholder has no value for this client.
     */
    Optional<String> apply(String topic, ClientInfo client) {
        if (!source.matches(topic)) {
            return Optional.empty();
        }
        Matcher matcher = pattern.matcher(topic);
        if (!matcher.find()) {
            return Optional.empty();
        }
        StringBuilder result = new StringBuilder();
        int at = 0;
        while (at < replacement.length()) {
            // in one pass: text chosen by the client must not be read as a group or a placeholder
            if (isGroup(replacement, at)) {
                String group = matcher.group(replacement.charAt(at + 1) - '0');
                result.append(group == null ? "" : group);
                at += 2;
            } else if (Placeholders.isAt(replacement, at)) {
                String name = Placeholders.name(replacement, at, client);
                if (name == null) {
                    return Optional.empty();
                }
                result.append(name);
                at += Placeholders.LENGTH;
            } else {
                result.append(replacement.charAt(at));
                at++;
            }
        }
        return Optional.of(result.toString());
    }

    private static boolean isGroup(String text, int at) {
        return text.charAt(at) == '$'
                && at + 1 < text.length()
                && text.charAt(at + 1) >= '1'
                && text.charAt(at + 1) <= '9';
    }
}
