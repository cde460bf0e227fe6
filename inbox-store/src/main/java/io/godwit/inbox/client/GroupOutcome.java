package io.godwit.inbox.client;

/** What became of a shared group's message after the session that had it ended. */
public enum GroupOutcome {
    /** Another member has it, or dropped it by its own limit. */
    GIVEN,
    /** There is no other member. */
    NOBODY,
    /** No store could take it now: try again. */
    LATER
}
