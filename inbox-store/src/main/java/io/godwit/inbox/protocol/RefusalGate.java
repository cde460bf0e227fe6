package io.godwit.inbox.protocol;

import java.util.concurrent.atomic.AtomicLongArray;

/**
 * Remembers what one sender's commands were refused, so that none passes that was sent behind a refused one before the
 * sender had heard of that. Inboxes share places; one that shares a place with a refused one may be refused as well,
 * which costs another try.
 *
 * <p>Atomic, because the leaders of several ranges refuse and ask at the same time. Commands of one inbox come to one
 * leader at a time, and it asks when it is about to carry one out.
 */
public final class RefusalGate {
    /** Places; a power of two. */
    public static final int SLOTS = 1024;

    /**
     * The round of a command that needs no order among those that have rounds, such as a command of an attachment. An
     * earlier refusal does not stop it, and its own refusal stops no other.
     */
    public static final long EVERY_ROUND = Long.MAX_VALUE;

    /** The lowest round that passes. */
    private final AtomicLongArray lowest = new AtomicLongArray(SLOTS);

    /** The place of an inbox. */
    public static int slotOf(InboxId id) {
        int hash = id.hashCode() * 0x9E3779B1; // the golden ratio: client ids are often numbered
        return hash >>> 22;
    }

    /** Whether a command of that round may be carried out. */
    public boolean passes(InboxId id, long round) {
        return round >= lowest.get(slotOf(id));
    }

    /** A command of that round was refused: before anybody is told. */
    public void refused(InboxId id, long round) {
        if (round != EVERY_ROUND) {
            lowest.accumulateAndGet(slotOf(id), round + 1, Math::max);
        }
    }
}
