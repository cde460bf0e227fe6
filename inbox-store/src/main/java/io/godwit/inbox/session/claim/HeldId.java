package io.godwit.inbox.session.claim;

import io.godwit.inbox.client.SessionDirectory;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;

/** The lease of a connection of this node. Its event loop and the end of the process may both release it. */
final class HeldId implements SessionDirectory.Lease {
    private final ClaimedId claim;
    private final Consumer<ClaimedId> released;
    private final AtomicBoolean isReleased = new AtomicBoolean();

    HeldId(ClaimedId claim, Consumer<ClaimedId> released) {
        this.claim = claim;
        this.released = released;
    }

    @Override
    public void release() {
        if (isReleased.compareAndSet(false, true)) {
            released.accept(claim);
        }
    }
}
