package io.godwit.inbox.session;

import org.jspecify.annotations.Nullable;

/**
 * At the owner: the claims on one client id. Those that have it come first; that is one, but for a while after a
 * partition has healed, and then the one with the highest grant stands first. The others wait in the order in which
 * they came.
 */
final class Chain {
    final IdKey key;
    /** The holder that others wait for, and since when. */
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

    /** One has the client id, and nobody else wants it. */
    boolean isAtRest() {
        return size == 1 && first != null && first.isHeld();
    }

    boolean hasWaiting() {
        return last != null && !last.isHeld();
    }

    void append(OwnedClaim claim) {
        insertAfter(last, claim);
    }

    /** Among those that have the client id. */
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

    /** The first of those at the end that are not checked; null when all are. */
    @Nullable
    OwnedClaim firstUnchecked() {
        OwnedClaim found = null;
        for (OwnedClaim each = last; each != null && !each.isHeld() && !each.isChecked; each = each.before) {
            found = each;
        }
        return found;
    }
}
