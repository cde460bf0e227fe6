package io.godwit.broker.auth;

import io.godwit.broker.auth.filter.AclFilter;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * One line of the rules: {@code (allow|deny) (publish|subscribe|all) (user NAME|client ID|all) FILTER}.
 *
 * @param isOfFile of this node, whose rules come before those that all nodes have
 * @param number of its line, from 1
 * @param line as it was written
 * @param user whom it is about; null unless it is about one user
 * @param clientId whom it is about; null unless it is about one client
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

    /** Fails with {@link IllegalArgumentException}, whose message says what was expected. */
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

    /** Whether it is looked at before the other one. */
    boolean isBefore(AclRule other) {
        return isOfFile == other.isOfFile ? number < other.number : isOfFile;
    }

    /** For events: which line said so. */
    String describe() {
        return (isOfFile ? "line " : "shared rule ") + number + ": " + (isAllow ? "allow " : "deny ") + filter;
    }

    /** Cuts a line into words; one in double quotes may hold spaces, and '"' and '\' behind a '\'. */
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

        /** What is left; a topic filter may have spaces inside. */
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

    /** The rules of some lines, with every error. */
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
