package io.godwit.broker;

import java.util.ArrayList;
import java.util.List;

/** What a listener speaks below MQTT. */
enum ListenerKind {
    TCP("tcpListener", 1883, false, false),
    TLS("tlsListener", 8883, true, false),
    WS("wsListener", 8080, false, true),
    WSS("wssListener", 8443, true, true);

    private final String section;
    private final int defaultPort;
    private final boolean hasTls;
    private final boolean hasWebSocket;

    ListenerKind(String section, int defaultPort, boolean hasTls, boolean hasWebSocket) {
        this.section = section;
        this.defaultPort = defaultPort;
        this.hasTls = hasTls;
        this.hasWebSocket = hasWebSocket;
    }

    /** Of the section in the file that holds one such listener, or a list of them. */
    String path() {
        return "mqttServerConfig." + section;
    }

    /** Its keys, relative to the section. */
    List<Setting<?>> settings() {
        List<Setting<?>> settings = new ArrayList<>(
                List.of(ListenerSettings.ENABLE, ListenerSettings.HOST, port(), ListenerSettings.MOUNT_POINT));
        settings.addAll(ListenerSettings.OWN);
        settings.addAll(ListenerSettings.PROXY_PROTOCOL);
        if (hasTls) {
            settings.addAll(ListenerSettings.SSL);
        }
        if (hasWebSocket) {
            settings.add(ListenerSettings.WS_PATH);
            settings.add(ListenerSettings.ALLOWED_ORIGINS);
        }
        return settings;
    }

    Setting<Integer> port() {
        return Setting.integer("port", defaultPort, 0, 65_535);
    }

    boolean hasTls() {
        return hasTls;
    }

    boolean hasWebSocket() {
        return hasWebSocket;
    }
}
