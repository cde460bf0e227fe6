package io.godwit.mqtt.tenant;

/** What happens to a client that names a tenant without settings. */
public enum UnknownTenant {
    /** The client is refused. */
    REFUSE,
    /** The client gets the default tenant. */
    DEFAULT,
    /** The client gets the tenant that it names. */
    ACCEPT
}
