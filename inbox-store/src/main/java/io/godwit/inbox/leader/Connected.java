package io.godwit.inbox.leader;

/**
 * The connection that holds a session, as its queue and the batches under way see it: they send, or wait, and need not
 * know more. Used by the range leader.
 */
interface Connected {
    Sender sender();

    /** A batch with messages of a replay is done: takes the steps that have waited for it. */
    void goOnReplaying();
}
