package io.godwit.broker.config;

import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * {@code ${NAME}} and {@code ${NAME:-default}} in a value of the file, as a shell has them: the default is for a
 * variable that is not set or is empty. A doubled dollar sign, <code>$${</code>, stands for
 * <code>${</code> itself. What a
 * variable holds is never looked at again: neither as YAML, nor for further variables.
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

    /** @throws IllegalArgumentException whose message says what a variable must be, or which one is not set */
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
