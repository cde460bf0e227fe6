package io.godwit.inbox.leader;

import io.godwit.inbox.format.QueuedCopy;
import io.godwit.inbox.ledger.SentCeiling;
import io.godwit.kv.client.RangeException;

/** Sends the messages of one queue, as they are stored and the store learns how far. Used by the range leader. */
interface Sender {
    /** Sends what can be sent now. */
    void pump();

    /** Hands over what pumping has gathered. */
    void flush();

    /** The message is in the store. */
    void applied(QueuedCopy copy);

    SentCeiling ceiling();

    /** At sealing: moves the ceiling; the batch tells it to the store. */
    long tellCeiling();

    /** The store knows of a higher ceiling. */
    void ceilingRaised();

    /** A batch that was to raise it failed. */
    void ceilingNotRaised(RangeException cause);
}
