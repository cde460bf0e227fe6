package io.godwit.broker;

import java.util.List;
import org.jspecify.annotations.Nullable;

/** The keys of a listener, relative to its section; {@link ListenerKind} tells which kind has which. */
final class ListenerSettings {
    static final Setting<Boolean> ENABLE = Setting.flag("enable", true);
    static final Setting<String> HOST = Setting.text("host", "");

    /** What a listener may have a value of its own for, under the last part of the key. */
    private static final List<Setting<?>> NODE_WIDE = List.of(
            FileSettings.MAX_PACKET_BYTES,
            FileSettings.MAX_CONN_BANDWIDTH,
            FileSettings.CONNECT_TIMEOUT_SECONDS,
            FileSettings.MAX_CONNECTIONS,
            FileSettings.MAX_CONNECTIONS_PER_SOURCE,
            FileSettings.CONNECT_RATE,
            FileSettings.CONNECT_RATE_PER_SOURCE);

    static final List<Setting<?>> LIMITS =
            NODE_WIDE.stream().<Setting<?>>map(ListenerSettings::own).toList();

    private ListenerSettings() {}

    private static <T> Setting<T> own(Setting<T> nodeWide) {
        return new Setting<>(nodeWide.leaf(), nodeWide.defaultValue(), nodeWide.parser());
    }

    /** The setting whose value a listener has that gives none for {@code key}; null when that is the listener's own default. */
    static @Nullable Setting<?> nodeWide(String key) {
        return NODE_WIDE.stream()
                .filter(setting -> setting.leaf().equals(key))
                .findFirst()
                .orElse(null);
    }
}
