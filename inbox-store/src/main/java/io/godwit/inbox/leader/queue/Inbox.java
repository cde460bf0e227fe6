package io.godwit.inbox.leader.queue;

import io.godwit.inbox.format.ByteWriter;
import io.godwit.inbox.protocol.InboxId;
import org.jspecify.annotations.Nullable;

/**
 * One inbox in memory, as pending work sees it: a queue that is written to. {@code InboxState} has its session and who
 * holds that. Owned by the range leader.
 */
public abstract class Inbox {
    public final InboxId id;
    public final byte[] prefix;

    public final Residency residency = new Residency();
    public final PendingWrites writes = new PendingWrites();
    public final Queue queue = new Queue();

    protected Inbox(InboxId id, byte[] prefix) {
        this.id = id;
        this.prefix = prefix;
    }

    protected abstract boolean hasSession();

    /** Whether a connection has the session, or is moving here from the previous leader. */
    public abstract boolean isHeld();

    /** The connection that holds the session here; null for none. */
    public abstract @Nullable Connected connection();

    /**
     * The batch is being sealed: adds replay positions that have moved.
     *
     * @return whether the batch had no room for all of them
     */
    protected abstract boolean tellMoved(Sealing batch);

    /** Number of topics that it keeps in memory besides the queue. */
    protected abstract int notedTopics();

    public boolean isIdle() {
        return residency.isReady()
                && !isHeld()
                && !writes.isUnderWay()
                && !writes.isDirty()
                && !residency.isWorkedFor();
    }

    /** Number of messages and topics that it has memory for. */
    public int heldEntries() {
        return queue.ledger().capacity() + notedTopics();
    }

    /** At sealing: messages below this sequence were or may be sent; written with the progress. */
    long tellSentBelow() {
        Connected present = connection();
        return present == null ? queue.ledger().sentBelow() : present.sender().tellCeiling();
    }

    /** A batch that is being sealed, for additions. */
    public interface Sealing {
        /** Ascending in the order of proposal. */
        long id();

        /** Whether the batch is too full for additions that can as well go with the next one. */
        boolean hasNoRoom();

        /** Adds the position of a replay, as of when it is encoded. */
        void tell(Place place);
    }

    /** The position of a replay of retained messages, as written by a batch. */
    public interface Place {
        Inbox inbox();

        /** Approximate size in a batch. */
        int bytes();

        /** Writes the position; called when the batch is encoded. */
        void writeTo(ByteWriter out, Sealing batch);

        /** The batch failed. */
        void lost(Sealing batch);
    }
}
