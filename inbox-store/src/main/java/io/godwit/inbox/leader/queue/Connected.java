package io.godwit.inbox.leader.queue;

/** The connection that holds a session, as seen by its queue and by pending batches. Used by the range leader. */
public interface Connected {
    Sender sender();

    /** A batch with replay messages is done: carries out the steps that waited for it. */
    void goOnReplaying();
}
