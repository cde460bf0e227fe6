package io.godwit.broker.settings;

/** What becomes of a client for which nothing names a tenant. */
public enum UnnamedTenant {
    /** It is of the tenant {@code default}. */
    DEFAULT,
    /** It is refused. */
    REFUSE
}
