package io.godwit.api.port;

import java.util.List;

/** Where web pages can connect to this node by MQTT. Thread-safe. */
public interface WebSocketSource {
    /** Its listeners for MQTT over WebSocket that are open; none while the node starts. Does not block. */
    List<WebSocketListener> open();

    /**
     * One listener. Which address it is reached at is not known here: the node may have many, behind others.
     *
     * @param path of the request that opens a WebSocket
     */
    record WebSocketListener(boolean tls, int port, String path) {}
}
