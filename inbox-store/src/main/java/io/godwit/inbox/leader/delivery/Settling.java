package io.godwit.inbox.leader.delivery;

import io.godwit.inbox.leader.queue.Inbox;
import io.godwit.inbox.ledger.MovedSessions;
import io.godwit.inbox.protocol.InboxId;
import java.util.ArrayList;
import java.util.List;

/** Whether another leader follows in good order, so that nothing new is begun here. Owned by the range leader. */
public final class Settling {
    private final MovedSessions moved;
    private boolean isSettling;
    /** Inboxes announced to {@link MovedSessions}. */
    private final List<InboxId> announced = new ArrayList<>(0);

    public Settling(MovedSessions moved) {
        this.moved = moved;
    }

    /** Whether another leader follows: it takes over all work except the answers to accepted requests. */
    public boolean isSettling() {
        return isSettling;
    }

    public void begin() {
        isSettling = true;
    }

    /**
     * The session is attached while this leader settles. After a split the next leader may start before this one has
     * stopped, and must know of it.
     */
    public void announce(Inbox inbox) {
        announced.add(inbox.id);
        moved.announce(inbox.id);
    }

    /** The leader has stopped: withdraws announced inboxes that were not handed over. */
    public void withdraw() {
        moved.withdraw(announced);
    }
}
