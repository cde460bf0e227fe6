package io.godwit.broker.config;

import io.godwit.broker.config.key.ConfigKey;
import io.godwit.broker.config.key.Given;
import io.godwit.broker.config.key.KeySpec;
import io.godwit.broker.config.key.Level;
import io.godwit.broker.config.key.OpenSection;
import io.godwit.broker.config.key.OpenSections;
import io.godwit.broker.config.key.Section;
import io.godwit.broker.config.source.Values;
import java.lang.reflect.Constructor;
import java.lang.reflect.RecordComponent;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/** Creates records of {@link ConfigKey}s from the given values; keys without one get their default. For one thread. */
public final class Binder {
    /** The result of reflection per class, which does not change. */
    private static final Map<Class<?>, Level> LEVELS = new ConcurrentHashMap<>();

    private final Level root;
    private final Values values;
    private final List<Effective> effective = new ArrayList<>();

    Binder(Level root, Values values) {
        this.root = root;
        this.values = values;
    }

    public static Level level(Class<?> type) {
        return LEVELS.computeIfAbsent(type, Level::of);
    }

    /** Creates the record. Wrong values are reported to {@link Values#error}, and replaced by their default. */
    <R extends Record> R bind(Class<R> type) {
        return type.cast(record(type, "", ""));
    }

    /** Every bound key, in the order of the file. */
    List<Effective> effective() {
        return List.copyOf(effective);
    }

    private Object record(Class<?> type, String place, String from) {
        RecordComponent[] components = type.getRecordComponents();
        Class<?>[] types = new Class<?>[components.length];
        Object[] arguments = new Object[components.length];
        for (int i = 0; i < components.length; i++) {
            types[i] = components[i].getType();
            arguments[i] = component(components[i], place, from);
        }
        return KeySpec.reflect(() -> {
            Constructor<?> constructor = type.getDeclaredConstructor(types);
            return constructor.newInstance(arguments);
        });
    }

    private Object component(RecordComponent component, String place, String from) {
        ConfigKey key = component.getAnnotation(ConfigKey.class);
        if (key != null) {
            return value(KeySpec.of(component, key, from), place);
        }
        if (component.getAnnotation(OpenSections.class) != null) {
            return open(place + component.getName());
        }
        Section section = component.getAnnotation(Section.class);
        if (section == null) { // a @Place, as checked by Level
            return place.isEmpty() ? "" : place.substring(0, place.length() - 1);
        }
        if (section.inline()) {
            return record(component.getType(), place, section.from());
        }
        String path = place + component.getName();
        if (component.getType() == List.class) {
            Class<?> type = Level.recordType(component);
            Set<String> instances = values.instances(path);
            return (instances.isEmpty() && section.needed() ? Set.of(path) : instances)
                    .stream().map(instance -> record(type, instance + ".", "")).toList();
        }
        return record(component.getType(), path + ".", "");
    }

    /** Only the reader of an open section knows which values are secret, so all are treated as secret. */
    private Map<String, OpenSection> open(String path) {
        Map<String, OpenSection> sections = new LinkedHashMap<>(values.open(path));
        sections.values()
                .forEach(section -> section.values()
                        .forEach((key, given) -> effective.add(new Effective(
                                section.path() + "." + key, given.text(), false, given.origin(), false, true))));
        return Collections.unmodifiableMap(sections);
    }

    private Object value(KeySpec spec, String place) {
        String path = place + spec.name();
        Object fallback = fallback(spec);
        Given given = values.get(path);
        Object value = fallback;
        if (given != null) {
            Object parsed = parse(spec, path, given, true);
            value = parsed == null ? fallback : parsed;
        }
        effective.add(new Effective(
                path,
                KeySpec.text(value),
                value.equals(fallback),
                given == null ? "" : given.origin(),
                spec.key().reload(),
                spec.key().secret()));
        return value;
    }

    private Object fallback(KeySpec spec) {
        Given given = spec.from().isEmpty() ? null : values.get(spec.from());
        Object parsed = given == null ? null : parse(spec, spec.from(), given, false);
        if (parsed != null) {
            return parsed;
        }
        if (spec.from().isEmpty()) {
            return spec.defaultValue();
        }
        KeySpec other = find(spec.from());
        return other.defaultValue();
    }

    /**
     * @param isTold whether to report an invalid value as an error of {@code path}
     * @return null if the value is invalid
     */
    private @Nullable Object parse(KeySpec spec, String path, Given given, boolean isTold) {
        try {
            return spec.parse(given.text());
        } catch (IllegalArgumentException e) {
            if (isTold) {
                String was = spec.key().secret() ? "" : ", was \"" + given.text() + "\"";
                values.error(path, e.getMessage() + was + " (" + given.origin() + ")");
            }
            return null;
        }
    }

    private KeySpec find(String path) {
        Level level = root;
        String rest = path;
        for (int dot = rest.indexOf('.'); dot >= 0; dot = rest.indexOf('.')) {
            Level.Child child = level.sections().get(rest.substring(0, dot));
            if (child == null) {
                throw new IllegalStateException("no section for " + path);
            }
            level = child.level();
            rest = rest.substring(dot + 1);
        }
        KeySpec spec = level.keys().get(rest);
        if (spec == null) {
            throw new IllegalStateException("no key " + path);
        }
        return spec;
    }
}
