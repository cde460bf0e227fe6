package io.godwit.inbox.leader.queue;

import io.godwit.inbox.format.QueuedCopy;
import io.godwit.inbox.ledger.SentCeiling;
import io.godwit.kv.client.RangeException;

/** Sends the messages of one queue as they are stored and the ceiling rises. Used by the range leader. */
public interface Sender {
    /** Sends all messages that may be sent now. */
    void pump();

    /** Delivers the messages that pumping has gathered. */
    void flush();

    /** The message is stored. */
    void applied(QueuedCopy copy);

    SentCeiling ceiling();

    /** At sealing: moves the ceiling and returns it for the batch to write. */
    long tellCeiling();

    /** A higher ceiling is stored. */
    void ceilingRaised();

    /** A batch that was to raise the ceiling failed. */
    void ceilingNotRaised(RangeException cause);
}
