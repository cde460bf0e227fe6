package io.godwit.broker;

import java.util.Map;

/**
 * One listener as the file gives it.
 *
 * @param path of its section: {@code mqttServerConfig.tcpListener}, or {@code mqttServerConfig.tcpListener[0]} in a
 *     list
 * @param values by key relative to the section, where the file gives one; each produced by the parser of its setting
 */
record ListenerSection(ListenerKind kind, String path, Map<String, Object> values) {
    ListenerSection {
        values = Map.copyOf(values);
    }

    boolean isEnabled() {
        return get(ListenerSettings.ENABLE);
    }

    /** Whether the file says more of it than the defaults. */
    boolean isFilledIn() {
        return kind.settings().stream()
                .filter(setting -> !setting.key().equals(ListenerSettings.ENABLE.key()))
                .anyMatch(setting -> values.containsKey(setting.key())
                        && !setting.defaultValue().equals(values.get(setting.key())));
    }

    /** The value of a setting that is the listener's alone. */
    @SuppressWarnings("unchecked") // each value has the type of its setting
    <T> T get(Setting<T> setting) {
        return (T) values.getOrDefault(setting.key(), setting.defaultValue());
    }

    /** The value in force, which may be the node-wide one. */
    @SuppressWarnings("unchecked") // a listener's own setting and the node-wide one of the same name have one type
    <T> T get(Setting<T> setting, BrokerConfig config) {
        Setting<?> nodeWide = ListenerSettings.nodeWide(setting.leaf());
        if (nodeWide == null) {
            return get(setting);
        }
        Object own = values.get(setting.leaf());
        return (T) (own != null ? own : config.get(nodeWide));
    }
}
