package io.godwit.inbox.client;

/** What became of a message that a session which ended had of a shared group. */
public enum GroupOutcome {
    /** Another member has it, or dropped it by its own limit. */
    GIVEN,
    /** There is no other member. */
    NOBODY,
    /** A store could not take it now: to be tried again. */
    LATER
}
