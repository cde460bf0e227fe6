package io.godwit.inbox.leader;

import java.util.ArrayDeque;
import java.util.function.Consumer;

/**
 * The inboxes in memory that nobody is attached to and nothing is under way for: kept while there is room, since the
 * next message for one is likely, then given up, those first that were not used since they came in here or were last
 * looked at. Owned by the range leader.
 */
final class IdleInboxes {
    /** What their ledgers may have entries for, all together: 14 bytes each, and at worst a topic. */
    private static final long MAX_ENTRIES = 500_000;

    private final int maxInboxes;
    private final Consumer<Inbox> giveUp;
    private final ArrayDeque<Inbox> queue = new ArrayDeque<>();
    private long entries;

    IdleInboxes(int maxInboxes, Consumer<Inbox> giveUp) {
        this.maxInboxes = maxInboxes;
        this.giveUp = giveUp;
    }

    /** Something was done with the inbox; it may be idle now. */
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
