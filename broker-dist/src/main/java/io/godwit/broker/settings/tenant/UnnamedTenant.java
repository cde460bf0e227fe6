package io.godwit.broker.settings.tenant;

/** The treatment of a client without a named tenant. */
public enum UnnamedTenant {
    /** It belongs to the tenant {@code default}. */
    DEFAULT,
    /** It is refused. */
    REFUSE
}
