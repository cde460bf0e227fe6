package io.godwit.broker;

import java.util.ArrayList;
import java.util.List;

/** What a listener speaks below MQTT. */
enum ListenerKind {
    TCP("tcpListener", 1883);

    private final String section;
    private final int defaultPort;

    ListenerKind(String section, int defaultPort) {
        this.section = section;
        this.defaultPort = defaultPort;
    }

    /** Of the section in the file that holds one such listener, or a list of them. */
    String path() {
        return "mqttServerConfig." + section;
    }

    /** Its keys, relative to the section. */
    List<Setting<?>> settings() {
        List<Setting<?>> settings = new ArrayList<>(List.of(ListenerSettings.ENABLE, ListenerSettings.HOST, port()));
        settings.addAll(ListenerSettings.LIMITS);
        return settings;
    }

    Setting<Integer> port() {
        return Setting.integer("port", defaultPort, 0, 65_535);
    }
}
