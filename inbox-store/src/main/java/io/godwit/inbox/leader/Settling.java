package io.godwit.inbox.leader;

import io.godwit.inbox.ledger.MovedSessions;
import io.godwit.inbox.protocol.InboxId;
import java.util.ArrayList;
import java.util.List;

/** Whether another leader follows in good order: then nothing new is begun here. Owned by the range leader. */
final class Settling {
    private final MovedSessions moved;
    private boolean isSettling;
    /** Told to {@link MovedSessions}. */
    private final List<InboxId> announced = new ArrayList<>(0);

    Settling(MovedSessions moved) {
        this.moved = moved;
    }

    /** Whether another leader follows: what is not needed to answer what was accepted is left to it. */
    boolean isSettling() {
        return isSettling;
    }

    void begin() {
        isSettling = true;
    }

    /**
     * The session is attached while this leader settles: the next one may be there before this one has stopped, for its
     * range has been cut in two.
     */
    void announce(Inbox inbox) {
        announced.add(inbox.id);
        moved.announce(inbox.id);
    }

    /** The leader has stopped: what was announced and is not left will not be. */
    void withdraw() {
        moved.withdraw(announced);
    }
}
