package io.godwit.inbox.leader.queue;

import io.godwit.inbox.ledger.InboundFlows;
import io.godwit.inbox.ledger.Ledger;
import io.godwit.inbox.ledger.SeenTokens;
import io.godwit.inbox.ledger.SequenceAllocator;
import io.godwit.inbox.protocol.InboxId;
import io.godwit.inbox.report.InboxReports;
import io.godwit.kv.client.RangeException;
import org.jspecify.annotations.Nullable;

/**
 * The queue of one inbox without the messages: its ledger and sequences, and its memory of publishers. All except the
 * sequences belongs to the present session. {@code InboxLoader} fills it.
 */
public final class Queue {
    private SequenceAllocator sequences = new SequenceAllocator(1, 0);
    private Ledger ledger = new Ledger(0);
    private @Nullable SeenTokens tokens;
    private @Nullable InboundFlows inbound;
    private long appliedSequence;
    private long storedSentBelow;
    /** {@link Ledger#sentBound} of ended sessions, whose end may not be stored yet. */
    private long sentBoundOfEnded;

    private boolean hasData;
    private long droppedWhenFull;

    public SequenceAllocator sequences() {
        return sequences;
    }

    public void setSequences(SequenceAllocator next) {
        sequences = next;
    }

    public Ledger ledger() {
        return ledger;
    }

    /** Sets the ledger of a session that begins or was loaded. */
    public void setLedger(Ledger begun) {
        ledger = begun;
    }

    /** Null when there are none. */
    public @Nullable SeenTokens knownTokens() {
        return tokens;
    }

    public SeenTokens tokens() {
        SeenTokens memory = tokens;
        if (memory == null) {
            memory = new SeenTokens();
            tokens = memory;
        }
        return memory;
    }

    /** Null when there are none. */
    public @Nullable InboundFlows knownInbound() {
        return inbound;
    }

    public InboundFlows inbound() {
        InboundFlows flows = inbound;
        if (flows == null) {
            flows = new InboundFlows();
            inbound = flows;
        }
        return flows;
    }

    /** Fails all that wait for a QoS 2 message of the session. */
    public void stopInbound(RangeException cause) {
        InboundFlows flows = inbound;
        if (flows != null) {
            flows.stop(cause);
        }
    }

    /**
     * The connection has ended: fails its calls that wait for messages of earlier connections. Otherwise it would keep
     * its client id until those are distributed.
     */
    public void leaveInbound() {
        InboundFlows flows = inbound;
        if (flows != null) {
            flows.failWaiting(Mailbox.closed());
        }
    }

    /** Highest sequence known to be stored. */
    public long appliedSequence() {
        return appliedSequence;
    }

    public void setAppliedSequence(long sequence) {
        appliedSequence = sequence;
    }

    /** {@link io.godwit.inbox.format.Progress#sentBelow} of the loaded progress. */
    public long storedSentBelow() {
        return storedSentBelow;
    }

    public void setStoredSentBelow(long sequence) {
        storedSentBelow = sequence;
    }

    /** No stored message with this sequence or a higher one was sent, even if the stored bound is lower. */
    public long sentBound() {
        return Math.max(sentBoundOfEnded, ledger.sentBound());
    }

    /** Whether the store has data of this session besides its record, or is about to. */
    public boolean hasData() {
        return hasData;
    }

    public void setHasData() {
        hasData = true;
    }

    /** The session and its stored messages are gone. */
    public void end(RangeException cause) {
        hasData = false;
        ledger.leaveStock();
        sentBoundOfEnded = sentBound();
        ledger = new Ledger(sequences.peek());
        tokens = null;
        stopInbound(cause);
        inbound = null;
    }

    // --- while it is full

    /** Whether messages of QoS 1 or 2 were dropped since the queue became full. */
    public boolean isFull() {
        return droppedWhenFull > 0;
    }

    /** Counts a message of QoS 1 or 2 that is dropped because the queue is full. */
    public void droppedSinceFull(InboxId id, InboxReports reports) {
        if (droppedWhenFull++ == 0) {
            reports.queueFullBegan(id);
        }
    }

    /** The queue is no longer full, or the count ends for another reason. */
    public void relieved(InboxId id, InboxReports reports) {
        if (droppedWhenFull > 0) {
            reports.queueFullEnded(id, droppedWhenFull);
            droppedWhenFull = 0;
        }
    }
}
