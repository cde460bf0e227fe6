package io.godwit.mqtt.tenant;

/** What becomes of a client that names a tenant which nobody has listed. */
public enum UnknownTenant {
    /** It is refused. */
    REFUSE,
    /** It is of the default tenant. */
    DEFAULT,
    /** It is of the tenant that it names. */
    ACCEPT
}
