package io.godwit.plugin.event;

/** Why a session ended that was to outlive its connection. */
public enum SessionEndCause {
    /** Its expiry interval passed without a connection. */
    EXPIRED,
    /** Its client began a new one. */
    CLEAN_START,
    /** Its client gave it up: by a session that ends with its connection, or when it disconnected. */
    GIVEN_UP
}
