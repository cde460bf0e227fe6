package io.godwit.inbox.queue;

/**
 * Hands out the sequences of one inbox, below a ceiling that is raised in the very mutation that needs it, a chunk at a time. A new leader
 * starts at the stored ceiling, so no sequence is ever handed out twice. Owned by the range leader.
 */
final class SequenceAllocator {
    /** Sequences skipped by a restart are at most this many; they cost nothing but packet ids not in order. */
    static final int CHUNK = 4096;

    private long next;
    private long ceiling;
    private long durableCeiling;

    /** @param first at or above every sequence handed out before */
    SequenceAllocator(long first, long storedCeiling) {
        next = Math.max(1, Math.max(first, storedCeiling));
        ceiling = storedCeiling;
        durableCeiling = storedCeiling;
    }

    /** Takes the next one; when that reaches {@link #needsRaise}, the mutation that uses it must carry {@link #raise}. */
    long take() {
        return next++;
    }

    /** The one that {@link #take} would give. */
    long peek() {
        return next;
    }

    boolean needsRaise() {
        return next > ceiling;
    }

    /** The new ceiling, to be stored. */
    long raise() {
        ceiling = next + CHUNK;
        return ceiling;
    }

    /** A raise was applied. */
    void raised(long stored) {
        durableCeiling = Math.max(durableCeiling, stored);
    }

    /** A raise was not applied. */
    void raiseFailed() {
        ceiling = durableCeiling;
    }

    /** Whether the next one is below what the store knows: then it may be shown to a client before its own mutation is durable. */
    boolean isNextDurable() {
        return next < durableCeiling;
    }
}
