package io.godwit.api.port;

import java.util.List;

/** Where web pages can connect to this node by MQTT. Thread-safe. */
public interface WebSocketSource {
    /** Its open listeners for MQTT over WebSocket; empty while the node starts. Does not block. */
    List<WebSocketListener> open();

    /**
     * One listener. Its public address is not known here: the node may have many, also behind proxies.
     *
     * @param path of the request that opens a WebSocket
     */
    record WebSocketListener(boolean tls, int port, String path) {}
}
