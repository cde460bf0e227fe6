package io.godwit.inbox.session;

import io.godwit.inbox.client.SessionDirectory.Takeover;
import java.util.ArrayDeque;
import java.util.Collection;
import java.util.Queue;

/**
 * What this node tells one owner in one revision: first all that it has and waits for, then what is new. As the link
 * has room; many that ask at once while it has none go together. Ends with the revision or the link, or when the owner
 * asks again.
 */
final class Enrolment {
    private final OwnerPort owner;
    private final Queue<ClaimedId> untold;
    /** How many of those are left that were there when it began. */
    private int left;

    private boolean isDone;

    /** @param there what this node has and waits for of the owner's */
    Enrolment(OwnerPort owner, Collection<ClaimedId> there) {
        this.owner = owner;
        this.untold = new ArrayDeque<>(there);
        this.left = there.size();
        owner.begin();
    }

    void add(ClaimedId claim) {
        untold.add(claim);
        tell();
    }

    /** The connection has it no more, or waits no more. */
    void release(ClaimedId claim) {
        if (claim.told == this) {
            owner.release(claim.number);
        } // else it is passed over in its turn
    }

    /** Tells as much as there is room for. */
    void tell() {
        while (!untold.isEmpty() && owner.hasRoom()) {
            tell(untold.remove());
            if (left > 0) {
                left--;
            }
            endIfTold();
        }
        endIfTold();
    }

    private void endIfTold() {
        if (left == 0 && !isDone) {
            isDone = true;
            owner.done();
        }
    }

    private void tell(ClaimedId claim) {
        if (claim.state == ClaimedId.State.OVER) {
            return;
        }
        claim.told = this;
        Grant grant = claim.grant;
        String userName = claim.holder.userName();
        if (grant != null) {
            owner.hold(claim.number, claim.key, userName, grant);
        } else {
            boolean sameUserOnly = claim.takeover == Takeover.OF_SAME_USER;
            owner.acquire(claim.number, claim.key, userName, sameUserOnly);
        }
    }
}
