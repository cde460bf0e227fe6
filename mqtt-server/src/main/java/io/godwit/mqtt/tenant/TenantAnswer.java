package io.godwit.mqtt.tenant;

/** Whether it is known what holds for a tenant. */
public enum TenantAnswer {
    /** {@link Tenants} has all that is said of it. */
    KNOWN,
    /** There is no such tenant. */
    NO_TENANT,
    /** There are more tenants than a node can have. */
    TOO_MANY
}
