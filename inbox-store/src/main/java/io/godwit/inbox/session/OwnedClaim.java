package io.godwit.inbox.session;

import org.jspecify.annotations.Nullable;

/** At the owner: a connection of some member that has a client id or waits for it. */
final class OwnedClaim {
    final MemberLife edge;
    final long number;
    final Chain chain;
    final @Nullable String userName;
    /** Whether it may drive out a connection of its own user, or of none, only. */
    final boolean sameUserOnly;

    /** When it got the client id; null while it waits. */
    @Nullable
    Grant grant;
    /** Nobody of another user is before it whom it may not drive out. */
    boolean isChecked;

    boolean isToldToGiveUp;
    /** The enrolment of its member that told of it last. */
    long enrolment;

    /** Neighbours in the chain. */
    @Nullable
    OwnedClaim before;

    @Nullable
    OwnedClaim after;

    OwnedClaim(MemberLife edge, long number, Chain chain, @Nullable String userName, boolean sameUserOnly) {
        this.edge = edge;
        this.number = number;
        this.chain = chain;
        this.userName = userName;
        this.sameUserOnly = sameUserOnly;
    }

    boolean isHeld() {
        return grant != null;
    }

    boolean mayFollow(OwnedClaim present) {
        return !sameUserOnly || present.userName == null || present.userName.equals(userName);
    }
}
