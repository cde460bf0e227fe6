package io.godwit.inbox.queue;

import io.godwit.inbox.protocol.InboxId;
import io.godwit.kv.client.RangeException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What the leader holds of one inbox while that is attached, busy or was so lately; otherwise nothing but the store
 * knows it. Owned by the range leader. What stands here is ahead of the store by the batches not yet applied.
 */
final class InboxState {
    final InboxId id;
    final byte[] prefix;

    /** Filled by loading; no request is handled before. */
    boolean ready;
    /** Something was decided here that could not be written: to be loaded anew once no batch is under way. */
    boolean discarded;
    /** Requests that wait until it is ready, in order. */
    @Nullable
    ArrayDeque<Request> waiting;

    @Nullable
    Session session;

    final List<StoredWill> owed = new ArrayList<>();
    final List<EndedSession> ended = new ArrayList<>();
    SequenceAllocator sequences = new SequenceAllocator(1, 0);
    Ledger ledger = new Ledger(0);

    @Nullable
    TokenMemory tokens;

    @Nullable
    InboundFlows inbound;

    @Nullable
    Attachment attachment;
    /** The session is attached, and its connection on its way from the leader before; null when not. */
    @Nullable
    MovedSession awaited;
    /** Highest sequence known to be in the store. */
    long appliedSequence;
    /** What its progress said when it was loaded: see {@link Progress#sentBelow}. */
    long storedSentBelow;
    /** Whether the store has anything of this session beyond its record. */
    boolean hasData;

    /** Batches under way that write to it. */
    int batches;

    @Nullable
    Batch lastBatch;
    /** Its place in the table of that batch. */
    int tableIndex;
    /** The batch that has a run of it open. */
    @Nullable
    Batch runBatch;

    /** Of the record as it was written or loaded last. */
    int recordBytes;

    /** The batch that wrote the record last; what the record owes is begun when it is done. */
    @Nullable
    Batch recordIn;

    /** The ledger has finished or received messages that the store does not know of. */
    boolean dirty;
    /** The last batch that was asked to bring its progress along. */
    @Nullable
    Batch progressWantedBy;
    /** Progress may not be written by an earlier batch than this: it speaks of a session begun there. */
    long progressNotBefore;

    /**
     * Work of the leader for it that survives between events: publishing owed wills, removing routes, handing over,
     * distributing.
     */
    int activities;

    boolean publishingWills;
    boolean handingOver;
    boolean removingRoutes;

    /** Messages of QoS 1 and 2 that were dropped since its queue was full; 0 when it is not. */
    long droppedWhenFull;

    /** In the queue of states that may be evicted, and whether used since. */
    boolean idleQueued;

    boolean used;
    /** What it was counted for there. */
    int idleEntries;

    /** Of the {@link Stock}. */
    boolean countsAsDetached;

    InboxState(InboxId id, byte[] prefix) {
        this.id = id;
        this.prefix = prefix;
    }

    TokenMemory tokens() {
        TokenMemory memory = tokens;
        if (memory == null) {
            memory = new TokenMemory();
            tokens = memory;
        }
        return memory;
    }

    InboundFlows inbound() {
        InboundFlows flows = inbound;
        if (flows == null) {
            flows = new InboundFlows();
            inbound = flows;
        }
        return flows;
    }

    /** Whether a connection has the session, be it one that is on its way from the leader before. */
    boolean isHeld() {
        return attachment != null || awaited != null;
    }

    boolean isIdle() {
        return ready && !isHeld() && batches == 0 && !dirty && activities == 0 && waiting == null;
    }

    /** Messages and topics that it keeps a place for. */
    int heldEntries() {
        OwedRetained owed = session == null ? null : session.retained;
        return ledger.capacity() + (owed == null ? 0 : owed.size());
    }

    /** At sealing: below which sequence messages may be sent, or were; told to the store with its progress. */
    long tellSentBelow() {
        Attachment present = attachment;
        return present == null ? ledger.sentBelow() : present.outbox.tellCeiling();
    }

    /** The origin of the delivery tokens of the present session's publishes. */
    static String origin(InboxId id, long incarnation) {
        return id.tenant().value() + '/' + incarnation + '/' + id.clientId().value();
    }

    /** Wills have their own origin, since they are finished in their own time. */
    static String willOrigin(InboxId id, long incarnation) {
        return origin(id, incarnation) + "/will";
    }

    /** A request for an inbox that is not ready. */
    interface Request {
        void run(InboxState state);

        void fail(RangeException cause);
    }
}
