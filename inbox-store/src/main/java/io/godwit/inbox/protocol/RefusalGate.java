package io.godwit.inbox.protocol;

import java.util.concurrent.atomic.AtomicLongArray;

/**
 * Remembers refusals of one sender's commands. A command sent after a refused one, before the sender knew of the
 * refusal, must not pass it. Inboxes share slots, so a command may also be refused because of another inbox, which
 * costs a retry.
 *
 * <p>Atomic, because the leaders of several ranges refuse and check at the same time. Commands of one inbox come to one
 * leader at a time, which checks just before it carries one out.
 */
public final class RefusalGate {
    /** Number of slots; a power of two. */
    public static final int SLOTS = 1024;

    /**
     * The round of a command that needs no order among those that have rounds, such as a command of an attachment. An
     * earlier refusal does not stop it, and its own refusal stops no other.
     */
    public static final long EVERY_ROUND = Long.MAX_VALUE;

    /** The lowest round that passes, for each slot. */
    private final AtomicLongArray lowest = new AtomicLongArray(SLOTS);

    /** The slot of an inbox. */
    public static int slotOf(InboxId id) {
        int hash = id.hashCode() * 0x9E3779B1; // golden ratio: spreads numbered client ids
        return hash >>> 22;
    }

    /** Whether a command of that round may be carried out. */
    public boolean passes(InboxId id, long round) {
        return round >= lowest.get(slotOf(id));
    }

    /** A command of that round was refused. Must be called before anyone learns of the refusal. */
    public void refused(InboxId id, long round) {
        if (round != EVERY_ROUND) {
            lowest.accumulateAndGet(slotOf(id), round + 1, Math::max);
        }
    }
}
