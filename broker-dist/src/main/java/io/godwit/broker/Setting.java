package io.godwit.broker;

import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Collectors;

/**
 * One key of the configuration file or one system property: its name, its default and how its text is read.
 *
 * @param key dotted path in the file ({@code mqttServerConfig.tcpListener.port}) or the name of the property
 * @param parser reads the text; throws {@link IllegalArgumentException} whose message says what was expected
 * @param isList whether the file may also give a YAML list, which the parser reads with an item a line
 */
record Setting<T>(String key, T defaultValue, Function<String, T> parser, boolean isList) {
    private static final String ITEM_END = "[,\\n]";

    Setting(String key, T defaultValue, Function<String, T> parser) {
        this(key, defaultValue, parser, false);
    }

    static Setting<Boolean> flag(String key, boolean defaultValue) {
        return new Setting<>(key, defaultValue, text -> switch (text) {
            case "true" -> true;
            case "false" -> false;
            default -> throw new IllegalArgumentException("must be true or false");
        });
    }

    static Setting<Integer> integer(String key, int defaultValue, int min, int max) {
        return new Setting<>(key, defaultValue, text -> (int) parseLong(text, min, max));
    }

    static Setting<Long> number(String key, long defaultValue, long min, long max) {
        return new Setting<>(key, defaultValue, text -> parseLong(text, min, max));
    }

    /** 0 has a meaning of its own. */
    static Setting<Long> numberOrZero(String key, long defaultValue, long min, long max) {
        return new Setting<>(key, defaultValue, text -> parseOrZero(text, min, max));
    }

    /** 0 has a meaning of its own. */
    static Setting<Integer> integerOrZero(String key, int defaultValue, int min, int max) {
        return new Setting<>(key, defaultValue, text -> (int) parseOrZero(text, min, max));
    }

    private static long parseOrZero(String text, long min, long max) {
        long value = parseLong(text, 0, max);
        if (value != 0 && value < min) {
            throw new IllegalArgumentException("must be 0, or from " + min + " to " + max);
        }
        return value;
    }

    static Setting<String> text(String key, String defaultValue) {
        return new Setting<>(key, defaultValue, Function.identity());
    }

    /** Items between commas, or as a YAML list; blanks around them are dropped. */
    static <T> Setting<List<T>> list(String key, List<T> defaultValue, Function<String, T> item) {
        return items(key, defaultValue, ITEM_END, item);
    }

    /** Items that may have commas: a YAML list, or one a line; none by default. */
    static <T> Setting<List<T>> lines(String key, Function<String, T> item) {
        return items(key, List.of(), "\n", item);
    }

    private static <T> Setting<List<T>> items(
            String key, List<T> defaultValue, String separator, Function<String, T> item) {
        return new Setting<>(
                key,
                defaultValue,
                text -> Arrays.stream(text.split(separator, -1))
                        .map(String::strip)
                        .filter(part -> !part.isEmpty())
                        .map(item)
                        .toList(),
                true);
    }

    /** The last part of the key. */
    String leaf() {
        return key.substring(key.lastIndexOf('.') + 1);
    }

    /** A value of {@code type}, written in lower case with '-' for '_'. */
    static <E extends Enum<E>> Setting<E> choice(String key, E defaultValue, Class<E> type) {
        return new Setting<>(key, defaultValue, text -> parseChoice(text, type));
    }

    /** A value of {@code type} for each of some names, {@code name=value,name=value}; none by default. */
    static <E extends Enum<E>> Setting<Map<String, E>> choices(String key, Class<E> type) {
        return new Setting<>(
                key,
                Map.of(),
                text -> {
                    Map<String, E> byName = new LinkedHashMap<>();
                    for (String pair : text.split(ITEM_END, -1)) {
                        int equals = pair.lastIndexOf('=');
                        String name = pair.substring(0, Math.max(0, equals)).strip();
                        if (name.isEmpty()) {
                            throw new IllegalArgumentException(
                                    "must be name=value,name=value,... but has \"" + pair + "\"");
                        }
                        if (byName.put(
                                        name,
                                        parseChoice(pair.substring(equals + 1).strip(), type))
                                != null) {
                            throw new IllegalArgumentException("must name " + name + " once");
                        }
                    }
                    return Map.copyOf(byName);
                },
                true);
    }

    private static <E extends Enum<E>> E parseChoice(String text, Class<E> type) {
        List<E> all = List.of(type.getEnumConstants());
        return all.stream()
                .filter(value -> nameOf(value).equals(text))
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException(
                        "must be one of " + all.stream().map(Setting::nameOf).collect(Collectors.joining(", "))));
    }

    /** How a value is written in the file. */
    static String nameOf(Enum<?> value) {
        return value.name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    private static long parseLong(String text, long min, long max) {
        long value;
        try {
            value = Long.parseLong(text);
        } catch (NumberFormatException e) {
            throw new IllegalArgumentException("must be a whole number", e);
        }
        if (value < min || value > max) {
            throw new IllegalArgumentException("must be from " + min + " to " + max);
        }
        return value;
    }
}
