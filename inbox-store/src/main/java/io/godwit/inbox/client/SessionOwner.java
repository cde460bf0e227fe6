package io.godwit.inbox.client;

/** Who owns the stored session of a client id, from the point of view of the user that asks. */
public enum SessionOwner {
    /** There is none, or it has expired. */
    NO_SESSION,
    /** The same user; also a session without a user name if the asking user has none. */
    SAME_USER,
    /** The session has no user name, but the asking user has one. */
    NO_USER,
    OTHER_USER
}
