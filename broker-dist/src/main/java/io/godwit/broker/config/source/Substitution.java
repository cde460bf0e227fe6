package io.godwit.broker.config.source;

import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Substitutes {@code ${NAME}} and {@code ${NAME:-default}} in a value of the file, as a shell does: the default is for
 * a variable that is unset or empty. A doubled dollar sign, <code>$${</code>, stands for <code>${</code> itself. The
 * value of a variable is never parsed again, neither as YAML nor for further variables.
 */
final class Substitution {
    private static final Pattern VARIABLE =
            Pattern.compile("\\$\\$\\{|\\$\\{(?:([A-Za-z_][A-Za-z0-9_]*)(?::-([^}]*))?})?");

    private final Map<String, String> environment;

    Substitution(Map<String, String> environment) {
        this.environment = environment;
    }

    static boolean hasVariables(String text) {
        return text.contains("${");
    }

    /** @throws IllegalArgumentException with a message that names the unset variable, or says how to write one */
    String apply(String text) {
        StringBuilder result = new StringBuilder();
        Matcher variable = VARIABLE.matcher(text);
        while (variable.find()) {
            variable.appendReplacement(result, Matcher.quoteReplacement(value(variable)));
        }
        return variable.appendTail(result).toString();
    }

    private String value(Matcher variable) {
        if (variable.group().startsWith("$$")) {
            return "${";
        }
        String name = variable.group(1);
        if (name == null) {
            throw new IllegalArgumentException(
                    "names a variable of the environment as ${NAME} or ${NAME:-default}, and ${ itself as $${");
        }
        String value = environment.getOrDefault(name, "");
        String fallback = variable.group(2);
        if (!value.isEmpty()) {
            return value;
        }
        if (fallback == null && !environment.containsKey(name)) {
            throw new IllegalArgumentException("needs the environment variable " + name + ", which is not set");
        }
        return fallback == null ? "" : fallback;
    }
}
