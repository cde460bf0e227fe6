package io.godwit.broker.auth;

import io.godwit.broker.auth.filter.AclFilter;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * One line of the rules: {@code (allow|deny) (publish|subscribe|all) (user NAME|client ID|all) FILTER}.
 *
 * @param isOfFile of this node's file, whose rules come before those of all nodes
 * @param number of the line, from 1
 * @param line as written
 * @param user the user it is about; null unless it is about one
 * @param clientId the client it is about; null unless it is about one
 */
record AclRule(
        boolean isOfFile,
        int number,
        String line,
        boolean isAllow,
        boolean isForPublish,
        boolean isForSubscribe,
        @Nullable String user,
        @Nullable String clientId,
        AclFilter filter) {

    /** @throws IllegalArgumentException with a message that says what was expected */
    static AclRule parse(boolean isOfFile, int number, String line) {
        Words words = new Words(line);
        boolean isAllow = words.oneOf("allow", "deny").equals("allow");
        String action = words.oneOf("publish", "subscribe", "all");
        String subject = words.oneOf("user", "client", "all");
        String user = subject.equals("user") ? words.next("the name of the user") : null;
        String clientId = subject.equals("client") ? words.next("the client id") : null;
        AclFilter filter = AclFilter.parse(words.rest());
        return new AclRule(
                isOfFile,
                number,
                line,
                isAllow,
                !action.equals("subscribe"),
                !action.equals("publish"),
                user,
                clientId,
                filter);
    }

    /** Whether this rule comes before the other one. */
    boolean isBefore(AclRule other) {
        return isOfFile == other.isOfFile ? number < other.number : isOfFile;
    }

    /** Describes the rule for events: its line, its kind and its filter. */
    String describe() {
        return (isOfFile ? "line " : "shared rule ") + number + ": " + (isAllow ? "allow " : "deny ") + filter;
    }

    /**
     * Splits a line into words. A word in double quotes may contain spaces; a backslash escapes a quote or a backslash.
     */
    private static final class Words {
        private final String line;
        private int position;

        private Words(String line) {
            this.line = line;
        }

        private String oneOf(String... expected) {
            String word = next("one of " + List.of(expected));
            for (String each : expected) {
                if (each.equals(word)) {
                    return word;
                }
            }
            throw new IllegalArgumentException("expected one of " + List.of(expected) + ", was \"" + word + "\"");
        }

        private String next(String expected) {
            skipSpace();
            if (position == line.length()) {
                throw new IllegalArgumentException("the line ends where " + expected + " is expected");
            }
            if (line.charAt(position) == '"') {
                return quoted();
            }
            int from = position;
            while (position < line.length() && !Character.isWhitespace(line.charAt(position))) {
                position++;
            }
            return line.substring(from, position);
        }

        /** The rest of the line, since a topic filter may contain spaces. */
        private String rest() {
            skipSpace();
            if (position == line.length()) {
                throw new IllegalArgumentException("the line ends where the topic filter is expected");
            }
            if (line.charAt(position) != '"') {
                return line.substring(position).stripTrailing();
            }
            String filter = quoted();
            skipSpace();
            if (position < line.length()) {
                throw new IllegalArgumentException("something follows the topic filter");
            }
            return filter;
        }

        private String quoted() {
            StringBuilder word = new StringBuilder();
            for (position++; position < line.length(); position++) {
                char c = line.charAt(position);
                if (c == '"') {
                    position++;
                    return word.toString();
                }
                if (c == '\\' && position + 1 < line.length()) {
                    position++;
                    c = line.charAt(position);
                }
                word.append(c);
            }
            throw new IllegalArgumentException("a quote is not closed");
        }

        private void skipSpace() {
            while (position < line.length() && Character.isWhitespace(line.charAt(position))) {
                position++;
            }
        }
    }

    /**
     * Parses lines into rules.
     *
     * @param errors receives one entry per wrong line
     */
    static List<AclRule> parseAll(List<String> lines, boolean isOfFile, List<String> errors) {
        List<AclRule> rules = new ArrayList<>();
        for (int i = 0; i < lines.size(); i++) {
            String line = lines.get(i).strip();
            if (line.isEmpty() || line.startsWith("#")) {
                continue;
            }
            try {
                rules.add(parse(isOfFile, i + 1, line));
            } catch (IllegalArgumentException e) {
                errors.add("line " + (i + 1) + ": " + e.getMessage());
            }
        }
        return rules;
    }
}
