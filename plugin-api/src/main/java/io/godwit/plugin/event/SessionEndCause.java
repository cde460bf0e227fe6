package io.godwit.plugin.event;

/** Why a session that was to outlive its connection ended. */
public enum SessionEndCause {
    /** Its expiry interval passed without a connection. */
    EXPIRED,
    /** Its client began a new one. */
    CLEAN_START,
    /** Its client gave it up: it connected with a session that ends with its connection, or ended it by DISCONNECT. */
    GIVEN_UP,
    /** An operator or a plugin deleted it. */
    DELETED
}
