package io.godwit.inbox.session.owner;

import io.godwit.inbox.session.port.Grant;
import io.godwit.inbox.session.port.IdKey;
import io.godwit.inbox.session.port.MemberLife;
import org.jspecify.annotations.Nullable;

/** The owner's entry for a connection of some member that has a client id or waits for it. */
final class OwnedClaim {
    final MemberLife edge;
    final long number;
    final IdKey key;
    final @Nullable String userName;
    /** Whether it may end only a connection of its own user, or of none. */
    final boolean sameUserOnly;

    /** Null while it waits. */
    @Nullable
    Grant grant;
    /** Whether it may follow the claim before it, as far as users decide that. */
    boolean isChecked;

    boolean isToldToGiveUp;
    /** The last enrolment of its member that included it. */
    long enrolment;

    /** Neighbours in its {@link Chain}. */
    @Nullable
    OwnedClaim before;

    @Nullable
    OwnedClaim after;

    OwnedClaim(MemberLife edge, long number, IdKey key, @Nullable String userName, boolean sameUserOnly) {
        this.edge = edge;
        this.number = number;
        this.key = key;
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
