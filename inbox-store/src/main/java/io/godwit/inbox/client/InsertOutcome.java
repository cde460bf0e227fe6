package io.godwit.inbox.client;

/** What became of one copy. */
public enum InsertOutcome {
    /** Committed, or the client has acknowledged it already. */
    STORED,
    /** Its token was known for a copy of the same subscription: it had been stored before. */
    ALREADY_THERE,
    /** Dropped by the session's limit or expiry, counted and reported; the publisher is not failed. */
    DROPPED,
    /**
     * Nothing was stored, as the request wanted it: the session is full and another may have room, or it only asked and
     * the token is not known.
     */
    DECLINED,
    /** No such session, or another incarnation: the route is stray and may be removed. */
    NO_SESSION
}
