package io.godwit.inbox.ledger;

/**
 * Hands out the sequences of one inbox, below a ceiling that is raised a chunk at a time. Until the raised ceiling is
 * stored, every mutation that uses a sequence above the stored ceiling carries the new one, because each may be written
 * without those before it. A new leader starts at the stored ceiling, so no sequence is handed out twice. Owned by the
 * range leader.
 */
public final class SequenceAllocator {
    /** At most this many sequences are skipped by a restart; that only makes packet ids jump. */
    static final int CHUNK = 4096;

    private long next;
    private long ceiling;
    private long durableCeiling;
    /** The last batch that carried the ceiling. */
    private long toldIn;

    /** @param first greater than every sequence handed out before */
    public SequenceAllocator(long first, long storedCeiling) {
        next = Math.max(1, Math.max(first, storedCeiling));
        ceiling = storedCeiling;
        durableCeiling = storedCeiling;
    }

    /**
     * Takes the next sequence. If {@link #mustTell} is true after that, the mutation that uses it must carry
     * {@link #tell}.
     */
    public long take() {
        return next++;
    }

    /** The sequence that {@link #take} would return. */
    public long peek() {
        return next;
    }

    /** Whether the last sequence taken may be above the stored ceiling. */
    public boolean isAboveStored() {
        return next > durableCeiling;
    }

    /** Whether the batch still lacks a ceiling above the last sequence. */
    public boolean mustTell(long batchId) {
        return isAboveStored() && (toldIn != batchId || next > ceiling);
    }

    /** The ceiling for the batch to store, raised if necessary. */
    public long tell(long batchId) {
        if (next > ceiling) {
            ceiling = next + CHUNK;
        }
        toldIn = batchId;
        return ceiling;
    }

    /** A raised ceiling was applied. */
    public void raised(long stored) {
        durableCeiling = Math.max(durableCeiling, stored);
    }

    /** A raised ceiling was not applied. */
    public void raiseFailed() {
        ceiling = durableCeiling;
    }

    /**
     * Whether the next sequence is below the stored ceiling: then its message may be sent to a client before its own
     * mutation is durable.
     */
    public boolean isNextDurable() {
        return next < durableCeiling;
    }
}
