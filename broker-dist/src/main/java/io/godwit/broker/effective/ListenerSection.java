package io.godwit.broker.effective;

import io.godwit.broker.settings.listener.ListenerKeys;
import io.godwit.broker.settings.listener.MqttServerSection;
import io.godwit.broker.settings.listener.SslSection;
import io.godwit.broker.settings.listener.WebSocketKeys;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** One listener of any kind, as the configuration file gives it. */
public final class ListenerSection {
    private final ListenerKind kind;
    private final String path;
    private final boolean isEnabled;
    private final int port;
    private final ListenerKeys keys;
    private final @Nullable SslSection ssl;
    private final @Nullable WebSocketKeys webSocket;

    private ListenerSection(
            ListenerKind kind,
            String path,
            boolean isEnabled,
            int port,
            ListenerKeys keys,
            @Nullable SslSection ssl,
            @Nullable WebSocketKeys webSocket) {
        this.kind = kind;
        this.path = path;
        this.isEnabled = isEnabled;
        this.port = port;
        this.keys = keys;
        this.ssl = ssl;
        this.webSocket = webSocket;
    }

    /** The listeners of all kinds; those of one kind in the order of the file. */
    static List<ListenerSection> of(MqttServerSection server) {
        List<ListenerSection> all = new ArrayList<>();
        server.tcpListener()
                .forEach(l -> all.add(
                        new ListenerSection(ListenerKind.TCP, l.path(), l.enable(), l.port(), l.keys(), null, null)));
        server.tlsListener()
                .forEach(l -> all.add(new ListenerSection(
                        ListenerKind.TLS, l.path(), l.enable(), l.port(), l.keys(), l.sslConfig(), null)));
        server.wsListener()
                .forEach(l -> all.add(new ListenerSection(
                        ListenerKind.WS, l.path(), l.enable(), l.port(), l.keys(), null, l.webSocket())));
        server.wssListener()
                .forEach(l -> all.add(new ListenerSection(
                        ListenerKind.WSS, l.path(), l.enable(), l.port(), l.keys(), l.sslConfig(), l.webSocket())));
        return List.copyOf(all);
    }

    public ListenerKind kind() {
        return kind;
    }

    /** {@code mqttServerConfig.tcpListener}, or {@code mqttServerConfig.tcpListener[0]} in a list. */
    public String path() {
        return path;
    }

    public boolean isEnabled() {
        return isEnabled;
    }

    /** The port; 0 for any free one. */
    public int port() {
        return port;
    }

    /** The keys that every kind has; limits that are not set here have the values of the node. */
    public ListenerKeys keys() {
        return keys;
    }

    /** @throws IllegalStateException if the kind has no TLS */
    public SslSection ssl() {
        if (ssl == null) {
            throw new IllegalStateException(path + " has no TLS");
        }
        return ssl;
    }

    /** @throws IllegalStateException if the kind has no WebSocket */
    WebSocketKeys webSocket() {
        if (webSocket == null) {
            throw new IllegalStateException(path + " has no WebSocket");
        }
        return webSocket;
    }
}
