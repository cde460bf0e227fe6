package io.godwit.inbox.session.owner;

import io.godwit.inbox.session.port.Grant;
import io.godwit.inbox.session.port.IdKey;
import org.jspecify.annotations.Nullable;

/**
 * The owner's list of the claims on one client id. Holders come first; there is one, except for a while after a
 * partition has healed, when the one with the highest grant is first. The others wait in the order in which they came.
 */
final class Chain {
    final IdKey key;
    /** The holder that others wait for; null for none. */
    @Nullable
    OwnedClaim contendedHolder;

    long contendedSinceNanos;

    private @Nullable OwnedClaim first;
    private @Nullable OwnedClaim last;
    private int size;

    Chain(IdKey key) {
        this.key = key;
    }

    int size() {
        return size;
    }

    @Nullable
    OwnedClaim first() {
        return first;
    }

    @Nullable
    OwnedClaim last() {
        return last;
    }

    /** Whether one claim holds the client id and none waits. */
    boolean isAtRest() {
        return size == 1 && first != null && first.isHeld();
    }

    boolean hasWaiting() {
        return last != null && !last.isHeld();
    }

    void append(OwnedClaim claim) {
        insertAfter(last, claim);
    }

    /** Inserts a holder by its grant, among the other holders. */
    void insertHeld(OwnedClaim claim, Grant grant) {
        claim.grant = grant;
        OwnedClaim place = null;
        for (OwnedClaim each = first; each != null; each = each.after) {
            Grant other = each.grant;
            if (other == null || other.compareTo(grant) < 0) {
                break;
            }
            place = each;
        }
        insertAfter(place, claim);
    }

    private void insertAfter(@Nullable OwnedClaim place, OwnedClaim claim) {
        OwnedClaim next = place == null ? first : place.after;
        claim.before = place;
        claim.after = next;
        if (place == null) {
            first = claim;
        } else {
            place.after = claim;
        }
        if (next == null) {
            last = claim;
        } else {
            next.before = claim;
        }
        size++;
    }

    void remove(OwnedClaim claim) {
        OwnedClaim previous = claim.before;
        OwnedClaim next = claim.after;
        if (previous == null) {
            first = next;
        } else {
            previous.after = next;
        }
        if (next == null) {
            last = previous;
        } else {
            next.before = previous;
        }
        claim.before = null;
        claim.after = null;
        size--;
    }

    /** The first claim of the unchecked ones at the end; null when all are checked. */
    @Nullable
    OwnedClaim firstUnchecked() {
        OwnedClaim found = null;
        for (OwnedClaim each = last; each != null && !each.isHeld() && !each.isChecked; each = each.before) {
            found = each;
        }
        return found;
    }
}
