package io.godwit.broker;

/** The transport of a listener. */
enum ListenerKind {
    TCP(false, false),
    TLS(true, false),
    WS(false, true),
    WSS(true, true);

    private final boolean hasTls;
    private final boolean hasWebSocket;

    ListenerKind(boolean hasTls, boolean hasWebSocket) {
        this.hasTls = hasTls;
        this.hasWebSocket = hasWebSocket;
    }

    boolean hasTls() {
        return hasTls;
    }

    boolean hasWebSocket() {
        return hasWebSocket;
    }
}
