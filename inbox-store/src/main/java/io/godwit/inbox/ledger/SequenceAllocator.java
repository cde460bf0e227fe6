package io.godwit.inbox.ledger;

/**
 * Hands out the sequences of one inbox, below a ceiling that is raised a chunk at a time. Until the store is known to
 * have the raised ceiling, every mutation that uses a sequence above the stored one brings it along: each may be
 * written without those before it. A new leader starts at the stored ceiling, so no sequence is ever handed out twice.
 * Owned by the range leader.
 */
public final class SequenceAllocator {
    /** Sequences skipped by a restart are at most this many; they cost nothing but packet ids not in order. */
    static final int CHUNK = 4096;

    private long next;
    private long ceiling;
    private long durableCeiling;
    /** The batch that was given the ceiling last. */
    private long toldIn;

    /** @param first at or above every sequence handed out before */
    public SequenceAllocator(long first, long storedCeiling) {
        next = Math.max(1, Math.max(first, storedCeiling));
        ceiling = storedCeiling;
        durableCeiling = storedCeiling;
    }

    /** Takes the next one; if {@link #mustTell} then, the mutation that uses it must carry {@link #tell}. */
    public long take() {
        return next++;
    }

    /** The one that {@link #take} would give. */
    public long peek() {
        return next;
    }

    /** Whether the store may not know that the last one was taken. */
    public boolean isAboveStored() {
        return next > durableCeiling;
    }

    /** Whether the batch does not bring a ceiling above the last one. */
    public boolean mustTell(long batchId) {
        return isAboveStored() && (toldIn != batchId || next > ceiling);
    }

    /** The ceiling, raised if need be, to be stored by the batch. */
    public long tell(long batchId) {
        if (next > ceiling) {
            ceiling = next + CHUNK;
        }
        toldIn = batchId;
        return ceiling;
    }

    /** A raise was applied. */
    public void raised(long stored) {
        durableCeiling = Math.max(durableCeiling, stored);
    }

    /** A raise was not applied. */
    public void raiseFailed() {
        ceiling = durableCeiling;
    }

    /**
     * Whether the next one is below what the store knows: then it may be shown to a client before its own mutation is
     * durable.
     */
    public boolean isNextDurable() {
        return next < durableCeiling;
    }
}
