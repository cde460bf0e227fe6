package io.godwit.mqtt.tenant;

/** Whether the settings of a tenant are known. */
public enum TenantAnswer {
    /** {@link Tenants} has all its settings. */
    KNOWN,
    /** There is no such tenant. */
    NO_TENANT,
    /** There are more tenants than a node can have. */
    TOO_MANY
}
