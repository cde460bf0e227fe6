package io.godwit.mqtt.tenant;

/** A source that may name a client's tenant. */
public enum TenantSource {
    /** The listener that the client connected to. */
    LISTENER,
    /** The host name that the client sent in the TLS handshake. */
    SNI,
    /** The client's certificate. */
    CERTIFICATE,
    /** The part of its user name before the separator. */
    USER_NAME
}
