package io.godwit.inbox.leader;

import io.godwit.inbox.format.ByteWriter;
import io.godwit.inbox.protocol.InboxId;
import org.jspecify.annotations.Nullable;

/**
 * One inbox in memory, as what is under way for it sees it: a queue that is written to. Its session and who holds that
 * are the business of {@link InboxState}. Owned by the range leader.
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

    /** Whether a connection has the session, be it one that is on its way from the leader before. */
    abstract boolean isHeld();

    /** The connection that holds the session here; null for none. */
    abstract @Nullable Connected connection();

    /**
     * The batch is being sealed: what the session is owed goes along as far as it has moved.
     *
     * @return whether there was no room for all of that
     */
    abstract boolean tellMoved(Sealing batch);

    /** Topics that it keeps in memory beside the queue. */
    abstract int notedTopics();

    boolean isIdle() {
        return residency.isReady()
                && !isHeld()
                && !writes.isUnderWay()
                && !writes.isDirty()
                && !residency.isWorkedFor();
    }

    /** Messages and topics that it keeps a place for. */
    int heldEntries() {
        return queue.ledger().capacity() + notedTopics();
    }

    /** At sealing: below which sequence messages may be sent, or were; told to the store with its progress. */
    long tellSentBelow() {
        Connected present = connection();
        return present == null ? queue.ledger().sentBelow() : present.sender().tellCeiling();
    }

    /** A batch that is being sealed, for what may go along with it. */
    interface Sealing {
        /** Ascending in the order of proposal. */
        long id();

        /** Whether there is no room for what may as well go with the next one. */
        boolean hasNoRoom();

        /** The place goes along, as it stands when it is written. */
        void tell(Place place);
    }

    /** Where a replay of retained messages stands, as a batch tells it. */
    interface Place {
        Inbox inbox();

        /** What it takes in a batch, about. */
        int bytes();

        /** The batch is being encoded: writes the place. */
        void writeTo(ByteWriter out, Sealing batch);

        /** The batch failed. */
        void lost(Sealing batch);
    }
}
