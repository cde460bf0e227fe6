package io.godwit.inbox.leader;

import io.godwit.inbox.format.ByteWriter;
import io.godwit.inbox.protocol.InboxId;
import org.jspecify.annotations.Nullable;

/**
 * One inbox in memory, as pending work sees it: a queue that is written to. {@link InboxState} has its session and who
 * holds that. Owned by the range leader.
 */
abstract class Inbox {
    final InboxId id;
    final byte[] prefix;

    final Residency residency = new Residency();
    final PendingWrites writes = new PendingWrites();
    final Queue queue = new Queue();

    Inbox(InboxId id, byte[] prefix) {
        this.id = id;
        this.prefix = prefix;
    }

    abstract boolean hasSession();

    /** Whether a connection has the session, or is moving here from the previous leader. */
    abstract boolean isHeld();

    /** The connection that holds the session here; null for none. */
    abstract @Nullable Connected connection();

    /**
     * The batch is being sealed: adds replay positions that have moved.
     *
     * @return whether the batch had no room for all of them
     */
    abstract boolean tellMoved(Sealing batch);

    /** Number of topics that it keeps in memory besides the queue. */
    abstract int notedTopics();

    boolean isIdle() {
        return residency.isReady()
                && !isHeld()
                && !writes.isUnderWay()
                && !writes.isDirty()
                && !residency.isWorkedFor();
    }

    /** Number of messages and topics that it has memory for. */
    int heldEntries() {
        return queue.ledger().capacity() + notedTopics();
    }

    /** At sealing: messages below this sequence were or may be sent; written with the progress. */
    long tellSentBelow() {
        Connected present = connection();
        return present == null ? queue.ledger().sentBelow() : present.sender().tellCeiling();
    }

    /** A batch that is being sealed, for additions. */
    interface Sealing {
        /** Ascending in the order of proposal. */
        long id();

        /** Whether the batch is too full for additions that can as well go with the next one. */
        boolean hasNoRoom();

        /** Adds the position of a replay, as of when it is encoded. */
        void tell(Place place);
    }

    /** The position of a replay of retained messages, as written by a batch. */
    interface Place {
        Inbox inbox();

        /** Approximate size in a batch. */
        int bytes();

        /** Writes the position; called when the batch is encoded. */
        void writeTo(ByteWriter out, Sealing batch);

        /** The batch failed. */
        void lost(Sealing batch);
    }
}
