package io.godwit.broker;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** The effective configuration: every setting with its value. Immutable. */
final class BrokerConfig {
    private final Map<String, Object> values;

    private BrokerConfig(Map<String, Object> values) {
        this.values = values;
    }

    /** Defaults overlaid with {@code explicit}, whose values were produced by the parser of the setting of that key. */
    static BrokerConfig of(Map<String, Object> explicit) {
        Map<String, Object> values = new LinkedHashMap<>();
        for (List<Setting<?>> settings : List.of(FileSettings.ALL, PropertySettings.ALL)) {
            for (Setting<?> setting : settings) {
                values.put(setting.key(), explicit.getOrDefault(setting.key(), setting.defaultValue()));
            }
        }
        return new BrokerConfig(values);
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
        return values.entrySet().stream()
                .map(entry -> entry.getKey() + "="
                        + (entry.getValue() instanceof Enum<?> constant ? Setting.nameOf(constant) : entry.getValue()))
                .toList();
    }
}
