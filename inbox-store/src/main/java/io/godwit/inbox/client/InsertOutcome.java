package io.godwit.inbox.client;

/** The outcome of an insert for one target. */
public enum InsertOutcome {
    /** Committed, or the client has acknowledged it already. */
    STORED,
    /** The token was known for a copy of the same subscription: that copy had been stored before. */
    ALREADY_THERE,
    /** Dropped by the session's limit or expiry, counted and reported; not a failure of the publish. */
    DROPPED,
    /**
     * Nothing was stored, as the request allows: the session is full and another group member may have room, or the
     * request only asked and the token is not known.
     */
    DECLINED,
    /** No such session, or another incarnation: the route is stray and may be removed. */
    NO_SESSION
}
