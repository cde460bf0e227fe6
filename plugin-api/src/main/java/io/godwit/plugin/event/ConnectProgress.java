package io.godwit.plugin.event;

/** How far a connection came before its peer ended it, when the broker had not yet answered a CONNECT. */
public enum ConnectProgress {
    /** Not one byte arrived. Port scans and health checks of load balancers do that. */
    NOTHING_SENT,
    /** Bytes arrived, of TLS, of a PROXY header, of a WebSocket or of MQTT, but no whole CONNECT. */
    NO_CONNECT,
    /** A CONNECT arrived. */
    NOT_ANSWERED
}
