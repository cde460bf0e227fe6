package io.godwit.kv.balance.policy;

import java.time.Duration;
import java.util.Map;

/**
 * Parses the settings of a balancer. Errors are {@link IllegalArgumentException}s that name the setting, the value and
 * what was expected.
 */
final class PolicySettings {
    private final Map<String, String> texts;

    /** @param texts a value for every setting that will be asked for */
    PolicySettings(Map<String, String> texts) {
        this.texts = texts;
    }

    long whole(String key, long min, long max) {
        String text = text(key);
        try {
            long value = Long.parseLong(text);
            if (value >= min && value <= max) {
                return value;
            }
        } catch (NumberFormatException e) {
            // reported below, like a number out of bounds
        }
        throw wrong(key, text, "a whole number from " + min + " to " + max);
    }

    double number(String key, double min, double max) {
        String text = text(key);
        try {
            double value = Double.parseDouble(text);
            if (value >= min && value <= max) {
                return value;
            }
        } catch (NumberFormatException e) {
            // reported below, like a number out of bounds
        }
        throw wrong(key, text, "a number from " + min + " to " + max);
    }

    Duration seconds(String key) {
        return Duration.ofSeconds(whole(key, 0, 10_000_000));
    }

    private String text(String key) {
        String text = texts.get(key);
        if (text == null) {
            throw new IllegalArgumentException(key + ": not given");
        }
        return text.strip();
    }

    private static IllegalArgumentException wrong(String key, String text, String expected) {
        return new IllegalArgumentException(key + ": must be " + expected + ", was \"" + text + "\"");
    }
}
