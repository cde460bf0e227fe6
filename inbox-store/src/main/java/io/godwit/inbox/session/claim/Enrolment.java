package io.godwit.inbox.session.claim;

import io.godwit.inbox.client.SessionDirectory.Takeover;
import io.godwit.inbox.session.port.Grant;
import io.godwit.inbox.session.port.OwnerPort;
import java.util.ArrayDeque;
import java.util.Collection;
import java.util.Queue;

/**
 * The messages of this node to one owner in one revision: first all present claims, then new ones, as the link has
 * room; requests made while the link is full are sent together. Ends with the revision or the link, or when the owner
 * asks again.
 */
final class Enrolment {
    private final long number;
    private final OwnerPort owner;
    private final Queue<ClaimedId> untold;
    /** How many of the initial claims are not told yet. */
    private int left;

    private boolean isDone;

    /**
     * @param number from 1 on, another one for each enrolment
     * @param there the claims of this node on ids of the owner
     */
    Enrolment(long number, OwnerPort owner, Collection<ClaimedId> there) {
        this.number = number;
        this.owner = owner;
        this.untold = new ArrayDeque<>(there);
        this.left = there.size();
        owner.begin();
    }

    void add(ClaimedId claim) {
        untold.add(claim);
        tell();
    }

    /** The connection has released the id, or waits no longer. */
    void release(ClaimedId claim) {
        if (claim.toldIn == number) {
            owner.release(claim.number);
        } // else tell() skips it
    }

    /** Tells as many claims as the link has room for. */
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
        claim.toldIn = number;
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
