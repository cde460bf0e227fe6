package io.godwit.inbox.leader.state;

import io.godwit.inbox.leader.queue.Inbox;
import java.util.ArrayDeque;
import java.util.function.Consumer;

/**
 * Inboxes in memory without a connection or pending work. They are kept while there is room, because the next message
 * for one is likely. When room is needed, those are dropped first that were not used since they came here or were last
 * checked. Owned by the range leader.
 */
final class IdleInboxes {
    /** Limit on the entries of all their ledgers together: 14 bytes each, and at worst a topic. */
    private static final long MAX_ENTRIES = 500_000;

    private final int maxInboxes;
    private final Consumer<Inbox> giveUp;
    private final ArrayDeque<Inbox> queue = new ArrayDeque<>();
    private long entries;

    IdleInboxes(int maxInboxes, Consumer<Inbox> giveUp) {
        this.maxInboxes = maxInboxes;
        this.giveUp = giveUp;
    }

    /** Call after each use of an inbox, which may be idle now. */
    void offer(Inbox state) {
        if (state.isIdle() && !state.residency.isIdleQueued()) {
            state.residency.setIdleQueued(true);
            state.residency.forgetUse();
            queue.add(state);
        }
        if (state.residency.isIdleQueued()) {
            entries += state.residency.count(state.heldEntries());
        }
        for (int tries = queue.size(); tries > 0 && (queue.size() > maxInboxes || entries > MAX_ENTRIES); tries--) {
            Inbox oldest = queue.remove();
            if (oldest.isIdle() && oldest.residency.wasUsed()) {
                oldest.residency.forgetUse();
                queue.add(oldest);
                continue;
            }
            oldest.residency.setIdleQueued(false);
            entries += oldest.residency.count(0);
            if (oldest.isIdle()) {
                giveUp.accept(oldest);
            } // else it is offered again when it becomes idle
        }
    }

    void clear() {
        queue.clear();
        entries = 0;
    }
}
