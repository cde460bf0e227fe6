package io.godwit.inbox.session;

import io.godwit.inbox.session.claim.ClaimedIds;
import io.godwit.inbox.session.owner.OwnedIds;
import io.godwit.inbox.session.port.BadFrameException;
import io.godwit.inbox.session.port.EdgePort;
import io.godwit.inbox.session.port.Grant;
import io.godwit.inbox.session.port.IdKey;
import io.godwit.inbox.session.port.MemberLife;
import io.godwit.inbox.session.port.OwnerPort;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The messages between this node's two parts about client ids that it owns itself: the same as between nodes, as calls
 * one after the other that are never nested.
 */
final class LocalPorts implements EdgePort, OwnerPort {
    /** A message to an owner, which the owner may refuse. */
    interface Step {
        void run() throws BadFrameException;
    }

    private final MemberLife own;
    private final ClaimedIds claimed;
    private final OwnedIds owned;
    private final Consumer<Runnable> next;

    /** @param next runs its argument later in this turn, in order, when the running call has returned */
    LocalPorts(MemberLife own, ClaimedIds claimed, OwnedIds owned, Consumer<Runnable> next) {
        this.own = own;
        this.claimed = claimed;
        this.owned = owned;
        this.next = next;
    }

    private void toOwner(Step step) {
        next.accept(() -> {
            try {
                step.run();
            } catch (BadFrameException e) {
                throw new IllegalStateException("this node's own claim is refused", e);
            }
        });
    }

    @Override
    public void enrol() {
        next.accept(() -> claimed.enrol(own, this));
    }

    @Override
    public void granted(long number, long counter, boolean giveUp) {
        next.accept(() -> claimed.granted(own, number, counter, giveUp));
    }

    @Override
    public void giveUp(long number) {
        next.accept(() -> claimed.giveUp(own, number));
    }

    @Override
    public void refused(long number, Refusal why) {
        next.accept(() -> claimed.refused(own, number, why));
    }

    @Override
    public void begin() {
        next.accept(() -> owned.begin(own));
    }

    @Override
    public void acquire(long number, IdKey key, @Nullable String userName, boolean sameUserOnly) {
        toOwner(() -> owned.acquire(own, number, key, userName, sameUserOnly));
    }

    @Override
    public void hold(long number, IdKey key, @Nullable String userName, Grant grant) {
        toOwner(() -> owned.hold(own, number, key, userName, grant));
    }

    @Override
    public void release(long number) {
        next.accept(() -> owned.release(own, number));
    }

    @Override
    public void done() {
        next.accept(() -> owned.done(own));
    }

    @Override
    public boolean hasRoom() {
        return true;
    }
}
