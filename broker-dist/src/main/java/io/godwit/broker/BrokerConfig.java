package io.godwit.broker;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The effective configuration: every setting with its value, and the listeners. Immutable. */
final class BrokerConfig {
    private final Map<String, Object> values;
    private final List<ListenerSection> listeners;
    private final Path directory;

    private BrokerConfig(Map<String, Object> values, List<ListenerSection> listeners, Path directory) {
        this.values = values;
        this.listeners = List.copyOf(listeners);
        this.directory = directory;
    }

    /**
     * Defaults overlaid with {@code explicit}, whose values were produced by the parser of the setting of that key.
     *
     * @param listeners as given; without one over TCP there is the default one
     * @param directory that of the configuration file, which files it names are relative to
     */
    static BrokerConfig of(Map<String, Object> explicit, List<ListenerSection> listeners, Path directory) {
        Map<String, Object> values = new LinkedHashMap<>();
        for (List<Setting<?>> settings : List.of(FileSettings.ALL, PropertySettings.ALL)) {
            for (Setting<?> setting : settings) {
                values.put(setting.key(), explicit.getOrDefault(setting.key(), setting.defaultValue()));
            }
        }
        List<ListenerSection> all = new ArrayList<>();
        if (listeners.stream().noneMatch(section -> section.kind() == ListenerKind.TCP)) {
            all.add(new ListenerSection(ListenerKind.TCP, ListenerKind.TCP.path(), Map.of()));
        }
        all.addAll(listeners);
        return new BrokerConfig(values, all, directory);
    }

    /** A file that the configuration names; null when it names none. */
    @Nullable
    Path file(String name) {
        return name.isEmpty() ? null : directory.resolve(name).normalize();
    }

    /** The listeners, those that are switched off included. */
    List<ListenerSection> listeners() {
        return listeners;
    }

    @SuppressWarnings("unchecked") // of() holds each key to the type of its setting
    <T> T get(Setting<T> setting) {
        Object value = values.get(setting.key());
        if (value == null) {
            throw new IllegalArgumentException("not a known setting: " + setting.key());
        }
        return (T) value;
    }

    /** One {@code key=value} per setting, for the log. */
    List<String> describe() {
        Map<String, Object> all = new LinkedHashMap<>(values);
        listeners.forEach(section -> section.kind()
                .settings()
                .forEach(setting -> all.put(section.path() + "." + setting.key(), section.get(setting, this))));
        return lines(all);
    }

    /**
     * The same, of those whose value is not the default; of a listener's, not what it would have without being asked.
     */
    List<String> describeChanges() {
        Map<String, Object> changes = new LinkedHashMap<>();
        for (List<Setting<?>> settings : List.of(FileSettings.ALL, PropertySettings.ALL)) {
            for (Setting<?> setting : settings) {
                Object value = get(setting);
                if (!value.equals(setting.defaultValue())) {
                    changes.put(setting.key(), value);
                }
            }
        }
        for (ListenerSection section : listeners) {
            if (!section.isEnabled()) {
                if (section.kind() == ListenerKind.TCP) { // the one that is there by default
                    changes.put(section.path() + "." + ListenerSettings.ENABLE.key(), false);
                }
                continue;
            }
            for (Setting<?> setting : section.kind().settings()) {
                Object value = section.get(setting, this);
                Setting<?> nodeWide = ListenerSettings.nodeWide(setting.leaf());
                if (!value.equals(nodeWide == null ? setting.defaultValue() : get(nodeWide))) {
                    changes.put(section.path() + "." + setting.key(), value);
                }
            }
        }
        return lines(changes);
    }

    private static List<String> lines(Map<String, Object> all) {
        return all.entrySet().stream()
                .map(entry -> entry.getKey() + "="
                        + (entry.getValue() instanceof Enum<?> constant ? Setting.nameOf(constant) : entry.getValue()))
                .toList();
    }
}
