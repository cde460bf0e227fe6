package io.godwit.broker.effective;

/** The transport of a listener. */
public enum ListenerKind {
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

    public boolean hasTls() {
        return hasTls;
    }

    boolean hasWebSocket() {
        return hasWebSocket;
    }
}
