package io.godwit.broker.plugin.instance;

import io.godwit.broker.config.key.EnumNames;
import io.godwit.broker.config.key.Given;
import io.godwit.broker.config.key.OpenSection;
import io.godwit.broker.config.key.Unit;
import io.godwit.broker.config.source.NearestKey;
import io.godwit.plugin.context.PluginSettings;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** A section of the configuration, as a plugin reads it. For one thread. */
public final class ConfiguredSettings implements PluginSettings {
    private static final int MAX_ITEMS = 1_000;
    private static final int MAX_KEYS = 1_000;
    private static final int MAX_ERRORS = 100;

    private final OpenSection section;
    private final Path directory;
    /** The position in {@link #section}: empty, or ends with a dot. */
    private final String place;
    /** The keys that were read, by their path in the section. Shared with nested sections, as is {@code errors}. */
    private final Set<String> known;

    private final List<String> errors;

    /** @param directory that file names are relative to */
    public ConfiguredSettings(OpenSection section, Path directory) {
        this(section, directory, "", new LinkedHashSet<>(), new ArrayList<>());
    }

    private ConfiguredSettings(
            OpenSection section, Path directory, String place, Set<String> known, List<String> errors) {
        this.section = section;
        this.directory = directory;
        this.place = place;
        this.known = known;
        this.errors = errors;
    }

    /** The errors in values that were read, and every key that was not read. */
    List<String> allErrors() {
        List<String> all = new ArrayList<>(errors);
        section.values().forEach((key, given) -> {
            if (!known.contains(key)) {
                String nearest = known.isEmpty()
                        ? ", the plugin has no settings"
                        : ", the nearest valid one is " + section.path() + "." + NearestKey.of(key, known);
                all.add(section.path() + "." + key + ": unknown key (" + given.origin() + ")" + nearest);
            }
        });
        return all;
    }

    @Override
    public String text(String key, String fallback) {
        return read(key, fallback, true, Function.identity());
    }

    @Override
    public String requiredText(String key) {
        if (given(key) == null) {
            error(key, "has to be given");
        }
        return text(key, "");
    }

    @Override
    public String secret(String key, String fallback) {
        return read(key, fallback, false, Function.identity());
    }

    @Override
    public boolean flag(String key, boolean fallback) {
        return read(key, fallback, true, text -> switch (text) {
            case "true" -> true;
            case "false" -> false;
            default -> throw new IllegalArgumentException("must be true or false");
        });
    }

    @Override
    public long number(String key, long fallback, long min, long max) {
        return read(key, fallback, true, text -> number(text, Unit.NONE, min, max));
    }

    @Override
    public long bytes(String key, long fallback, long min, long max) {
        return read(key, fallback, true, text -> number(text, Unit.BYTES, min, max));
    }

    @Override
    public Duration duration(String key, Duration fallback, Duration min, Duration max) {
        return read(
                key,
                fallback,
                true,
                text -> Duration.ofSeconds(number(text, Unit.SECONDS, min.toSeconds(), max.toSeconds())));
    }

    private static long number(String text, Unit unit, long min, long max) {
        long value = unit.parse(text);
        if (value < min || value > max) {
            throw new IllegalArgumentException(
                    ("must be from " + min + " to " + max + " " + unit.counted()).stripTrailing());
        }
        return value;
    }

    @Override
    public <E extends Enum<E>> E choice(String key, E fallback) {
        return read(key, fallback, true, text -> {
            E[] constants = fallback.getDeclaringClass().getEnumConstants();
            return Stream.of(constants)
                    .filter(each -> EnumNames.of(each).equals(text))
                    .findFirst()
                    .orElseThrow(() -> new IllegalArgumentException("must be one of "
                            + Stream.of(constants).map(EnumNames::of).collect(Collectors.joining(", "))));
        });
    }

    @Override
    public List<String> list(String key) {
        return read(key, List.of(), true, text -> {
            List<String> items = Stream.of(text.split("[,\\n]", -1))
                    .map(String::strip)
                    .filter(item -> !item.isEmpty())
                    .toList();
            if (items.size() > MAX_ITEMS) {
                throw new IllegalArgumentException("must have at most " + MAX_ITEMS + " items");
            }
            return items;
        });
    }

    @Override
    public Path file(String key, String fallback) {
        return read(key, directory.resolve(fallback).normalize(), true, text -> {
            try {
                return directory.resolve(text).normalize();
            } catch (InvalidPathException e) {
                throw new IllegalArgumentException("must be the name of a file", e);
            }
        });
    }

    @Override
    public PluginSettings section(String key) {
        if (section.values().containsKey(place + key)) {
            know(key);
            error(key, "must hold keys, not a value");
        }
        return new ConfiguredSettings(section, directory, place + key + ".", known, errors);
    }

    @Override
    public void error(String key, String message) {
        Given given = given(key);
        add(key, message + (given == null ? "" : " (" + given.origin() + ")"));
    }

    private void add(String key, String message) {
        if (errors.size() < MAX_ERRORS) {
            errors.add(section.path() + "." + place + key + ": " + message);
        }
    }

    private @Nullable Given given(String key) {
        return section.values().get(place + key);
    }

    /** Bounded, since a plugin may ask for any number of keys. */
    private void know(String key) {
        if (known.size() < MAX_KEYS) {
            known.add(place + key);
        }
    }

    private <T> T read(String key, T fallback, boolean isShown, Function<String, T> parser) {
        know(key);
        Given given = given(key);
        if (given == null) {
            return fallback;
        }
        try {
            return parser.apply(given.text());
        } catch (IllegalArgumentException e) {
            String was = isShown ? ", was \"" + given.text() + "\"" : "";
            add(key, e.getMessage() + was + " (" + given.origin() + ")");
            return fallback;
        }
    }
}
