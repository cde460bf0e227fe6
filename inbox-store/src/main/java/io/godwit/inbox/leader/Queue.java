package io.godwit.inbox.leader;

import io.godwit.inbox.ledger.InboundFlows;
import io.godwit.inbox.ledger.Ledger;
import io.godwit.inbox.ledger.SequenceAllocator;
import io.godwit.inbox.ledger.TokenMemory;
import io.godwit.inbox.protocol.InboxId;
import io.godwit.inbox.report.InboxReports;
import io.godwit.kv.client.RangeException;
import org.jspecify.annotations.Nullable;

/**
 * The queue of one inbox without the messages: its ledger and sequences, and what it remembers of publishers. All but
 * the sequences is the present session's. {@link InboxLoader} fills it.
 */
final class Queue {
    private SequenceAllocator sequences = new SequenceAllocator(1, 0);
    private Ledger ledger = new Ledger(0);
    private @Nullable TokenMemory tokens;
    private @Nullable InboundFlows inbound;
    private long appliedSequence;
    private long storedSentBelow;
    /** Of sessions that have ended, perhaps not in the store: see {@link Ledger#sentBound}. */
    private long sentBoundOfEnded;

    private boolean hasData;
    private long droppedWhenFull;

    SequenceAllocator sequences() {
        return sequences;
    }

    void setSequences(SequenceAllocator next) {
        sequences = next;
    }

    Ledger ledger() {
        return ledger;
    }

    /** A session has begun, or is loaded. */
    void setLedger(Ledger begun) {
        ledger = begun;
    }

    /** Null when there are none. */
    @Nullable
    TokenMemory knownTokens() {
        return tokens;
    }

    TokenMemory tokens() {
        TokenMemory memory = tokens;
        if (memory == null) {
            memory = new TokenMemory();
            tokens = memory;
        }
        return memory;
    }

    /** Null when there are none. */
    @Nullable
    InboundFlows knownInbound() {
        return inbound;
    }

    InboundFlows inbound() {
        InboundFlows flows = inbound;
        if (flows == null) {
            flows = new InboundFlows();
            inbound = flows;
        }
        return flows;
    }

    /** Fails who waits for a message of QoS 2 that the session has published. */
    void stopInbound(RangeException cause) {
        InboundFlows flows = inbound;
        if (flows != null) {
            flows.stop(cause);
        }
    }

    /** Highest sequence known to be in the store. */
    long appliedSequence() {
        return appliedSequence;
    }

    void setAppliedSequence(long sequence) {
        appliedSequence = sequence;
    }

    /** What its progress said when it was loaded: see {@link io.godwit.inbox.format.Progress#sentBelow}. */
    long storedSentBelow() {
        return storedSentBelow;
    }

    void setStoredSentBelow(long sequence) {
        storedSentBelow = sequence;
    }

    /** No message that the store has of this sequence or a higher one has been sent, whatever the store knows. */
    long sentBound() {
        return Math.max(sentBoundOfEnded, ledger.sentBound());
    }

    /** Whether the store has anything of this session beyond its record, or is about to. */
    boolean hasData() {
        return hasData;
    }

    void setHasData() {
        hasData = true;
    }

    /** The session is over, and what the store had of it. */
    void end(RangeException cause) {
        hasData = false;
        ledger.leaveStock();
        sentBoundOfEnded = sentBound();
        ledger = new Ledger(sequences.peek());
        tokens = null;
        stopInbound(cause);
        inbound = null;
    }

    // --- while it is full

    /** Whether messages of QoS 1 or 2 were dropped since it was full. */
    boolean isFull() {
        return droppedWhenFull > 0;
    }

    /** One more message of QoS 1 or 2 is dropped, since it is full. */
    void droppedSinceFull(InboxId id, InboxReports reports) {
        if (droppedWhenFull++ == 0) {
            reports.queueFullBegan(id);
        }
    }

    /** It is not full any more, or nobody keeps account of that. */
    void relieved(InboxId id, InboxReports reports) {
        if (droppedWhenFull > 0) {
            reports.queueFullEnded(id, droppedWhenFull);
            droppedWhenFull = 0;
        }
    }
}
