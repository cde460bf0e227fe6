package io.godwit.inbox.client;

/** Whose the stored session of a client id is, as the user sees it who asks. */
public enum SessionOwner {
    /** There is none, or it has expired. */
    NO_SESSION,
    /** The user's own; also a session without a user name to one who has none. */
    SAME_USER,
    /** It has no user name, and who asks has one. */
    NO_USER,
    OTHER_USER
}
