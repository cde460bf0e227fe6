package io.godwit.mqtt.tenant;

/** What may name a client's tenant. */
public enum TenantSource {
    /** The listener that it came to. */
    LISTENER,
    /** The host that it has asked for in the TLS handshake. */
    SNI,
    /** The certificate that it has shown. */
    CERTIFICATE,
    /** What stands before the separator in its user name. */
    USER_NAME
}
